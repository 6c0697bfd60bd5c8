import BridgeTestSupport
import CTAPMessages
import FIDOCrypto
import JSONText
import Octets
import Testing
import VirtualKey
import WebAuthnClient

/// Register, then sign in, on the same key.
struct AuthenticationTests {
  @Test(
    "a credential of each algorithm signs in, discoverable or not, and its signature verifies",
    arguments: [-7, -8, -35, -36, -257], [false, true])
  func algorithms(_ algorithm: Int, _ discoverable: Bool) async throws {
    let desk = Desk()
    let key = try desk.key()
    let registration = try await desk.register(
      request(
        params: #"[{"type":"public-key","alg":\#(algorithm)}]"#, residentKey: discoverable ? "required" : "discouraged")
    )
    key.clearLog()
    let response = try await desk.authenticate(signIn(discoverable ? nil : [registration.credentialID]))
    #expect(response.credentialID == registration.credentialID)
    #expect(try response.verifies(with: registration))
    #expect(response.userHandle == (discoverable ? [1, 2, 3, 4] : nil))
    #expect(key.commands == [.getInfo, .getAssertion])
    #expect(desk.person.heard.contains("selected virtual"))
  }

  @Test("the response has its members in their order, and they agree with each other")
  func members() async throws {
    let desk = Desk()
    try desk.key()
    let registration = try await desk.register(request(residentKey: "required"))
    let response = try await desk.authenticate(signIn())
    let json = try response.parsed
    #expect(
      json.members?.map(\.name) == [
        "id", "rawId", "type", "authenticatorAttachment", "response", "clientExtensionResults",
      ])
    #expect(
      json["response"]?.members?.map(\.name) == ["clientDataJSON", "authenticatorData", "signature", "userHandle"])
    #expect(json["id"]?.stringValue == Base64URL.encode(registration.credentialID))
    #expect(json["rawId"]?.stringValue == json["id"]?.stringValue)
    #expect(json["type"]?.stringValue == "public-key")
    #expect(json["authenticatorAttachment"]?.stringValue == "cross-platform")
    #expect(json["clientExtensionResults"]?.members?.isEmpty == true)
    #expect(
      String(decoding: try response.member("clientDataJSON"), as: UTF8.self)
        == #"{"type":"webauthn.get","challenge":"DwAOAQ0CDAMLBAoFCQYIBw","origin":"https://example.org","crossOrigin":false}"#
    )
    let data = try AuthenticatorData.parse(try response.member("authenticatorData"))
    #expect(data.rpIDHash == Digest.sha256(Array("example.org".utf8)))
    #expect(data.flags == [.userPresent])
    #expect(data.attestedCredential == nil)
    // Another credential's key does not verify it.
    let other = try await desk.register(request(residentKey: "discouraged"))
    #expect(try !response.verifies(with: other))
  }

  @Test(
    "the signature counter and the backup flags are passed on as the key has them", arguments: BackupPolicy.allCases)
  func counterAndBackup(_ backup: BackupPolicy) async throws {
    var desk = Desk()
    desk.policy.syncable = [VirtualKeyProfile.standardAAGUID]
    let key = try desk.key("virtual", .with(backup: backup))
    let registration = try await desk.register(request())
    var counters = [registration.attestation.authData.signCount]
    for _ in 0..<3 {
      let response = try await desk.authenticate(signIn([registration.credentialID]))
      counters.append(response.authenticatorData.signCount)
      #expect(response.authenticatorData.flags.contains(.backupEligible) == (backup != .none))
      #expect(response.authenticatorData.flags.contains(.backedUp) == (backup == .backedUp))
    }
    #expect(zip(counters, counters.dropFirst()).allSatisfy { $0 < $1 })
    let signed = key.log.compactMap { if case .signed(_, _, let counter) = $0.event { counter } else { nil } }
    #expect(Array(counters.dropFirst()) == signed)
  }

  @Test("a subdomain may sign in for its registrable parent, and a foreign site may not")
  func origins() async throws {
    let desk = Desk()
    let key = try desk.key()
    let registration = try await desk.register(request())
    let request = signIn([registration.credentialID])
    #expect(
      try await desk.authenticate(request, origin: "https://login.example.org").verifies(with: registration))
    key.clearLog()
    let error = try await desk.signInFailure(request, origin: "https://example.com")
    #expect(error.name == .securityError)
    #expect(key.commands.isEmpty)
  }

  @Test("the challenge token comes back byte for byte, and the key gets nothing of it")
  func challengeToken() async throws {
    let desk = Desk()
    let key = try desk.key()
    let registration = try await desk.register(request())
    func size(_ extensions: String) async throws -> (Int?, AuthenticationResponse) {
      key.clearLog()
      let response = try await desk.authenticate(signIn([registration.credentialID], extensions: extensions))
      let sizes = key.log.compactMap { if case .command(2, _, let size) = $0.event { size } else { nil } }
      return (sizes.first, response)
    }
    for token in [#"{ "a":1.0, "a":2,"b":1e400,"c":"\ud800" }"#, "null", "[ 10000000000000000000000 ]"] {
      let (with, response) = try await size("{\"thalesgroup_chl_tkn_ext_v1\" : \(token) }")
      let expected = Array("\"clientExtensionResults\":{\"thalesgroup_chl_tkn_ext_v1\":\(token)}".utf8)
      #expect(response.json().suffix(expected.count + 1).dropLast().elementsEqual(expected))
      #expect(try await size("{}").0 == with)
    }
    // The other two are for registrations.
    let rest = #"{"thalesgroup_ext_v1":true,"thalesgroup_client_ext_v1":{"clientType":1}}"#
    #expect(try await size(rest).1.results == "{}")
    #expect(desk.person.heard.filter { $0 == "name" }.isEmpty)
  }

  @Test("an app's own extension takes part through the same door")
  func ownExtension() async throws {
    var desk = Desk()
    desk.extensions.append(OwnExtension())
    try desk.key()
    let registration = try await desk.register(request())
    let response = try await desk.authenticate(
      signIn([registration.credentialID], extensions: #"{"own":"hello"}"#))
    #expect(try response.results == #"{"own":{"said":"hello","counter":2}}"#)
    let error = try await desk.signInFailure(
      signIn([registration.credentialID], extensions: #"{"own":"refuse"}"#))
    #expect(error.kind == .extensionFailed)
    #expect(error.reason.contains("it does not like it"))
  }

  @Test("a credential's blob is read where the key stored one")
  func blob() async throws {
    let desk = Desk()
    try desk.key()
    let registration = try await desk.register(
      request(residentKey: "required", extensions: #"{"credBlob":"AQID"}"#))
    let response = try await desk.authenticate(signIn(extensions: #"{"getCredBlob":true}"#))
    #expect(try response.results == #"{"getCredBlob":"AQID"}"#)
    #expect(try response.verifies(with: registration))
    #expect(try await desk.authenticate(signIn(extensions: #"{"getCredBlob":false}"#)).results == "{}")
  }
}

/// An extension that an app might write.
private struct OwnExtension: ClientExtension {
  var identifier: String { "own" }

  func authentication(
    _ inputs: ExtensionInputs, _ request: AuthenticationRequest
  ) throws(WebAuthnError) -> ExtensionReading<any AuthenticationExtension> {
    guard let text = inputs[identifier]?.stringValue else { return .malformed("own is no string") }
    return .honoured(Work(text: text))
  }

  struct Work: AuthenticationExtension {
    let text: String

    func outputs(for assertion: SignedAssertion) throws(ExtensionObjection) -> [ExtensionOutput] {
      if text == "refuse" { throw ExtensionObjection("it does not like it") }
      return [
        ExtensionOutput(
          "own", ["said": .string(text), "counter": .int(Int(assertion.authenticatorData.signCount))])
      ]
    }
  }
}
