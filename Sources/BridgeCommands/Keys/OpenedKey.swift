import CTAP2
import CTAPHID
import Octets
import Timing

/// Runs commands on one key, outside a ceremony.
enum OpenedKey {
  /// Opens a key on a thread of its own, runs `body` there, and closes the key whatever happens.
  static func run<Value: Sendable>(
    _ key: KeyDescription, of source: any KeySource, timeout: Duration = .seconds(30),
    _ body: @escaping @Sendable (KeySession, Wait) throws(CTAP2Error) -> Value
  ) async throws(CommandFailure) -> Value {
    if case .permission = key.obstacle { throw CommandFailure(TransportError.permissionDenied(key.id)) }
    if case .unsuitable(let reason) = key.obstacle { throw CommandFailure(TransportError.unsuitable(reason)) }
    let tape = Tape.current
    let cancellation = Cancellation()
    let thread: KeyThread
    do throws(TransportError) { thread = try KeyThread() } catch { throw CommandFailure(error) }
    let result: Result<Value, CommandFailure> = await withTaskCancellationHandler {
      await thread.run { () -> Result<Value, CommandFailure> in
        Result { () throws(CommandFailure) in
          try onThread(key, of: source, timeout: timeout, tape, cancellation, body)
        }
      }
    } onCancel: {
      cancellation.cancel()
    }
    return try result.get()
  }

  private static func onThread<Value: Sendable>(
    _ key: KeyDescription, of source: any KeySource, timeout: Duration, _ tape: Tape, _ cancellation: Cancellation,
    _ body: @Sendable (KeySession, Wait) throws(CTAP2Error) -> Value
  ) throws(CommandFailure) -> Value {
    let clock = tape.clock
    let transport: any ReportTransport
    do throws(TransportError) { transport = try source.transport(to: key) } catch { throw CommandFailure(error) }
    let session = KeySession(transport: transport, clock: clock, random: tape.random.forKey(key.id))
    let wait = Wait(deadline: clock.now + timeout, cancellation: cancellation)
    defer { session.close() }
    do throws(CTAP2Error) {
      try session.open(wait)
      return try body(session, wait)
    } catch {
      throw CommandFailure(error, key: key)
    }
  }
}
