import BridgeTestSupport
import CTAPMessages
import JSONText
import Octets
import Testing
import VirtualKey
import WebAuthnClient

/// prf and hmac-secret, from a request to its results.
struct AuthenticationSecretTests {
  private let prf = #"{"prf":{"eval":{"first":"AAAA","second":"BBBB"}}}"#

  private func desk(
    _ version: Int = 2, pins: Int = 9, _ edit: (inout GetInfoResponse) -> Void = { _ in }
  ) throws -> (Desk, VirtualKeyPort) {
    let desk = Desk(Person(pins: [String?](repeating: "1234", count: pins)))
    let key = try desk.key(
      "virtual",
      .with(pin: "1234") { info in
        info.pinUvAuthProtocols = [version]
        edit(&info)
      })
    return (desk, key)
  }

  private func result(_ response: AuthenticationResponse, _ names: String...) throws -> [UInt8] {
    var value = try #require(try response.parsed["clientExtensionResults"])
    for name in names { value = try #require(value[name], "\(name)") }
    return try Base64URL.decode(try #require(value.stringValue))
  }

  @Test("prf gives the same values each time, other ones for other inputs and credentials", arguments: [1, 2])
  func values(_ version: Int) async throws {
    let (desk, key) = try desk(version)
    let first = try await desk.register(request(residentKey: "required", extensions: #"{"prf":{}}"#))
    let second = try await desk.register(request(account: "bob", id: [9], extensions: #"{"prf":{}}"#))
    key.clearLog()
    let one = try await desk.authenticate(signIn([first.credentialID], extensions: prf))
    #expect(try one.verifies(with: first))
    // prf is of the function for verified users, whatever the request says of verification.
    #expect(one.authenticatorData.flags.contains(.userVerified))
    let value = try result(one, "prf", "results", "first")
    #expect(value.count == 32)
    #expect(try result(one, "prf", "results", "second").count == 32)
    #expect(try result(one, "prf", "results", "second") != value)
    let again = try await desk.authenticate(
      signIn([first.credentialID], verification: "required", extensions: #"{"prf":{"eval":{"first":"AAAA"}}}"#))
    #expect(try result(again, "prf", "results", "first") == value)
    #expect(try again.parsed["clientExtensionResults"]?["prf"]?["results"]?.members?.map(\.name) == ["first"])
    let other = try await desk.authenticate(signIn([second.credentialID], extensions: prf))
    #expect(try result(other, "prf", "results", "first") != value)
  }

  @Test("the values at registration are those at authentication", arguments: [1, 2])
  func creation(_ version: Int) async throws {
    let (desk, _) = try desk(version)
    let registration = try await desk.register(request(extensions: prf))
    let results = try #require(try registration.parsed["clientExtensionResults"]?["prf"])
    #expect(results["enabled"]?.boolValue == true)
    let response = try await desk.authenticate(signIn([registration.credentialID], extensions: prf))
    for name in ["first", "second"] {
      let created = try Base64URL.decode(try #require(results["results"]?[name]?.stringValue))
      #expect(try result(response, "prf", "results", name) == created)
    }
  }

  @Test("a key that has no hmac-secret-mc says at registration that prf is there, and no values")
  func withoutCreation() async throws {
    let (desk, _) = try desk { $0.extensions = ["hmac-secret"] }
    let registration = try await desk.register(request(extensions: prf))
    #expect(try registration.results == #"{"prf":{"enabled":true}}"#)
  }

  @Test("evalByCredential counts before eval, for the credential that the key has", arguments: [64, 1])
  func byCredential(_ count: Int) async throws {
    let (desk, key) = try desk { $0.maxCredentialCountInList = count }
    let registration = try await desk.register(request(extensions: #"{"prf":{}}"#))
    let id = Base64URL.encode(registration.credentialID)
    let stranger = [UInt8](repeating: 3, count: 40)
    let list = [stranger, registration.credentialID]
    key.clearLog()
    let response = try await desk.authenticate(
      signIn(
        list,
        extensions: #"""
          {"prf":{"eval":{"first":"BBBB"},"evalByCredential":{"\#(id)":{"first":"AAAA"},
          "\#(Base64URL.encode(stranger))":{"first":"CCCC"}}}}
          """#))
    let plain = try await desk.authenticate(
      signIn([registration.credentialID], extensions: #"{"prf":{"eval":{"first":"AAAA"}}}"#))
    #expect(try result(response, "prf", "results", "first") == result(plain, "prf", "results", "first"))
    let rest = try await desk.authenticate(
      signIn(
        list,
        extensions: #"""
          {"prf":{"eval":{"first":"AAAA"},"evalByCredential":{"\#(Base64URL.encode(stranger))":{"first":"CCCC"}}}}
          """#))
    #expect(try result(rest, "prf", "results", "first") == result(plain, "prf", "results", "first"))
  }

  @Test("without verification there are no values of prf, and the sign-in goes on")
  func unverified() async throws {
    let desk = Desk()
    let key = try desk.key()
    let registration = try await desk.register(request(extensions: prf))
    #expect(try registration.results == #"{"prf":{"enabled":true}}"#)
    key.clearLog()
    let response = try await desk.authenticate(signIn([registration.credentialID], extensions: prf))
    #expect(try response.results == #"{"prf":{}}"#)
    #expect(key.commands == [.getInfo, .getAssertion])
  }

  @Test("hmacGetSecret takes salts as they are, with and without verification")
  func raw() async throws {
    let (desk, _) = try desk()
    let registration = try await desk.register(request(extensions: #"{"hmacCreateSecret":true}"#))
    let salt = Base64URL.encode([UInt8](repeating: 1, count: 32))
    let other = Base64URL.encode([UInt8](repeating: 2, count: 32))
    func outputs(_ salts: String, _ verification: String) async throws -> AuthenticationResponse {
      try await desk.authenticate(
        signIn(
          [registration.credentialID], verification: verification, extensions: "{\"hmacGetSecret\":{\(salts)}}"))
    }
    let both = try await outputs("\"salt1\":\"\(salt)\",\"salt2\":\"\(other)\"", "discouraged")
    let one = try await outputs("\"salt1\":\"\(other)\"", "discouraged")
    let verified = try await outputs("\"salt1\":\"\(other)\"", "required")
    let value = try result(one, "hmacGetSecret", "output1")
    #expect(value.count == 32)
    #expect(try result(both, "hmacGetSecret", "output2") == value)
    #expect(try result(both, "hmacGetSecret", "output1") != value)
    #expect(try result(verified, "hmacGetSecret", "output1") != value)
    #expect(!one.authenticatorData.flags.contains(.userVerified))
  }

  @Test("a key without hmac-secret answers prf with nothing, and is asked for nothing")
  func unsupported() async throws {
    let (desk, key) = try desk { $0.extensions = ["credProtect"] }
    let registration = try await desk.register(request(extensions: #"{"prf":{}}"#))
    #expect(try registration.results == #"{"prf":{"enabled":false}}"#)
    key.clearLog()
    let response = try await desk.authenticate(signIn([registration.credentialID], extensions: prf))
    #expect(try response.results == #"{"prf":{}}"#)
    #expect(key.commands == [.getInfo, .getAssertion])
  }
}
