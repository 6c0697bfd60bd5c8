import BridgeTestSupport
import CTAPMessages
import JSONText
import Testing
import VirtualKey
import WebAuthnClient

struct RegistrationOrderTests {
  @Test("without a PIN a registration takes three transactions")
  func plain() async throws {
    let desk = Desk()
    let key = try desk.key()
    _ = try await desk.register(request())
    #expect(key.transactions == 3)
    #expect(key.commands == [.getInfo, .makeCredential])
    #expect(desk.person.heard == ["found virtual", "selected virtual"])
  }

  @Test("with a PIN it takes six, and people are asked before the token is")
  func withPIN() async throws {
    let desk = Desk(Person(pins: ["1234"]))
    let key = try desk.key("virtual", .with(pin: "1234"))
    _ = try await desk.register(
      request(verification: "required", extensions: #"{"thalesgroup_ext_v1":true}"#))
    #expect(key.transactions == 6)
    #expect(key.commands == [.getInfo, .clientPIN, .clientPIN, .clientPIN, .makeCredential])
    #expect(desk.person.heard == ["found virtual", "selected virtual", "name", "PIN"])
    #expect(desk.person.questions.map(\.retriesLeft) == [8])
    #expect(desk.person.questions.map(\.attempt) == [1])
  }

  @Test("an exclude list that fits adds no transaction")
  func excludeList() async throws {
    let desk = Desk()
    let key = try desk.key()
    _ = try await desk.register(
      request(more: #""excludeCredentials":[{"type":"public-key","id":"AQID"},{"type":"public-key","id":"BAUG"}]"#))
    #expect(key.transactions == 3)
  }

  @Test("a list that does not fit is looked through under one token, good for both")
  func longExcludeList() async throws {
    let desk = Desk(Person(pins: ["1234"]))
    let key = try desk.key("virtual", .with(pin: "1234") { $0.maxCredentialCountInList = 1 })
    let list = (1...3).map { #"{"type":"public-key","id":"AQI\#(["A", "E", "I"][$0 - 1])"}"# }.joined(separator: ",")
    _ = try await desk.register(request(verification: "required", more: "\"excludeCredentials\":[\(list)]"))
    let permissions = key.log.compactMap { entry -> PINUVAuthPermissions? in
      if case .tokenGiven(let permissions, _) = entry.event { permissions } else { nil }
    }
    #expect(permissions == [[.makeCredential, .getAssertion]])
    #expect(key.commands.filter { $0 == .getAssertion }.count == 3)
    #expect(key.commands.last == .makeCredential)
  }

  @Test("a credential of the exclude list is InvalidStateError, after a touch, and nothing is made")
  func excluded() async throws {
    let desk = Desk()
    let key = try desk.key()
    let first = try await desk.register(request())
    key.clearLog()
    let id = try #require(try first.parsed["id"]?.stringValue)
    let error = try await desk.failure(
      request(more: #""excludeCredentials":[{"type":"public-key","id":"\#(id)"}]"#))
    #expect(error.name == .invalidStateError)
    #expect(error.kind == .credentialExcluded)
    #expect(key.credentials.isEmpty)
    #expect(key.count { $0 == .touched } == 1)
  }

  @Test("cancelling at the name ends it before anything is created, and before any PIN")
  func nameCancelled() async throws {
    let desk = Desk(Person(pins: ["1234"], name: { _ throws(UserCancelled) in throw UserCancelled() }))
    let key = try desk.key("virtual", .with(pin: "1234"))
    let error = try await desk.failure(
      request(verification: "required", extensions: #"{"thalesgroup_ext_v1":true}"#))
    #expect(error.name == .notAllowedError)
    #expect(error.kind == .cancelled)
    #expect(key.commands == [.getInfo])
    #expect(desk.person.heard.last == "name")
  }

  @Test("the question for the name tells which key was chosen")
  func nameIsAskedForTheKey() async throws {
    let desk = Desk(
      Person(name: { info in
        AuthenticatorDescriptor(friendlyName: "\(info.productName ?? "") \(info.aaguid) \(info.expectedClientType)")
      }))
    try desk.key()
    let response = try await desk.register(request(extensions: #"{"thalesgroup_ext_v1":true}"#))
    #expect(
      try response.results
        == #"{"thalesgroup_ext_v1":{"authenticatorDescription":{"friendlyName":"Virtual Key \#(VirtualKeyProfile.standardAAGUID) deviceBound"}}}"#
    )
  }

  @Test(
    "bad input ends it before any key is looked at",
    arguments: [
      ("{}", "https://example.org", WebAuthnErrorName.typeError),
      (request(), "https://example.com", .securityError),
      (request(), "https://192.0.2.7", .securityError),
      (request(params: #"[{"type":"new","alg":-7}]"#), "https://example.org", .notSupportedError),
      (request(extensions: #"{"credProps":true,"credProps":true}"#), "https://example.org", .encodingError),
    ])
  func badInput(_ text: String, _ origin: String, _ name: WebAuthnErrorName) async throws {
    let desk = Desk()
    let key = try desk.key()
    #expect(try await desk.failure(text, origin: origin).name == name)
    #expect(key.transactions == 0)
    #expect(desk.person.heard.isEmpty)
  }

  @Test("a malformed extension is ignored with a warning, and refused where the caller is strict")
  func strictness() async throws {
    var desk = Desk()
    let key = try desk.key()
    let text = request(extensions: #"{"thalesgroup_client_ext_v1":{"clientType":9}}"#)
    #expect(try await desk.register(text).results == "{}")
    #expect(desk.person.heard.first?.hasPrefix("warning: The extension thalesgroup_client_ext_v1 is ignored") == true)
    key.clearLog()
    desk.options.strictExtensions = true
    #expect(try await desk.failure(text).name == .encodingError)
    #expect(key.transactions == 0)
  }
}
