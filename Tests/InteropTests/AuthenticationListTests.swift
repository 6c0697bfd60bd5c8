import BridgeTestSupport
import CTAPMessages
import Testing
import VirtualKey
import WebAuthnClient

/// Allow lists, and keys that have nothing for a request.
struct AuthenticationListTests {
  private func strangers(_ count: Int, size: Int = 64) -> [[UInt8]] {
    (0..<count).map { [UInt8($0)] + [UInt8](repeating: 0xee, count: size - 1) }
  }

  @Test("a list that fits goes whole, in one message")
  func whole() async throws {
    let desk = Desk()
    let key = try desk.key()
    let registration = try await desk.register(request())
    key.clearLog()
    let response = try await desk.authenticate(signIn(strangers(40) + [registration.credentialID]))
    #expect(try response.verifies(with: registration))
    #expect(key.commands == [.getInfo, .getAssertion])
  }

  @Test(
    "a list of 40 is looked through silently in batches where the key takes few at a time or short messages",
    arguments: [(3, 7609, 14), (1, 7609, 40), (8, 1024, 5), (64, 1024, 4), (nil, 7609, 40)] as [(Int?, Int, Int)])
  func batches(_ count: Int?, _ message: Int, _ probes: Int) async throws {
    let desk = Desk()
    let key = try desk.key(
      "virtual",
      .with { info in
        info.maxCredentialCountInList = count
        info.maxMsgSize = message
      })
    let registration = try await desk.register(request())
    key.clearLog()
    let response = try await desk.authenticate(signIn(strangers(39) + [registration.credentialID]))
    #expect(try response.verifies(with: registration))
    #expect(response.credentialID == registration.credentialID)
    let sizes = key.log.compactMap { if case .command(2, _, let size) = $0.event { size } else { nil } }
    #expect(sizes.count == probes + 1)
    #expect(sizes.allSatisfy { $0 <= message })
    // Only the last one asks for a touch.
    #expect(key.count { if case .touchAsked = $0 { true } else { false } } == 1)
  }

  @Test("ids that are longer than the key's own are left out")
  func tooLong() async throws {
    let desk = Desk()
    let key = try desk.key("virtual", .with { $0.maxCredentialIdLength = 128 })
    let registration = try await desk.register(request(residentKey: "required"))
    func size(_ list: [[UInt8]]) async throws -> Int? {
      key.clearLog()
      _ = try await desk.authenticate(signIn(list))
      return key.log.compactMap { if case .command(2, _, let size) = $0.event { size } else { nil } }.first
    }
    let long = strangers(5, size: 129)
    #expect(try await size([registration.credentialID]) == size(long + [registration.credentialID]))
  }

  @Test(
    "a key without the credential is touched before that is said",
    arguments: [
      (64, 64, [CTAPCommand.getInfo, .getAssertion, .selection]),
      (2, 64, [.getInfo, .getAssertion, .getAssertion, .selection]), (64, 200, [.getInfo, .selection]),
    ] as [(Int, Int, [CTAPCommand])])
  func nothingHeld(_ count: Int, _ size: Int, _ commands: [CTAPCommand]) async throws {
    let desk = Desk()
    let key = try desk.key("virtual", .with { $0.maxCredentialCountInList = count })
    // A discoverable credential that the list does not name must not answer.
    _ = try await desk.register(request(residentKey: "required"))
    key.clearLog()
    let error = try await desk.signInFailure(signIn(strangers(4, size: size)))
    #expect(error.name == .notAllowedError)
    #expect(error.kind == .noCredential)
    #expect(error.reason.contains("no credential that the request allows"))
    #expect(key.commands == commands)
    #expect(key.count { $0 == .touched } == 1)
    #expect(desk.person.heard.contains("touch virtual"))
  }

  @Test("a key without a discoverable credential for the site is touched before that is said")
  func noneDiscoverable() async throws {
    let desk = Desk()
    let key = try desk.key()
    _ = try await desk.register(request())
    key.clearLog()
    let error = try await desk.signInFailure(signIn())
    #expect(error.kind == .noCredential)
    #expect(error.reason.contains("no discoverable credential for example.org"))
    #expect(key.count { $0 == .touched } == 1)
  }

  @Test("a list of unknown types allows nothing, and is not taken for no list")
  func unknownTypes() async throws {
    let desk = Desk()
    let key = try desk.key()
    _ = try await desk.register(request(residentKey: "required"))
    key.clearLog()
    let error = try await desk.signInFailure(
      signIn(more: #""allowCredentials":[{"type":"password","id":"AAAA"}]"#))
    #expect(error.kind == .noCredential)
    #expect(key.commands.isEmpty)
    // An empty list is no list.
    _ = try await desk.authenticate(signIn([]))
  }

  @Test("nobody touches: the time is up, and the key waits no longer")
  func noTouch() async throws {
    let desk = Desk()
    let key = try desk.key("virtual", .with(presence: .never))
    var options = desk
    options.options.timeout = .seconds(10)
    let error = try await options.signInFailure(signIn(strangers(1)))
    #expect(error.kind == .timedOut)
    #expect(!key.isWaitingForTouch)
  }
}
