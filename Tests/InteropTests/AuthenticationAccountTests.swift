import BridgeTestSupport
import CTAPMessages
import Octets
import Synchronization
import Testing
import VirtualKey
import WebAuthnClient

/// Several discoverable credentials for one site.
struct AuthenticationAccountTests {
  private func desk(_ person: Person, names: [String] = ["alice", "bob", "carol"]) async throws
    -> (Desk, VirtualKeyPort, [RegistrationResponse])
  {
    let desk = Desk(person)
    let key = try desk.key("virtual", .with(pin: "1234"))
    var registrations: [RegistrationResponse] = []
    for (index, name) in names.enumerated() {
      registrations.append(try await desk.register(request(account: name, id: [9, UInt8(index)])))
    }
    key.clearLog()
    return (desk, key, registrations)
  }

  private let pins = [String?](repeating: "1234", count: 4)

  @Test("the person chooses, by names that the key tells after verification")
  func chooser() async throws {
    let asked = Mutex<AccountRequest?>(nil)
    let person = Person(
      pins: pins,
      account: { question in
        asked.withLock { $0 = question }
        return question.accounts.last
      })
    let (desk, key, registrations) = try await desk(person)
    let response = try await desk.authenticate(signIn(verification: "required"))
    let question = try #require(asked.withLock { $0 })
    #expect(question.relyingPartyID == "example.org")
    #expect(question.accounts.map(\.name) == ["carol", "bob", "alice"])
    #expect(question.accounts.map(\.displayName) == ["Display carol", "Display bob", "Display alice"])
    #expect(question.accounts.map(\.userHandle) == [[9, 2], [9, 1], [9, 0]])
    #expect(response.userHandle == [9, 0])
    #expect(try response.verifies(with: registrations[0]))
    #expect(key.commands.suffix(3) == [.getAssertion, .getNextAssertion, .getNextAssertion])
    #expect(response.authenticatorData.flags.contains(.userVerified))
  }

  @Test("without anybody to ask the newest is taken")
  func first() async throws {
    let (desk, _, registrations) = try await desk(Person(attended: false, pins: pins))
    let response = try await desk.authenticate(signIn(verification: "required"))
    #expect(try response.verifies(with: registrations[2]))
  }

  @Test("one account is not asked about")
  func single() async throws {
    let (desk, key, registrations) = try await desk(
      Person(pins: pins, account: { _ in nil }), names: ["alice"])
    #expect(try await desk.authenticate(signIn(verification: "required")).verifies(with: registrations[0]))
    #expect(key.commands.last == .getAssertion)
  }

  @Test("choosing none of them, or cancelling, signs nobody in")
  func none() async throws {
    let (desk, _, _) = try await desk(Person(pins: pins, account: { _ in nil }))
    let error = try await desk.signInFailure(signIn(verification: "required"))
    #expect(error.name == .notAllowedError)
    #expect(error.kind == .noCredential)
    let (other, _, _) = try await self.desk(
      Person(pins: pins, account: { _ throws(UserCancelled) in throw UserCancelled() }))
    #expect(try await other.signInFailure(signIn(verification: "required")).kind == .cancelled)
  }

  @Test("an allow list of several held credentials is answered by one, and nothing is asked")
  func listed() async throws {
    let (desk, key, registrations) = try await desk(Person(pins: pins, account: { _ in nil }))
    let response = try await desk.authenticate(signIn(registrations.map(\.credentialID)))
    #expect(registrations.map(\.credentialID).contains(response.credentialID))
    #expect(key.commands == [.getInfo, .getAssertion])
  }

  @Test("an answer to the chooser that comes too late is none")
  func late() async throws {
    let clock = ManualClock()
    var desk = Desk(
      Person(
        pins: pins,
        account: { question in
          clock.advance(by: .seconds(301))
          return question.accounts.first
        }), clock: clock)
    desk.options.timeout = .seconds(300)
    try desk.key("virtual", .with(pin: "1234"))
    for name in ["a", "b"] { _ = try await desk.register(request(account: name, id: Array(name.utf8))) }
    let error = try await desk.signInFailure(signIn(verification: "required"))
    #expect(error.kind == .timedOut)
    #expect(error.reason.contains("sign-in"))
  }
}
