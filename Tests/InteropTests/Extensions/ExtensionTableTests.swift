import BridgeTestSupport
import CBOR
import CTAPMessages
import Octets
import Testing
import VirtualKey
import WebAuthnClient

/// Each extension in both ceremonies, with a key that has it and with one that does not.
@Suite("every extension, both ceremonies")
struct ExtensionTableTests {
  struct Row: Sendable, CustomTestStringConvertible {
    let json: String
    /// What goes to a key that has everything.
    let sent: CBORMap
    /// The results with it, and with a key that has nothing.
    let results: String
    let without: String

    init(_ json: String, _ sent: CBORMap, _ results: String = "{}", without: String = "{}") {
      (self.json, self.sent, self.results, self.without) = (json, sent, results, without)
    }

    var testDescription: String { json }
  }

  private static let bare = VirtualKeyConfiguration.with { info in
    info.extensions = nil
    info.options?["largeBlobs"] = nil
    info.maxCredBlobLength = nil
  }

  /// The two keys, with what goes to them and what comes back.
  private static func keys(_ row: Row) -> [(VirtualKeyConfiguration, CBORMap, String)] {
    [(VirtualKeyConfiguration(), row.sent, row.results), (bare, CBORMap(), row.without)]
  }

  private static let registrations = [
    Row(#"{"credProps":true}"#, [:], #"{"credProps":{"rk":true}}"#, without: #"{"credProps":{"rk":true}}"#),
    Row(#"{"credProps":false}"#, [:]),
    Row(#"{"credentialProtectionPolicy":"userVerificationOptional"}"#, ["credProtect": 1]),
    Row(#"{"credentialProtectionPolicy":"userVerificationOptionalWithCredentialIDList"}"#, ["credProtect": 2]),
    Row(
      #"{"credentialProtectionPolicy":"userVerificationRequired","enforceCredentialProtectionPolicy":false}"#,
      ["credProtect": 3]),
    Row(#"{"enforceCredentialProtectionPolicy":true}"#, [:]),
    Row(#"{"minPinLength":true}"#, ["minPinLength": true]), Row(#"{"minPinLength":false}"#, [:]),
    Row(#"{"pinComplexityPolicy":true}"#, ["pinComplexityPolicy": true]),
    Row(#"{"pinComplexityPolicy":false}"#, [:]),
    Row(
      #"{"credBlob":"AQID"}"#, ["credBlob": .bytes([1, 2, 3])], #"{"credBlob":true}"#, without: #"{"credBlob":false}"#),
    Row(#"{"credBlob":""}"#, ["credBlob": .bytes([])], #"{"credBlob":true}"#, without: #"{"credBlob":false}"#),
    Row(
      #"{"hmacCreateSecret":true}"#, ["hmac-secret": true], #"{"hmacCreateSecret":true}"#,
      without: #"{"hmacCreateSecret":false}"#),
    Row(#"{"hmacCreateSecret":false}"#, [:]),
    Row(#"{"prf":{}}"#, ["hmac-secret": true], #"{"prf":{"enabled":true}}"#, without: #"{"prf":{"enabled":false}}"#),
    Row(
      #"{"largeBlob":{}}"#, ["largeBlobKey": true], #"{"largeBlob":{"supported":true}}"#,
      without: #"{"largeBlob":{"supported":false}}"#),
    Row(
      #"{"largeBlob":{"support":"preferred"}}"#, ["largeBlobKey": true], #"{"largeBlob":{"supported":true}}"#,
      without: #"{"largeBlob":{"supported":false}}"#),
    Row(#"{"payment":{"isPayment":true}}"#, ["thirdPartyPayment": true]),
    Row(#"{"payment":{"isPayment":false}}"#, [:]), Row(#"{"payment":{}}"#, [:]),
    // Extensions of authentications, dropped ones, and those that nobody knows.
    Row(
      #"{"getCredBlob":true,"hmacGetSecret":{"salt1":"AA"},"uvm":true,"devicePubKey":{},"unheardOf":{"a":[1]}}"#, [:]),
  ]

  @Test("registration: what goes to the key and what comes back", arguments: registrations)
  func registration(_ row: Row) async throws {
    for (key, sent, results) in Self.keys(row) {
      let (desk, port, wire) = try Desk.watched(key)
      let response = try await desk.register(request(residentKey: "required", extensions: row.json))
      #expect(try response.results == results)
      #expect(try wire.extensions("makeCredential") ?? [:] == sent)
      #expect(port.commands == [.getInfo, .makeCredential])
      #expect(!desk.person.heard.contains { $0.hasPrefix("warning") })
    }
  }

  private static let authentications = [
    Row(#"{"getCredBlob":true}"#, ["credBlob": true], #"{"getCredBlob":"AQID"}"#),
    Row(#"{"getCredBlob":false}"#, [:]),
    Row(#"{"prf":{"eval":{"first":"AA"}}}"#, [:], #"{"prf":{}}"#, without: #"{"prf":{}}"#),
    Row(
      #"{"largeBlob":{"read":true}}"#, ["largeBlobKey": true], #"{"largeBlob":{}}"#, without: #"{"largeBlob":{}}"#),
    Row(#"{"largeBlob":{"read":false}}"#, [:]), Row(#"{"largeBlob":{}}"#, [:]),
    Row(
      #"{"largeBlob":{"write":"AQ"}}"#, ["largeBlobKey": true], #"{"largeBlob":{"written":true}}"#,
      without: #"{"largeBlob":{"written":false}}"#),
    Row(#"{"payment":{"isPayment":true}}"#, ["thirdPartyPayment": true]),
    Row(#"{"payment":{"isPayment":false}}"#, [:]),
    Row(
      #"{"credProps":true,"credBlob":"AQ","minPinLength":true,"pinComplexityPolicy":true,"hmacCreateSecret":true,"#
        + #""credentialProtectionPolicy":"userVerificationRequired","uvm":true,"unheardOf":1}"#, [:]),
  ]

  @Test("authentication: what goes to the key and what comes back", arguments: authentications)
  func authentication(_ row: Row) async throws {
    for (key, sent, results) in Self.keys(row) {
      let (desk, port, wire) = try Desk.watched(key)
      let made = try await desk.register(
        request(
          residentKey: "required",
          extensions: #"{"credBlob":"AQID","prf":{},"largeBlob":{},"payment":{"isPayment":true}}"#))
      port.clearLog()
      wire.clear()
      let response = try await desk.authenticate(signIn([made.credentialID], extensions: row.json))
      #expect(try response.results == results)
      #expect(try wire.extensions("getAssertion") ?? [:] == sent)
      #expect(port.commands.filter { $0 != .largeBlobs } == [.getInfo, .getAssertion])
      #expect(port.commands.contains(.largeBlobs) == (sent["largeBlobKey"] != nil))
    }
  }

  @Test("what the key says of PIN policy and payments is in the authenticator data")
  func told() async throws {
    var configuration = VirtualKeyConfiguration.with { $0.pinComplexityPolicy = true }
    configuration.minimumPINLengthRPIDs = ["example.org"]
    let (desk, _, _) = try Desk.watched(configuration)
    let made = try await desk.register(
      request(extensions: #"{"pinComplexityPolicy":true,"minPinLength":true,"payment":{"isPayment":true}}"#))
    #expect(made.attestation.authData.extensions == ["pinComplexityPolicy": true, "minPinLength": 4])
    let payment = #"{"payment":{"isPayment":true}}"#
    let marked = try await desk.authenticate(signIn([made.credentialID], extensions: payment))
    #expect(marked.authenticatorData.extensions == ["thirdPartyPayment": true])
    let plain = try await desk.register(request(account: "bob", id: [7]))
    let unmarked = try await desk.authenticate(signIn([plain.credentialID], extensions: payment))
    #expect(unmarked.authenticatorData.extensions == ["thirdPartyPayment": false])
  }

  // MARK: Malformed members

  private static let malformed: [(json: String, path: String)] = [
    (#"{"credProps":1}"#, "credProps is the number 1"), (#"{"credProps":null}"#, "credProps is null"),
    (#"{"credentialProtectionPolicy":"always"}"#, "credentialProtectionPolicy is the string"),
    (#"{"credentialProtectionPolicy":3}"#, "credentialProtectionPolicy is the number 3"),
    (
      #"{"credentialProtectionPolicy":"userVerificationRequired","enforceCredentialProtectionPolicy":"yes"}"#,
      "enforceCredentialProtectionPolicy is the string"
    ), (#"{"minPinLength":"true"}"#, "minPinLength is the string"),
    (#"{"pinComplexityPolicy":1}"#, "pinComplexityPolicy is the number 1"),
    (#"{"credBlob":"A="}"#, "credBlob is the string"), (#"{"credBlob":[1]}"#, "credBlob is an array"),
    (#"{"hmacCreateSecret":{}}"#, "hmacCreateSecret is an object"), (#"{"prf":[]}"#, "prf is an array"),
    (#"{"prf":{"eval":{"first":7}}}"#, "prf.eval.first is the number 7"),
    (#"{"largeBlob":true}"#, "largeBlob is true"),
    (#"{"largeBlob":{"support":1}}"#, "largeBlob.support is the number 1"),
    (#"{"payment":true}"#, "payment is true"), (#"{"payment":{"isPayment":"x"}}"#, "payment.isPayment is the string"),
    (#"{"pass":{"a":1,"a":2}}"#, "pass.a is there twice"),
    (#"{"pass":{"$base64url":"="}}"#, "pass.$base64url is the string"),
  ]

  @Test("registration: a malformed member is ignored with its path, or refuses the request", arguments: malformed)
  func malformedRegistration(_ json: String, _ path: String) async throws {
    try await check(path) { desk in
      _ = try await desk.register(request(extensions: json))
      return "makeCredential"
    }
  }

  private static let malformedSignIn: [(json: String, path: String)] = [
    (#"{"getCredBlob":"yes"}"#, "getCredBlob is the string"), (#"{"prf":1}"#, "prf is the number 1"),
    (#"{"hmacGetSecret":{"salt1":"AA"}}"#, "hmacGetSecret.salt1 has 1 bytes"),
    (#"{"largeBlob":[]}"#, "largeBlob is an array"), (#"{"largeBlob":{"read":1}}"#, "largeBlob.read is the number 1"),
    (#"{"largeBlob":{"write":"="}}"#, "largeBlob.write is the string"),
    (#"{"largeBlob":{"write":{}}}"#, "largeBlob.write is an object"),
    (#"{"payment":1}"#, "payment is the number 1"), (#"{"payment":{"isPayment":[]}}"#, "payment.isPayment is an array"),
    (#"{"pass":[[[1]]]}"#, "pass[0][0] is an array too deep"),
  ]

  @Test(
    "authentication: a malformed member is ignored with its path, or refuses the request", arguments: malformedSignIn)
  func malformedAuthentication(_ json: String, _ path: String) async throws {
    try await check(path) { desk in
      let made = try await desk.register(request())
      _ = try await desk.authenticate(signIn([made.credentialID], extensions: json))
      return "getAssertion"
    }
  }

  private func check(_ path: String, _ run: (Desk) async throws -> String) async throws {
    var configuration = VirtualKeyConfiguration()
    configuration.echoExtensions = [EchoExtension("pass")]
    var (desk, _, wire) = try Desk.watched(configuration)
    desk.extensions.append(try PassedExtension("pass"))
    #expect(try wire.extensions(await run(desk)) == nil)
    #expect(
      desk.person.heard.contains { $0.hasPrefix("warning") && $0.contains("extensions.\(path)") },
      "\(desk.person.heard)")
    desk.options.strictExtensions = true
    let error = await #expect(throws: WebAuthnError.self) { _ = try await run(desk) }
    #expect(error?.name == .encodingError && error?.reason.contains("extensions.\(path)") == true)
  }

  @Test(
    "largeBlob in the wrong ceremony, or for no single credential, is NotSupportedError with the path",
    arguments: [
      (true, #"{"read":true}"#, "read"), (true, #"{"write":"AA"}"#, "write"), (true, #"{"read":false}"#, "read"),
      (false, #"{"support":"preferred"}"#, "support"), (false, #"{"read":true,"write":"AA"}"#, "write"),
      (false, #"{"read":false,"write":"AA"}"#, "write"),
    ])
  func misplaced(_ isRegistration: Bool, _ json: String, _ member: String) async throws {
    let (desk, key, _) = try Desk.watched()
    let extensions = #"{"largeBlob":\#(json)}"#
    let error =
      isRegistration
      ? try await desk.failure(request(extensions: extensions))
      : try await desk.signInFailure(signIn([[1, 2, 3]], extensions: extensions))
    #expect(error.name == .notSupportedError && error.reason.contains("extensions.largeBlob.\(member)"))
    #expect(key.commands.isEmpty)
    for list in [nil, [[1], [2]]] as [[[UInt8]]?] {
      let error = try await desk.signInFailure(signIn(list, extensions: #"{"largeBlob":{"write":"AA"}}"#))
      #expect(error.name == .notSupportedError && error.reason.contains("extensions.largeBlob.write"))
    }
  }

  // MARK: Never unless asked

  @Test("a plain request sends no extension to a key that has them all", arguments: [nil, "1234"])
  func plain(_ pin: String?) async throws {
    var configuration = VirtualKeyConfiguration.with(pin: pin) { $0.extensions?.append("largeBlob") }
    configuration.echoExtensions = [EchoExtension("one"), EchoExtension("two", .unsigned)]
    var (desk, key, wire) = try Desk.watched(configuration, pins: ["1234", "1234", "1234"])
    desk.extensions += [try PassedExtension("one"), try PassedExtension("two")]
    let verification = pin == nil ? "discouraged" : "required"
    let made = try await desk.register(request(residentKey: "required", verification: verification))
    #expect(try wire.extensions("makeCredential") == nil)
    #expect(try made.results == "{}")
    #expect(made.attestation.authData.extensions == nil)
    for list in [nil, [made.credentialID]] {
      let response = try await desk.authenticate(signIn(list, verification: verification))
      #expect(try wire.extensions("getAssertion") == nil)
      #expect(try response.results == "{}")
    }
    let sent = Set(key.commands)
    #expect(
      sent
        == (pin == nil
          ? [.getInfo, .makeCredential, .getAssertion] : [.getInfo, .clientPIN, .makeCredential, .getAssertion]))
    #expect(wire.permissions.allSatisfy { $0 == .makeCredential || $0 == .getAssertion })
  }
}
