internal import CTAP2
internal import CTAPHID
internal import CTAPMessages
internal import Octets
internal import Timing

/// A key in a ceremony: its session, on the key's own thread.
actor KeyHandle {
  nonisolated let key: KeyDescription
  /// What stops the key's present command.
  nonisolated let cancellation: Cancellation
  private nonisolated let thread: KeyThread
  private let source: any KeySource
  private let clock: any MonotonicClock
  private let random: any RandomSource
  private var session: KeySession?

  init(
    _ key: KeyDescription, source: any KeySource, cancellation: Cancellation, clock: any MonotonicClock,
    random: any RandomSource
  ) throws(TransportError) {
    thread = try KeyThread()
    self.key = key
    self.source = source
    self.cancellation = cancellation
    self.clock = clock
    self.random = random
  }

  nonisolated var unownedExecutor: UnownedSerialExecutor { thread.asUnownedSerialExecutor() }

  /// Opens the key and asks it what it can do, over whichever protocol it speaks.
  func open(by deadline: Instant) throws(CTAP2Error) -> GetInfoResponse {
    let transport: any ReportTransport
    do {
      transport = try source.transport(to: key)
    } catch {
      throw .hid(.transport(error, mayHaveBeenTaken: false))
    }
    let session = KeySession(transport: transport, clock: clock, random: random.forKey(key.id))
    self.session = session
    let wait = Wait(deadline: deadline, cancellation: cancellation)
    try session.open(wait)
    return try session.abilities(wait)
  }

  /// Runs a command on the key's thread.
  func run<Answer: Sendable>(
    by deadline: Instant, onKeepAlive: @escaping @Sendable (KeepAlive) -> Void = { _ in },
    _ command: @Sendable (KeySession, Wait) throws(CTAP2Error) -> Answer
  ) throws(CTAP2Error) -> Answer {
    guard let session else { throw .hid(.notOpen) }
    return try command(session, Wait(deadline: deadline, cancellation: cancellation, onKeepAlive: onKeepAlive))
  }

  /// Closes the key; harmless where it is closed already.
  func close() {
    session?.close()
    session = nil
  }
}
