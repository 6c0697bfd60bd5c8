import BridgeTestSupport
import CBOR
import CTAP2
import CTAPHID
import CTAPMessages
import Synchronization
import Testing
import Timing
import VirtualKey
import WebAuthnClient

/// How often something happened, counted on whatever thread it did.
final class OddCounter: Sendable {
  private let number = Atomic<Int>(0)

  /// Counts once more; returns how often before.
  @discardableResult
  func count() -> Int { number.add(1, ordering: .relaxed).oldValue }

  var value: Int { number.load(ordering: .relaxed) }
}

/// Keys that stop waiting, go on when they should stop, or never have time.
struct OddKeyTimeTests {
  private func desk(_ oddity: Oddity, seconds: Int = 120) -> Desk {
    var desk = Desk()
    desk.oddity = oddity
    desk.options.waitsForKey = false
    desk.options.timeout = .seconds(seconds)
    return desk
  }

  private static let timeouts: [(CTAPStatus, Duration)] = [
    (.operationDenied, .milliseconds(29_500)), (.userActionTimeout, .seconds(30)), (.actionTimeout, .seconds(30)),
  ]

  @Test("a key that stops waiting for the touch that chooses it is asked again", arguments: timeouts)
  func selectionAgain(_ status: CTAPStatus, _ after: Duration) throws {
    let asked = OddCounter()
    let (session, clock) = try opened(
      Oddity(onRequest: { message in
        guard message.ctap == .selection, asked.count() < 4 else { return .taken }
        return .answer([status.rawValue], after: after)
      }))
    let start = clock.now
    try session.select(Wait(deadline: clock.now + .seconds(300)))
    #expect(asked.value == 5)
    #expect(clock.now.since(start) >= after * 4)
  }

  @Test("a key that never is touched is asked to be chosen until the deadline", arguments: timeouts)
  func selectionInVain(_ status: CTAPStatus, _ after: Duration) throws {
    let (session, clock) = try opened(
      Oddity(onRequest: { $0.ctap == .selection ? .answer([status.rawValue], after: after) : .taken }))
    let start = clock.now
    #expect(throws: CTAP2Error.self) { try session.select(Wait(deadline: clock.now + .seconds(100))) }
    #expect(clock.now.since(start) >= .seconds(100))
    #expect(clock.now.since(start) <= .seconds(103))
  }

  /// A session that is open, with a key that has an oddity; both are on one thread, so a turned clock serves.
  private func opened(_ oddity: Oddity) throws -> (KeySession, ManualClock) {
    let clock = ManualClock()
    let port = try VirtualKeyPort(configuration: .with(), clock: clock, random: SeededRandom(seed: 5))
    let session = KeySession(
      transport: OddTransport(port.transport(), clock, oddity), clock: clock, random: SeededRandom(seed: 6))
    try session.open(Wait(deadline: clock.now + .seconds(10)))
    return (session, clock)
  }

  @Test("a key that stops waiting during makeCredential ends it, whatever it calls that", arguments: timeouts)
  func creationTimeout(_ status: CTAPStatus, _ after: Duration) async throws {
    let desk = desk(
      Oddity(onRequest: { message in
        message.ctap == .makeCredential ? .answer([status.rawValue], after: after) : .taken
      }))
    let key = try desk.key()
    let error = try await desk.failure()
    #expect(error.name == .notAllowedError)
    #expect(error.kind == (status == .operationDenied ? .keyRefused : .timedOut))
    #expect(key.credentials.isEmpty)
  }

  @Test("a key that stays busy for ever ends with that as the cause, at the deadline")
  func busyForEver() async throws {
    let desk = desk(
      Oddity(onRequest: { message in message.ctap == .makeCredential ? .error(.channelBusy) : .taken }), seconds: 20)
    let clock = desk.clock
    try desk.key()
    let start = clock.now
    let error = try await desk.failure()
    #expect(error.reason.contains("another program was using it all the time"))
    #expect(clock.now.since(start) <= .seconds(22))
  }

  @Test("a key that says it is busy in a status is asked again, and believed at last")
  func busyStatus() async throws {
    let desk = desk(
      Oddity(onRequest: { message in
        message.ctap == .getInfo ? .answer([CTAPStatus.channelBusy.rawValue]) : .taken
      }), seconds: 20)
    try desk.key()
    #expect(try await desk.failure().name == .notAllowedError)
  }

  private func atDeadline(_ oddity: Oddity, faults: [Fault] = []) throws -> (CTAP2Error, VirtualKeyPort, ManualClock) {
    let clock = ManualClock()
    let port = try VirtualKeyPort(
      configuration: .with(presence: .never, faults: faults), clock: clock, random: SeededRandom(seed: 5))
    let session = KeySession(
      transport: OddTransport(port.transport(), clock, oddity), clock: clock, random: SeededRandom(seed: 6))
    let wait = Wait(deadline: clock.now + .seconds(10), cancellation: Cancellation())
    try session.open(wait)
    do throws(CTAP2Error) {
      _ = try session.createCredential(HostAndKey.request(rk: true), token: nil, wait)
    } catch {
      return (error, port, clock)
    }
    Issue.record("a credential was made without a touch")
    return (.notCTAP2, port, clock)
  }

  @Test("a key that answers CANCEL with a success has made a credential, and that is said")
  func successAfterCancel() async throws {
    // What a key would have answered, from one that is touched.
    let other = try HostAndKey().opened()
    let made = try other.create(HostAndKey.request(rk: true))
    let answer = CTAPResponse.encode(.ok, made.response.cbor())
    let (error, _, _) = try atDeadline(
      Oddity(onRequest: { message in message.command == .cancel ? .answer(answer) : .taken }))
    guard case .createdLate(let response, let cause) = error else {
      Issue.record("it says \(error)")
      return
    }
    #expect(response.authData == made.response.authData)
    #expect(cause.isTimeout)
  }

  @Test("a key that ignores CANCEL is given up within a second or two, and what may be on it is said")
  func cancelIgnored() async throws {
    let (error, _, clock) = try atDeadline(Oddity(), faults: [.ignoresCancel])
    #expect(error.isTimeout)
    #expect(error.mayHaveCreated)
    #expect(clock.now.since(ManualClock().now) <= .seconds(12))
    let (deaf, _, _) = try atDeadline(
      Oddity(onRequest: { message in message.command == .cancel ? .ignored : .taken }))
    #expect(deaf.isTimeout)
    #expect(deaf.mayHaveCreated)
  }

  @Test("a key that starts anew in the middle makes nothing twice, and the error or the response is whole")
  func resetsItself() async throws {
    for command in [CTAPCommand.getInfo, .clientPIN, .makeCredential] {
      for nth in 0..<3 {
        var desk = Desk(Person(pins: ["1234", "1234"]))
        let key = try desk.key("virtual", .with(pin: "1234"))
        let seen = OddCounter()
        desk.options.waitsForKey = false
        desk.oddity = Oddity(onRequest: { message in
          guard message.ctap == command, seen.count() == nth else { return .taken }
          key.powerCycle()
          return .ignored
        })
        desk.options.timeout = .seconds(60)
        do {
          let response = try await desk.register(request(residentKey: "required", verification: "required"))
          #expect(key.credentials == [response.credentialID], "\(command) \(nth)")
        } catch let error as WebAuthnError {
          #expect(error.name == .notAllowedError, "\(command) \(nth): \(error)")
          #expect(error.kind != .internalFault, "\(command) \(nth): \(error)")
          #expect(key.credentials.isEmpty, "\(command) \(nth): \(error)")
        }
        #expect(desk.person.questions.count <= 2)
      }
    }
  }
}
