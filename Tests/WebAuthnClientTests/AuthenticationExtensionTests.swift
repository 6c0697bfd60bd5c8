import CBOR
import CTAPMessages
import JSONText
import Octets
import Testing

@testable import WebAuthnClient

struct AuthenticationExtensionTests {
  /// The extensions at work for a request's `extensions`, and the warnings.
  private func works(
    _ json: String, allow: String = "[]", strict: Bool = false
  ) throws(WebAuthnError) -> (works: [any AuthenticationExtension], warnings: [String]) {
    var warnings: [String] = []
    let text = "{\"challenge\":\"AA\",\"allowCredentials\":\(allow),\"extensions\":\(json)}"
    let request = AuthenticationRequest(
      options: try AuthenticationOptions(parsing: Array(text.utf8)), relyingPartyID: "example.org",
      origin: try Origin("https://example.org"), policy: AuthenticatorPolicy())
    let works = try ExtensionDoor(StandardExtensions.all, strict: strict).open(request) { warnings.append($0) }
    return (works, warnings)
  }

  @Test("prf makes its salts, and names its results, as in the W3C vectors", arguments: 0..<3)
  func published(_ index: Int) throws {
    let vector = try #require(try vectors("prf-hmac-secret")["cases"]?.elements)[index]
    var eval = "\"first\":\"\(Base64URL.encode(try vector.hex("prf_eval_first")))\""
    var salts = try vector.hex("salt1")
    var outputs = try vector.hex("output1")
    var results = "\"first\":\"\(Base64URL.encode(try vector.hex("prf_results_first")))\""
    if vector["salt2"] != nil {
      eval += ",\"second\":\"\(Base64URL.encode(try vector.hex("prf_eval_second")))\""
      salts += try vector.hex("salt2")
      outputs += try vector.hex("output2")
      results += ",\"second\":\"\(Base64URL.encode(try vector.hex("prf_results_second")))\""
    }
    let work = try #require(try works("{\"prf\":{\"eval\":{\(eval)}}}").works.first)
    let key = authenticator(extensions: ["hmac-secret"])
    #expect(work.wantsVerification(on: key))
    #expect(work.secretSalts(for: key, credentialID: nil, verified: true)?.exposed() == salts)
    #expect(work.secretSalts(for: key, credentialID: nil, verified: false) == nil)
    let assertion = SignedAssertion(
      authenticator: key,
      authenticatorData: try AuthenticatorData(
        rpIDHash: [UInt8](repeating: 0, count: 32), flags: [.userPresent, .userVerified], signCount: 0),
      credentialID: [1], secrets: SecretBytes(outputs))
    #expect(text(try work.outputs(for: assertion)) == "{\"prf\":{\"results\":{\(results)}}}")
  }

  private let list = #"[{"type":"public-key","id":"AQID"},{"type":"public-key","id":"BAUG"}]"#

  @Test("evalByCredential is chosen by the credential, and eval stands in for the others")
  func byCredential() throws {
    let json = #"{"prf":{"eval":{"first":"AA"},"evalByCredential":{"AQID":{"first":"AQ"}}}}"#
    let work = try #require(try works(json, allow: list).works.first)
    let key = authenticator(extensions: ["hmac-secret"])
    func salts(_ id: [UInt8]?) -> [UInt8]? {
      work.secretSalts(for: key, credentialID: id, verified: true)?.exposed()
    }
    #expect(work.dependsOnCredential)
    #expect(salts([1, 2, 3]) != salts([4, 5, 6]))
    #expect(salts([4, 5, 6]) == salts(nil))
    #expect(salts([1, 2, 3])?.count == 32)
  }

  @Test(
    "evalByCredential that names no allowed credential refuses the request",
    arguments: [
      (#"{"prf":{"evalByCredential":{"AQID":{"first":"AQ"}}}}"#, "[]", WebAuthnErrorName.notSupportedError),
      (#"{"prf":{"evalByCredential":{"":{"first":"AQ"}}}}"#, nil, .syntaxError),
      (#"{"prf":{"evalByCredential":{"A=":{"first":"AQ"}}}}"#, nil, .syntaxError),
      (#"{"prf":{"evalByCredential":{"BwgJ":{"first":"AQ"}}}}"#, nil, .syntaxError),
    ] as [(String, String?, WebAuthnErrorName)])
  func refused(_ json: String, _ allow: String?, _ name: WebAuthnErrorName) {
    let error = failure { () throws(WebAuthnError) in _ = try self.works(json, allow: allow ?? self.list) }
    #expect(error?.name == name)
    #expect(error?.reason.contains("extensions.prf.evalByCredential") == true)
  }

  @Test(
    "what cannot be read is ignored with a warning, or refused in strict mode",
    arguments: [
      (#"{"prf":true}"#, "extensions.prf is true"), (#"{"prf":{"eval":{}}}"#, "extensions.prf.eval.first is missing"),
      (#"{"prf":{"eval":{"first":"A="}}}"#, "extensions.prf.eval.first"),
      (#"{"prf":{"eval":{"first":"AA","second":1}}}"#, "extensions.prf.eval.second is the number 1"),
      (#"{"prf":{"evalByCredential":[]}}"#, "extensions.prf.evalByCredential is an array"),
      (#"{"hmacGetSecret":{"salt1":"AA"}}"#, "extensions.hmacGetSecret.salt1 has 1 bytes; expected 32"),
      (#"{"hmacGetSecret":{}}"#, "extensions.hmacGetSecret.salt1 is missing"),
      (#"{"hmacGetSecret":{},"prf":{}}"#, "beside extensions.prf"),
      (#"{"getCredBlob":1}"#, "extensions.getCredBlob is the number 1"),
    ])
  func malformed(_ json: String, _ warning: String) throws {
    let (works, warnings) = try works(json, allow: list)
    #expect(works.isEmpty)
    #expect(warnings.count == 1)
    #expect(warnings.first?.contains(warning) == true, "\(warnings)")
    let error = failure { () throws(WebAuthnError) in _ = try self.works(json, allow: self.list, strict: true) }
    #expect(error?.name == .encodingError)
  }

  @Test("members that are for registrations do nothing here")
  func otherPhase() throws {
    let json = """
      {"credProps":true,"credBlob":"AA","hmacCreateSecret":true,"minPinLength":true,
      "credentialProtectionPolicy":"userVerificationRequired","getCredBlob":false}
      """
    let (works, warnings) = try works(json)
    #expect(works.isEmpty)
    #expect(warnings.isEmpty)
  }
}
