import CTAPMessages
import JSONText
import Testing

@testable import WebAuthnClient

struct CreationOptionsTests {
  @Test("a complete request is read, unknown members and values left aside")
  func complete() throws {
    let options = try creation(
      requestText(
        params:
          #"[{"type":"new","alg":1},{"type":"public-key","alg":-8},{"type":"public-key","alg":-7.0},{"type":"public-key","alg":-8}]"#,
        more: #"""
          "timeout":90000.5,"excludeCredentials":[{"type":"public-key","id":"AQID","transports":["usb","new"]},
          {"type":"new","id":"AQ"}],"authenticatorSelection":{"authenticatorAttachment":"cross-platform",
          "residentKey":"required","requireResidentKey":false,"userVerification":"discouraged","more":1},
          "hints":["security-key","new","client-device","security-key"],"attestation":"direct",
          "attestationFormats":["packed","new"],"extensions":{"credProps":true},"mystery":{"a":[1]}
          """#))
    #expect(options.relyingPartyID == "example.org")
    #expect(options.relyingPartyName == "Example")
    #expect(options.userID == [1, 2, 3, 4])
    #expect(options.userName == "alice")
    #expect(options.userDisplayName == "Alice")
    #expect(options.challenge == Array(0...15))
    #expect(options.algorithms == [-8, -7])
    #expect(options.timeout == .milliseconds(90000))
    #expect(options.excludedCredentials.map(\.id) == [[1, 2, 3]])
    #expect(options.attachment == .crossPlatform)
    #expect(options.residentKey == .required)
    #expect(options.userVerification == .discouraged)
    #expect(options.hints == [.securityKey, .clientDevice])
    #expect(options.attestation == .direct)
    #expect(options.attestationFormats == ["packed", "new"])
    #expect(options.extensions?["credProps"]?.boolValue == true)
  }

  @Test("what is left out, null or an unknown value has its default")
  func defaults() throws {
    let bare = requestText(rp: #"{"name":""}"#, user: #"{"id":"AA","name":"","displayName":""}"#, params: "[]")
    let nulls = requestText(
      rp: #"{"id":null,"name":""}"#, user: #"{"id":"AA","name":"","displayName":""}"#, params: "[]",
      more: #"""
        "timeout":null,"excludeCredentials":null,"authenticatorSelection":null,"hints":null,"attestation":null,
        "attestationFormats":null,"extensions":null
        """#)
    let unknown = requestText(
      rp: #"{"name":""}"#, user: #"{"id":"AA","name":"","displayName":""}"#, params: "[]",
      more: #"""
        "authenticatorSelection":{"authenticatorAttachment":"new","residentKey":"new","userVerification":"new"},
        "attestation":"new"
        """#)
    for text in [bare, nulls, unknown] {
      let options = try creation(text)
      #expect(options.relyingPartyID == nil)
      #expect(options.algorithms == [-7, -257])
      #expect(options.timeout == nil)
      #expect(options.excludedCredentials.isEmpty)
      #expect(options.attachment == nil)
      #expect(options.residentKey == .discouraged)
      #expect(options.userVerification == .preferred)
      #expect(options.hints.isEmpty)
      #expect(options.attestation == .none)
      #expect(options.attestationFormats == ["none"])
      #expect(options.extensions == nil)
    }
  }

  @Test(
    "residentKey counts before requireResidentKey",
    arguments: [
      (#"{"requireResidentKey":true}"#, ResidentKeyRequirement.required),
      (#"{"requireResidentKey":true,"residentKey":"new"}"#, .required),
      (#"{"requireResidentKey":true,"residentKey":"discouraged"}"#, .discouraged),
      (#"{"residentKey":"preferred"}"#, .preferred), ("{}", .discouraged),
    ])
  func residentKey(_ selection: String, _ expected: ResidentKeyRequirement) throws {
    #expect(try creation(requestText(more: #""authenticatorSelection":"# + selection)).residentKey == expected)
  }

  @Test(
    "a timeout is any number of milliseconds",
    arguments: [
      ("1", Duration.milliseconds(1)), ("-5", .zero), ("1e400", .seconds(86400)), ("-1e400", .zero),
      ("1e3", .seconds(1)),
      ("99999999999999999999", .seconds(86400)),
    ])
  func timeout(_ text: String, _ expected: Duration) throws {
    #expect(try creation(requestText(more: #""timeout":"# + text)).timeout == expected)
  }

  @Test("attestation none makes the formats none")
  func formats() throws {
    #expect(try creation(requestText(more: #""attestationFormats":["packed"]"#)).attestationFormats == ["none"])
    #expect(try creation(requestText()).attestationFormats == ["none"])
    let direct = #""attestation":"direct""#
    #expect(try creation(requestText(more: direct)).attestationFormats.isEmpty)
  }

  @Test(
    "the options are found in each envelope",
    arguments: [
      { $0 }, { #"{"publicKey":\#($0)}"# }, { #"{"fido2":\#($0),"userId":"u"}"# },
      { #"{"fido2":{"publicKey":\#($0)}}"# }, { #"{"publicKey":{"fido2":\#($0)}}"# },
      { #"{"status":"ok","errorMessage":""}"#.dropLast() + "," + $0.dropFirst() },
      { #"{"status":"ok","errorMessage":"","publicKey":\#($0)}"# },
      { #"{"publicKey":{"status":"ok","errorMessage":""}}"#.dropLast(2) + "," + $0.dropFirst() + "}" },
      { #"{"status":"failed"}"#.dropLast() + "," + $0.dropFirst() },
      { #"{"publicKey":null}"#.dropLast() + "," + $0.dropFirst() },
    ] as [@Sendable (String) -> String])
  func envelopes(_ wrap: @Sendable (String) -> String) throws {
    #expect(try creation(wrap(requestText())).userName == "alice")
  }

  @Test("a server's own failure is passed on in its words")
  func serverFailure() {
    for text in [
      #"{"status":"failed","errorMessage":"user exists already"}"#,
      #"{"publicKey":{"status":"failed","errorMessage":"user exists already"}}"#,
    ] {
      let error = failure { () throws(WebAuthnError) in try creation(text) }
      #expect(error?.kind == .serverRefused)
      #expect(error?.reason.contains("user exists already") == true)
    }
  }

  @Test("text that is not JSON is refused with line and column")
  func notJSON() {
    let error = failure { () throws(WebAuthnError) in try creation("{\n  \"rp\": nope}") }
    #expect(error?.name == .encodingError)
    #expect(error?.reason.contains("line 2, column 10") == true, "\(error?.reason ?? "")")
  }

  struct BadRequest: Sendable, CustomTestStringConvertible {
    let text: String
    let name: WebAuthnErrorName
    let words: [String]
    var testDescription: String { words.joined(separator: " … ") }

    init(_ text: String, _ name: WebAuthnErrorName, _ words: String...) {
      self.text = text
      self.name = name
      self.words = words
    }
  }

  static let badRequests = [
    BadRequest("[]", .encodingError, "The request is an array", "expected an object"),
    BadRequest("{}", .typeError, "rp is missing", "expected an object"),
    BadRequest(#"{"publicKey":1}"#, .encodingError, "publicKey is the number 1", "expected an object"),
    BadRequest(requestText(rp: "null"), .typeError, "rp is null", "expected an object"),
    BadRequest(requestText(rp: "7"), .encodingError, "rp is the number 7", "expected an object"),
    BadRequest(requestText(rp: "{}"), .typeError, "rp.name is missing", "expected a string"),
    BadRequest(requestText(rp: #"{"name":true}"#), .encodingError, "rp.name is true", "expected a string"),
    BadRequest(requestText(rp: #"{"name":"","id":5}"#), .encodingError, "rp.id is the number 5", "expected a string"),
    BadRequest(requestText(rp: #"{"name":"\ud800"}"#), .encodingError, "rp.name is a string with a lone surrogate"),
    BadRequest(requestText(rp: #"{"name":"a","name":"b"}"#), .encodingError, "rp.name is there 2 times"),
    BadRequest(requestText(user: "[]"), .encodingError, "user is an array", "expected an object"),
    BadRequest(requestText(user: "{}"), .typeError, "user.id is missing", "expected a base64url string"),
    BadRequest(
      requestText(user: #"{"id":"","name":"","displayName":""}"#), .typeError, "user.id has 0 bytes", "expected 1 to 64"
    ),
    BadRequest(
      requestText(user: #"{"id":"\#(String(repeating: "A", count: 87))","name":"","displayName":""}"#), .typeError,
      "user.id has 65 bytes", "expected 1 to 64"),
    BadRequest(
      requestText(user: #"{"id":"AA==","name":"","displayName":""}"#), .encodingError, "user.id is not base64url",
      "\"=\" at position 2"),
    BadRequest(
      requestText(user: #"{"id":"AAAAA","name":"","displayName":""}"#), .encodingError, "user.id", "5 characters"),
    BadRequest(
      requestText(user: #"{"id":"AB","name":"","displayName":""}"#), .encodingError, "user.id", "bits left over"),
    BadRequest(requestText(user: #"{"id":"AA"}"#), .typeError, "user.name is missing"),
    BadRequest(requestText(user: #"{"id":"AA","name":""}"#), .typeError, "user.displayName is missing"),
    BadRequest(requestText(challenge: "null"), .typeError, "challenge is null", "expected a base64url string"),
    BadRequest(requestText(challenge: #""a+b/""#), .encodingError, "challenge is not base64url", "\"+\" at position 1"),
    BadRequest(requestText(params: "{}"), .encodingError, "pubKeyCredParams is an object", "expected an array"),
    BadRequest(requestText(params: "[1]"), .encodingError, "pubKeyCredParams[0] is the number 1", "expected an object"),
    BadRequest(requestText(params: #"[{"alg":-7}]"#), .typeError, "pubKeyCredParams[0].type is missing"),
    BadRequest(requestText(params: #"[{"type":"public-key"}]"#), .typeError, "pubKeyCredParams[0].alg is missing"),
    BadRequest(
      requestText(params: #"[{"type":"public-key","alg":-7},{"type":"public-key","alg":1.5}]"#), .encodingError,
      "pubKeyCredParams[1].alg is the number 1.5", "expected an integer"),
    BadRequest(
      requestText(params: #"[{"type":"new","alg":-7}]"#), .notSupportedError, "pubKeyCredParams has no entry",
      "expected at least one"),
    BadRequest(
      requestText(more: #""timeout":"5""#), .encodingError, "timeout is the string \"5\"", "expected a number"),
    BadRequest(
      requestText(more: #""excludeCredentials":[{"type":"public-key"}]"#), .typeError, "excludeCredentials[0].id"),
    BadRequest(
      requestText(more: #""excludeCredentials":[{"type":"new","id":"!"}]"#), .encodingError,
      "excludeCredentials[0].id is not base64url"),
    BadRequest(
      requestText(more: #""excludeCredentials":[{"type":"public-key","id":"AA","transports":[1]}]"#), .encodingError,
      "excludeCredentials[0].transports[0] is the number 1"),
    BadRequest(
      requestText(more: #""authenticatorSelection":[]"#), .encodingError, "authenticatorSelection is an array"),
    BadRequest(
      requestText(more: #""authenticatorSelection":{"residentKey":true}"#), .encodingError,
      "authenticatorSelection.residentKey is true", "expected a string"),
    BadRequest(
      requestText(more: #""authenticatorSelection":{"requireResidentKey":"yes"}"#), .encodingError,
      "authenticatorSelection.requireResidentKey is the string \"yes\"", "expected true or false"),
    BadRequest(requestText(more: #""hints":["security-key",2]"#), .encodingError, "hints[1] is the number 2"),
    BadRequest(
      requestText(more: #""attestation":{}"#), .encodingError, "attestation is an object", "expected a string"),
    BadRequest(requestText(more: #""attestationFormats":[null]"#), .encodingError, "attestationFormats[0] is null"),
    BadRequest(requestText(more: #""extensions":true"#), .encodingError, "extensions is true", "expected an object"),
  ]

  @Test("each fault is named by its path, what was found and what was expected", arguments: badRequests)
  func bad(_ request: BadRequest) {
    let error = failure { () throws(WebAuthnError) in try creation(request.text) }
    #expect(error?.name == request.name)
    #expect(error?.kind == .badRequest)
    for word in request.words { #expect(error?.reason.contains(word) == true, "\(error?.reason ?? "accepted")") }
  }

  @Test("inside an envelope the path has the envelope's name")
  func pathInEnvelope() {
    let error = failure { () throws(WebAuthnError) in try creation(#"{"publicKey":\#(requestText(rp: "{}"))}"#) }
    #expect(error?.reason.contains("publicKey.rp.name is missing") == true)
  }
}
