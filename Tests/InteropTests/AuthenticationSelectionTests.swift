import BridgeTestSupport
import CTAPHID
import CTAPMessages
import Octets
import Synchronization
import Testing
import Timing
import VirtualKey
import WebAuthnClient

/// Several keys: the one that has the credential answers.
struct AuthenticationSelectionTests {
  /// Keys on a clock that all their threads see, and a credential on the one that is named first.
  private func desk(
    _ ids: [String], pin: String? = nil, pins: [String?] = [], discoverable: Bool = false, protection: String? = nil,
    others: PresencePolicy = .auto
  ) async throws -> (Desk, [VirtualKeyPort], RegistrationResponse) {
    let desk = Desk(Person(pins: pins), clock: SystemClock())
    var keys: [VirtualKeyPort] = []
    for (index, id) in ids.enumerated() {
      var configuration = VirtualKeyConfiguration.with(pin: pin, presence: index == 0 ? .auto : others)
      configuration.identity.product = id
      keys.append(try desk.key(id, configuration, plugged: index == 0, seed: UInt64(index + 1)))
    }
    let extensions = protection.map { "{\"credentialProtectionPolicy\":\"\($0)\"}" } ?? "{}"
    let registration = try await desk.register(
      request(residentKey: discoverable ? "required" : "discouraged", extensions: extensions))
    for (key, id) in zip(keys, ids).dropFirst() { desk.source.plug(key, id: id) }
    for key in keys { key.clearLog() }
    return (desk, keys, registration)
  }

  @Test(
    "the key that has the credential is used without being chosen, and the others are skipped with the reason",
    arguments: [false, true])
  func holder(_ discoverable: Bool) async throws {
    let (desk, keys, registration) = try await desk(["holder", "other", "third"], discoverable: discoverable)
    let response = try await desk.authenticate(signIn(discoverable ? nil : [registration.credentialID]))
    #expect(response.authenticator.key.id == "holder")
    #expect(try response.verifies(with: registration))
    for id in ["other", "third"] {
      #expect(desk.person.heard.contains("skipped \(id): it has no credential that the request allows"))
    }
    for key in keys[1...] {
      #expect(key.commands == [.getInfo, .getAssertion])
      #expect(key.count { if case .touchAsked = $0 { true } else { false } } == 0)
    }
    #expect(!desk.person.heard.contains { $0.hasPrefix("touch one of") })
  }

  @Test("where none has it, one touch is collected all the same")
  func nobody() async throws {
    let (desk, keys, _) = try await desk(["left", "right"])
    let error = try await desk.signInFailure(signIn([[UInt8](repeating: 1, count: 40)]))
    #expect(error.name == .notAllowedError)
    #expect(error.kind == .noCredential)
    #expect(desk.person.heard.contains("touch one of left,right"))
    let touches = keys.map { key in key.count { $0 == .touched } }
    #expect(touches.reduce(0, +) >= 1)
    // The one that was chosen by touch is not asked for another.
    #expect(keys.allSatisfy { key in key.count { if case .touchAsked = $0 { true } else { false } } <= 1 })
  }

  @Test("a key that may hide the credential until its user is verified is not skipped for lack of it")
  func hidden() async throws {
    let (desk, keys, registration) = try await desk(
      ["holder", "other"], pin: "1234", pins: ["1234", "1234"], discoverable: true,
      protection: "userVerificationRequired", others: .never)
    let response = try await desk.authenticate(
      signIn([registration.credentialID], verification: "required"))
    #expect(response.authenticator.key.id == "holder")
    #expect(desk.person.heard.contains("touch one of holder,other"))
    #expect(!desk.person.heard.contains { $0.hasPrefix("skipped") })
    // The holder is touched at once, maybe before the other one is asked to blink.
    #expect(keys[1].commands.prefix(2) == [.getInfo, .getAssertion])
  }

  @Test("a key that is plugged in later and has the credential takes over from those that blink")
  func arrival() async throws {
    let (desk, keys, registration) = try await desk(["holder", "left", "right"])
    desk.source.unplug(id: "holder")
    for id in ["left", "right"] { desk.source.unplug(id: id) }
    let source = desk.source
    let person = Person(onEvent: { event in
      if event == "touch one of left,right" { source.plug(keys[0], id: "holder") }
    })
    var other = Desk(person, clock: desk.clock)
    other.options = desk.options
    var left = VirtualKeyConfiguration.with(presence: .never)
    left.identity.product = "left"
    for id in ["left", "right"] { source.plug(try other.key(id, left, plugged: false), id: id) }
    let client = SecurityKeyClient(
      keySource: source, interaction: person, clock: other.clock, random: SeededRandom(seed: 3))
    let response = try await client.authenticate(
      optionsJSON: Array(signIn([registration.credentialID]).utf8), origin: try Origin("https://example.org"))
    #expect(response.authenticator.key.id == "holder")
    #expect(person.heard.contains("skipped left: it has no credential that the request allows"))
  }

  @Test("a key that is named is used, whatever others have")
  func named() async throws {
    var (desk, keys, registration) = try await desk(["holder", "other"])
    desk.options.key = .named("other")
    let error = try await desk.signInFailure(signIn([registration.credentialID]))
    #expect(error.kind == .noCredential)
    #expect(keys[0].commands.isEmpty)
  }
}
