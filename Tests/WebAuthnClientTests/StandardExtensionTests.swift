import CBOR
import CTAPMessages
import JSONText
import Testing

@testable import WebAuthnClient

struct StandardExtensionTests {
  /// What goes to the key for a request's `extensions`, in canonical order.
  private func inputs(_ json: String, _ key: AuthenticatorInfo) throws -> CBORMap {
    var map = CBORMap()
    for work in try works(StandardExtensions.all, json).works {
      for (name, value) in work.authenticatorInputs(for: key, residentKey: false) { map[name] = value }
    }
    return map
  }

  private func outputs(_ json: String, _ created: NewCredential) throws -> String {
    text(try works(StandardExtensions.all, json).works.flatMap { try $0.outputs(for: created) })
  }

  private let knowing = authenticator(extensions: ["credProtect", "minPinLength", "credBlob", "hmac-secret"])

  @Test("each extension sends its input to a key that knows it, and nothing to one that does not")
  func toTheKey() throws {
    let json = #"""
      {"credProps":true,"credentialProtectionPolicy":"userVerificationRequired","minPinLength":true,"credBlob":"AQID",
      "prf":{"eval":{"first":"AAAA"}},"unknown":{"a":1}}
      """#
    #expect(
      try inputs(json, knowing)
        == ["credProtect": 3, "minPinLength": true, "credBlob": .bytes([1, 2, 3]), "hmac-secret": true])
    #expect(try inputs(json, authenticator()).isEmpty)
    #expect(try inputs(#"{"hmacCreateSecret":true}"#, knowing) == ["hmac-secret": true])
    #expect(
      try inputs(#"{"credentialProtectionPolicy":"userVerificationOptionalWithCredentialIDList"}"#, knowing)
        == ["credProtect": 2])
    #expect(try inputs(#"{"credentialProtectionPolicy":"userVerificationOptional"}"#, knowing) == ["credProtect": 1])
  }

  @Test("a blob that the key cannot hold is not sent, and the answer is no")
  func blobTooLong() throws {
    let key = authenticator(extensions: ["credBlob"]) { $0.maxCredBlobLength = 2 }
    #expect(try inputs(#"{"credBlob":"AQID"}"#, key).isEmpty)
    #expect(try outputs(#"{"credBlob":"AQID"}"#, try credential(on: key)) == #"{"credBlob":false}"#)
    #expect(try inputs(#"{"credBlob":"AQI"}"#, key) == ["credBlob": .bytes([1, 2])])
  }

  @Test("the outputs say what the key did, in a fixed order")
  func outputs() throws {
    let json = #"{"hmacCreateSecret":true,"prf":{},"credBlob":"AQ","credProps":true,"minPinLength":true}"#
    let yes = try credential(on: knowing, residentKey: true, outputs: ["credBlob": true, "hmac-secret": true])
    #expect(
      try outputs(json, yes)
        == #"{"credProps":{"rk":true},"credBlob":true,"prf":{"enabled":true},"hmacCreateSecret":true}"#)
    let no = try credential(on: knowing)
    #expect(
      try outputs(json, no)
        == #"{"credProps":{"rk":false},"credBlob":false,"prf":{"enabled":false},"hmacCreateSecret":false}"#)
    let odd = try credential(on: knowing, outputs: ["credBlob": 1, "hmac-secret": .text("yes")])
    #expect(try outputs(json, odd) == (try outputs(json, no)))
  }

  @Test("of a CTAP 2.0 key it cannot be said that a credential is not discoverable")
  func credPropsOfOldKey() throws {
    let old = authenticator(versions: ["FIDO_2_0"])
    #expect(try outputs(#"{"credProps":true}"#, try credential(on: old)) == #"{"credProps":{}}"#)
    #expect(
      try outputs(#"{"credProps":true}"#, try credential(on: old, residentKey: true)) == #"{"credProps":{"rk":true}}"#)
  }

  @Test("what is false or absent is not asked for")
  func notRequested() throws {
    for json in [
      #"{"credProps":false,"minPinLength":false,"hmacCreateSecret":false}"#, "{}",
      #"{"enforceCredentialProtectionPolicy":true}"#,
    ] {
      let (works, warnings) = try works(StandardExtensions.all, json)
      #expect(works.isEmpty)
      #expect(warnings.isEmpty)
    }
  }

  @Test(
    "an input that cannot be read is ignored with a warning, and refused in strict mode",
    arguments: [
      (#"{"credProps":1}"#, "extensions.credProps is the number 1; expected true or false"),
      (#"{"credProps":null}"#, "extensions.credProps is null"),
      (#"{"minPinLength":"yes"}"#, "extensions.minPinLength is the string \"yes\""),
      (#"{"credBlob":"A"}"#, "extensions.credBlob is the string \"A\"; expected a base64url string"),
      (#"{"credBlob":[1]}"#, "extensions.credBlob is an array"),
      (#"{"prf":true}"#, "extensions.prf is true; expected an object"),
      (#"{"hmacCreateSecret":{}}"#, "extensions.hmacCreateSecret is an object"),
      (#"{"credentialProtectionPolicy":"strong"}"#, "credentialProtectionPolicy is the string \"strong\""),
      (#"{"credentialProtectionPolicy":3}"#, "credentialProtectionPolicy is the number 3"),
      (
        #"{"credentialProtectionPolicy":"userVerificationRequired","enforceCredentialProtectionPolicy":1}"#,
        "enforceCredentialProtectionPolicy is the number 1"
      ),
    ])
  func malformed(_ json: String, _ words: String) throws {
    let (works, warnings) = try works(StandardExtensions.all, json)
    #expect(works.isEmpty)
    #expect(warnings.count == 1)
    #expect(warnings.first?.contains(words) == true, "\(warnings)")
    let error = failure { () throws(WebAuthnError) in
      try WebAuthnClientTests.works(StandardExtensions.all, json, strict: true)
    }
    #expect(error?.name == .encodingError)
    #expect(error?.reason.contains(words) == true)
  }

  @Test("an extension that is there twice refuses the request; an unknown one that is there twice does not")
  func duplicates() throws {
    let error = failure { () throws(WebAuthnError) in
      try works(StandardExtensions.all, #"{"credProps":true,"credProps":false}"#)
    }
    #expect(error?.reason.contains("extensions.credProps is there 2 times") == true)
    #expect(try works(StandardExtensions.all, #"{"new":1,"new":2}"#).works.isEmpty)
  }

  @Test("an extension that a client is given twice works once")
  func givenTwice() throws {
    let twice = StandardExtensions.all + StandardExtensions.all
    #expect(try works(twice, #"{"credProps":true}"#).works.count == 1)
  }

  @Test("evalByCredential has no place in a registration")
  func evalByCredential() {
    let error = failure { () throws(WebAuthnError) in
      try works(StandardExtensions.all, #"{"prf":{"evalByCredential":{}}}"#)
    }
    #expect(error?.name == .notSupportedError)
    #expect(error?.reason.contains("extensions.prf.evalByCredential") == true)
  }

  @Test("an enforced protection leaves out keys that do not know it, and a key that gave less")
  func enforcedProtection() throws {
    let json = #"{"credentialProtectionPolicy":"userVerificationRequired","enforceCredentialProtectionPolicy":true}"#
    let work = try #require(works(StandardExtensions.all, json).works.first)
    #expect(work.objection(to: authenticator())?.contains("protect") == true)
    #expect(work.objection(to: knowing) == nil)
    for outputs in [nil, ["credProtect": 2], ["credProtect": true]] as [CBORMap?] {
      #expect(throws: ExtensionObjection.self) { try work.outputs(for: try credential(outputs: outputs)) }
    }
    #expect(try work.outputs(for: try credential(outputs: ["credProtect": 3])).isEmpty)
    for lenient in [
      #"{"credentialProtectionPolicy":"userVerificationOptional","enforceCredentialProtectionPolicy":true}"#,
      #"{"credentialProtectionPolicy":"userVerificationRequired","enforceCredentialProtectionPolicy":false}"#,
      #"{"credentialProtectionPolicy":"userVerificationRequired"}"#,
    ] {
      let work = try #require(works(StandardExtensions.all, lenient).works.first)
      #expect(work.objection(to: authenticator()) == nil)
      #expect(try work.outputs(for: try credential()).isEmpty)
    }
  }

  @Test("an extension may read only the members that it declares")
  func members() throws {
    let inputs = ExtensionInputs(try JSONValue.parse(#"{"a":1,"b":2}"#), names: ["a"])
    #expect(inputs["a"]?.integerValue == 1)
    #expect(inputs["b"] == nil)
    #expect(inputs["c"] == nil)
  }

  @Test("an extension that says nothing takes no part")
  func silent() async throws {
    struct Silent: ClientExtension {
      let identifier = "silent"
    }
    struct Idle: RegistrationExtension {}
    #expect(try works([Silent()], #"{"silent":true}"#).works.isEmpty)
    var idle = Idle()
    try await idle.prepare(for: knowing, asking: NoInteraction())
    #expect(idle.objectionToEveryKey() == nil)
    #expect(idle.objection(to: knowing) == nil)
    #expect(idle.authenticatorInputs(for: knowing, residentKey: false).isEmpty)
    #expect(try idle.outputs(for: try credential()).isEmpty)
  }
}
