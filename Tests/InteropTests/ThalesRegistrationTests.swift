import BridgeTestSupport
import CTAPHID
import CTAPMessages
import Testing
import VirtualKey
import WebAuthnClient

/// The Thales results, from a request to a response.
struct ThalesRegistrationTests {
  private let all = #"""
    {"thalesgroup_ext_v1":true,"thalesgroup_client_ext_v1":{"clientType":-1},"thalesgroup_chl_tkn_ext_v1":"t"}
    """#

  @Test("the response has exactly the three results, and the key got none of them")
  func three() async throws {
    let desk = Desk()
    let key = try desk.key()
    let response = try await desk.register(request(extensions: all))
    #expect(
      try response.results
        == #"{"thalesgroup_ext_v1":{"authenticatorDescription":{"friendlyName":"Desk"}},"thalesgroup_client_ext_v1":{"clientType":2},"thalesgroup_chl_tkn_ext_v1":"t"}"#
    )
    #expect(response.attestation.authData.extensions == nil)
    // The same request without extensions has the same size on the wire.
    func size(_ extensions: String) async throws -> Int? {
      key.clearLog()
      _ = try await desk.register(request(extensions: extensions))
      return key.log.compactMap { entry -> Int? in
        if case .command(1, _, let size) = entry.event { size } else { nil }
      }.first
    }
    #expect(try await size(all) == size("{}"))
  }

  @Test("the token's bytes survive, white space inside it too")
  func token() async throws {
    for token in [
      #"{"a":1.0,"a":2,"b":1e400,"c":"\ud800","n":10000000000000000000000}"#,
      "{ \"a\":1.0,\n\t\"a\": 2, \"b\":1e400,\r\n\"c\":\"\\ud800\",\"n\":10000000000000000000000 }",
    ] {
      let desk = Desk()
      try desk.key()
      let response = try await desk.register(
        request(extensions: "{\"thalesgroup_chl_tkn_ext_v1\" : \(token) }"))
      let expected = Array("\"clientExtensionResults\":{\"thalesgroup_chl_tkn_ext_v1\":\(token)}".utf8)
      #expect(response.json().suffix(expected.count + 1).dropLast().elementsEqual(expected))
    }
  }

  @Test("the client type is the credential's, and a syncable one is made where the model is declared")
  func syncable() async throws {
    for backup in [BackupPolicy.eligible, .backedUp] {
      var desk = Desk()
      desk.policy.syncable = [VirtualKeyProfile.standardAAGUID]
      try desk.key("virtual", .with(backup: backup))
      let response = try await desk.register(
        request(extensions: #"{"thalesgroup_client_ext_v1":{"clientType":1}}"#))
      #expect(try response.results == #"{"thalesgroup_client_ext_v1":{"clientType":1}}"#)
    }
  }

  @Test(
    "a credential of the wrong type is an error that names it", arguments: [(1, BackupPolicy.none), (2, .eligible)])
  func mismatch(_ type: Int, _ backup: BackupPolicy) async throws {
    var desk = Desk()
    desk.policy.syncable = [VirtualKeyProfile.standardAAGUID]
    let key = try desk.key("virtual", .with(backup: backup))
    let error = try await desk.failure(
      request(extensions: #"{"thalesgroup_client_ext_v1":{"clientType":\#(type)}}"#))
    #expect(error.name == .notAllowedError)
    #expect(error.kind == .credentialExists)
    #expect(error.credentialID == key.credentials.first)
    #expect(error.credentialID != nil)
  }

  @Test("of several keys only those of the type that is asked for are offered")
  func offered() async throws {
    var desk = Desk()
    let declared = try #require(AAGUID("00000000-0000-0000-0000-000000000001"))
    desk.policy.syncable = [declared]
    let bound = try desk.key("bound")
    try desk.key("syncable", .with(backup: .eligible) { $0.aaguid = declared })
    let response = try await desk.register(
      request(extensions: #"{"thalesgroup_client_ext_v1":{"clientType":1}}"#))
    #expect(response.authenticator.key.id == "syncable")
    #expect(bound.commands == [.getInfo])
    #expect(desk.person.heard.contains { $0.hasPrefix("skipped bound: it makes device-bound passkeys") })
  }

  @Test("with nobody there the key's own name is taken, and one that is too long is cut with a warning")
  func names() async throws {
    let nobody = Desk(Person(attended: false, name: { _ in AuthenticatorDescriptor(friendlyName: " ") }))
    try nobody.key()
    #expect(
      try await nobody.register(request(extensions: #"{"thalesgroup_ext_v1":true}"#)).results
        == #"{"thalesgroup_ext_v1":{"authenticatorDescription":{"friendlyName":"Virtual Key"}}}"#)
    let long = Desk(Person(name: { _ in AuthenticatorDescriptor(friendlyName: String(repeating: "x", count: 300)) }))
    try long.key()
    let results = try await long.register(request(extensions: #"{"thalesgroup_ext_v1":true}"#)).results
    #expect(results.contains("\"" + String(repeating: "x", count: 128) + "\""))
    #expect(long.person.heard.contains { $0.hasPrefix("warning: The name is longer") })
    let declined = Desk(Person(name: { _ in nil }))
    try declined.key()
    #expect(try await declined.register(request(extensions: #"{"thalesgroup_ext_v1":true}"#)).results == "{}")
  }
}
