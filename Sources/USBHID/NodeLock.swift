internal import CTAPHID
internal import Timing

#if canImport(Darwin)
  internal import Darwin
#else
  internal import Glibc
#endif

/// An advisory lock on a key's node, so that two programs do not interleave their messages.
///
/// It is the `flock` that libfido2 takes, on a descriptor of our own, because hidapi does not give its own away.
/// The lock goes with the descriptor, also when the process is killed.
struct NodeLock {
  private let file: OpenFile

  /// The longest sleep between two attempts.
  private static let slice = Duration.milliseconds(10)

  /// Takes the lock of the node at `path`, waiting for its holder until `deadline`.
  init(
    _ path: String, deadline: Instant, cancellation: Cancellation, clock: any MonotonicClock
  ) throws(TransportError) {
    let file = try OpenFile(path, flags: O_RDWR | O_NONBLOCK | O_NOCTTY)
    while true {
      let (result, code) = retryingInterrupts { flock(file.descriptor, LOCK_EX | LOCK_NB) }
      if result == 0 { break }
      guard code == EWOULDBLOCK else { throw TransportError(operation: "flock", path: path, code: code) }
      if cancellation.isCancelled { throw .cancelled }
      if file.isGone { throw .unplugged }
      let now = clock.now
      guard now < deadline else { throw .busy(path) }
      clock.sleep(until: min(now + Self.slice, deadline))
    }
    self.file = file
  }

  /// Whether the key was pulled out.
  var isGone: Bool { file.isGone }

  /// The locked descriptor.
  var descriptor: Int32 { file.descriptor }
}
