import BridgeTestSupport
import FIDOCrypto
import Foundation
import JSONText
import Octets
import RelyingParty
import Testing

@Suite("Reading what a verification needs")
struct ReadingTests {
  static let options =
    #"{"challenge":"AQID","rp":{"name":"X","id":"example.org"},"user":{"id":"AQ"},"pubKeyCredParams":[{"type":"public-key","alg":-8},{"type":"other","alg":-7}],"authenticatorSelection":{"userVerification":"required"}}"#

  @Test(
    "takes creation options out of a server's wrapping",
    arguments: ["*", #"{"publicKey":*}"#, #"{"fido2":*}"#, #"{"status":"ok","fido2":{"publicKey":*}}"#])
  func creation(_ wrapping: String) throws {
    let request = try RegistrationRequest(parsing: Array(wrapping.replacing("*", with: Self.options).utf8))
    #expect(
      request
        == RegistrationRequest(
          challenge: [1, 2, 3], relyingPartyID: "example.org", userID: [1], algorithms: [-8],
          requiresUserVerification: true))
  }

  @Test("reads request options, with and without the members that may be absent")
  func request() throws {
    let full = try AuthenticationRequest(
      parsing: Array(
        #"{"challenge":"AQID","rpId":"example.org","allowCredentials":[{"type":"public-key","id":"BA"}],"userVerification":"required","extensions":{"appid":"https://a"}}"#
          .utf8))
    #expect(
      full
        == AuthenticationRequest(
          challenge: [1, 2, 3], relyingPartyID: "example.org", allowedCredentials: [[4]],
          requiresUserVerification: true, applicationID: "https://a"))
    let bare = try AuthenticationRequest(parsing: Array(#"{"challenge":"AQID","rpId":null}"#.utf8))
    #expect(
      bare == AuthenticationRequest(challenge: [1, 2, 3], relyingPartyID: nil, requiresUserVerification: false))
  }

  @Test("offers ES256 and RS256 where a request names no algorithm")
  func defaultAlgorithms() throws {
    let text = #"{"challenge":"AQID","rp":{},"user":{"id":"AQ"},"pubKeyCredParams":[]}"#
    #expect(try RegistrationRequest(parsing: Array(text.utf8)).algorithms == [-7, -257])
  }

  @Test(
    "names the member that is missing or is of the wrong kind",
    arguments: [
      ("", "The request is not JSON"), ("[]", "The request is not a JSON object"), ("{}", "challenge is missing"),
      (#"{"challenge":7}"#, "challenge is not a string"), (#"{"challenge":"A="}"#, "challenge is not base64url"),
      (#"{"challenge":"AQID"}"#, "rp is missing"), (#"{"challenge":"AQID","rp":{"id":1}}"#, "rp.id is not a string"),
      (#"{"challenge":"AQID","rp":{}}"#, "user is missing"),
      (#"{"challenge":"AQID","rp":{},"user":{}}"#, "user.id is missing"),
      (#"{"challenge":"AQID","rp":{},"user":{"id":"AQ"},"pubKeyCredParams":7}"#, "pubKeyCredParams is not an array"),
    ])
  func missing(_ text: String, _ words: String) {
    #expect {
      try RegistrationRequest(parsing: Array(text.utf8))
    } throws: {
      "\($0)".hasPrefix(words)
    }
  }

  @Test(
    "names what a response lacks",
    arguments: ["type", "id", "response", "clientDataJSON", "authenticatorData", "signature"])
  func incomplete(_ member: String) throws {
    let text =
      #"{"type":"public-key","id":"AQ","rawId":"AQ","response":{"clientDataJSON":"AQ","authenticatorData":"AQ","signature":"AQ","userHandle":"AQ"},"clientExtensionResults":{"appid":true}}"#
    let whole = try ReceivedAuthentication(parsing: Array(text.utf8))
    #expect(whole.usedApplicationID && whole.extensions == ["appid"] && whole.userHandle == [1])
    #expect {
      try ReceivedAuthentication(parsing: Array(text.replacing("\"\(member)\":", with: "\"other\":").utf8))
    } throws: {
      "\($0)".contains("\(member) is missing")
    }
  }

  @Test("a credential comes from a verification's JSON as it went in, for both ceremonies", arguments: W3CVector.all)
  func record(_ vector: W3CVector) throws {
    let found = vector.verifyRegistration()
    let record = try CredentialRecord(parsing: found.json.serialized(pretty: true))
    #expect(record == found.credential)
    #expect(record.isVerified)
    let signed = vector.authentication.verify(vector.authenticationRequest, vector.policy, credential: record)
    #expect(try CredentialRecord(parsing: signed.json.serialized(pretty: false)) == signed.credential)
  }

  @Test("a credential comes from a registration's response, and is marked as believed")
  func believed() throws {
    let vector = try W3CVector.named("packed-es256")
    func text(_ bytes: [UInt8]) -> JSONOutput { .string(Base64URL.encode(bytes)) }
    let id = text(vector.registration.identifiers[0])
    let json: JSONOutput = [
      "type": "public-key", "id": id, "rawId": id,
      "response": [
        "clientDataJSON": text(vector.registration.clientDataJSON),
        "attestationObject": text(vector.registration.attestationObject),
      ],
    ]
    var expected = try vector.record()
    expected.userHandle = nil
    expected.isVerified = false
    #expect(try CredentialRecord(parsing: json.serialized(pretty: false)) == expected)
    let broken: JSONOutput = [
      "type": "public-key", "id": id, "response": ["clientDataJSON": "AQ", "attestationObject": "AQ"],
    ]
    #expect(throws: UnreadableInput.self) { try CredentialRecord(parsing: broken.serialized(pretty: false)) }
  }

  @Test(
    "a credential that lacks a member is refused",
    arguments: ["id", "publicKey", "signCount", "backupEligible", "backedUp"])
  func incompleteRecord(_ member: String) throws {
    let text = String(
      decoding: try W3CVector.named("none-es256").verifyRegistration().json.serialized(pretty: false), as: UTF8.self)
    #expect(throws: UnreadableInput.self) {
      try CredentialRecord(parsing: Array(text.replacing("\"\(member)\":", with: "\"other\":").utf8))
    }
  }

  @Test("reads trust anchors in DER and in PEM, with what else stands between them")
  func anchors() throws {
    let anchor = try #require(W3CVector.named("packed-es256").policy.trustAnchors?.first)
    #expect(try TrustAnchors.read(anchor.der) == [anchor])
    let body = Data(anchor.der).base64EncodedString(options: [.lineLength64Characters, .endLineWithCarriageReturn])
    let pem = "A root\r\n-----BEGIN CERTIFICATE-----\r\n\(body)\r\n-----END CERTIFICATE-----\r\n"
    #expect(try TrustAnchors.read(Array((pem + pem).utf8)) == [anchor, anchor])
  }

  @Test(
    "refuses trust anchors that are none",
    arguments: [
      "", "text", "-----BEGIN CERTIFICATE-----\nAAAA\n", "-----END CERTIFICATE-----\n",
      "-----BEGIN CERTIFICATE-----\n?\n-----END CERTIFICATE-----\n",
      "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n", "0\u{82}",
    ])
  func noAnchors(_ text: String) {
    #expect(throws: UnreadableInput.self) { try TrustAnchors.read(Array(text.utf8)) }
    #expect(throws: UnreadableInput.self) { try TrustAnchors.read([0x30, 0x82, 0x01]) }
  }
}
