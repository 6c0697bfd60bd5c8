internal import Synchronization
public import Timing

/// A clock that stands still until a test, or a sleep, moves it.
public final class ManualClock: MonotonicClock {
  private let moment: Mutex<Instant>

  /// Creates a clock that shows `start`; the default is far enough from zero that a test can go back.
  public init(_ start: Instant = Instant(nanoseconds: 1_000_000_000_000)) {
    moment = Mutex(start)
  }

  /// The moment that the clock shows.
  public var now: Instant { moment.withLock { $0 } }

  /// Moves the clock to `instant` at once, and never back.
  public func sleep(until instant: Instant) {
    moment.withLock { $0 = max($0, instant) }
  }

  /// Moves the clock on.
  public func advance(by duration: Duration) {
    moment.withLock { $0 = max($0, $0 + duration) }
  }
}
