internal import CTAP2
internal import CTAPHID
internal import FaultJudge
internal import Octets
internal import Timing
internal import VirtualKey
internal import WebAuthnClient

/// Something that a host does with a key, to be done under every fault.
///
/// A new one is one entry in `Ceremony.all`.
struct Ceremony: Sendable {
  /// The name in the counts.
  let name: String
  /// The key: its profile, PIN and habits.
  let key: VirtualKeyConfiguration
  /// What the host is told to do.
  let task: Assignment.Task
  /// What was done with the key before.
  var past = UsedKey.shared.state
  /// The name of the account that the person means, or nil where the first will do.
  var account: String?
  /// What the person types where a PIN is asked for.
  var pin = Keys.thePIN
  /// How long it has.
  var timeout = Duration.seconds(15)
  /// Does it.
  let run: @Sendable (Bench) async -> HostReport.Outcome
}

/// What a ceremony finds on the bench: one key, a clock, and a person.
struct Bench: Sendable {
  let source: any KeySource
  let key: KeyDescription
  let clock: any MonotonicClock
  let random: any RandomSource
  let person: Person
  let timeout: Duration

  /// When the ceremony has to be over.
  var deadline: Instant { clock.now + timeout }

  /// Runs something on the key without a client.
  func session(_ body: (KeySession, Wait) throws(CTAP2Error) -> HostReport.Outcome) -> HostReport.Outcome {
    let wait = Wait(deadline: deadline)
    let transport: any ReportTransport
    do {
      transport = try source.transport(to: key)
    } catch {
      return .failure(HostReport.Failure(CTAP2Error.hid(.transport(error, mayHaveBeenTaken: false))))
    }
    let session = KeySession(transport: transport, clock: clock, random: random)
    defer { session.close() }
    do throws(CTAP2Error) {
      try session.open(wait)
      return try body(session, wait)
    } catch {
      return .failure(HostReport.Failure(error))
    }
  }
}
