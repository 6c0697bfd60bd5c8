#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// A moment on a clock that never goes back, in nanoseconds from that clock's own origin.
public struct Instant: Comparable, Hashable, Sendable {
  /// Nanoseconds since the clock's origin.
  public let nanoseconds: UInt64

  /// Creates a moment from nanoseconds since the clock's origin.
  public init(nanoseconds: UInt64) {
    self.nanoseconds = nanoseconds
  }

  /// A moment that no wait reaches.
  public static let distantFuture = Instant(nanoseconds: .max)

  /// Orders moments by time.
  public static func < (left: Instant, right: Instant) -> Bool { left.nanoseconds < right.nanoseconds }

  /// The moment `duration` later, or `distantFuture` where that cannot be written; a negative duration goes back.
  public static func + (instant: Instant, duration: Duration) -> Instant {
    let (seconds, attoseconds) = duration.components
    let (whole, tooLong) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
    let step = whole.addingReportingOverflow(attoseconds / 1_000_000_000)
    if tooLong || step.overflow { return duration < .zero ? Instant(nanoseconds: 0) : .distantFuture }
    if step.partialValue < 0 {
      let back = step.partialValue.magnitude
      return Instant(nanoseconds: instant.nanoseconds > back ? instant.nanoseconds - back : 0)
    }
    let (sum, overflow) = instant.nanoseconds.addingReportingOverflow(UInt64(step.partialValue))
    return overflow ? .distantFuture : Instant(nanoseconds: sum)
  }

  /// The time from `earlier` to this moment; zero where `earlier` is later.
  public func since(_ earlier: Instant) -> Duration {
    guard nanoseconds > earlier.nanoseconds else { return .zero }
    let span = nanoseconds - earlier.nanoseconds
    return .seconds(Int64(span / 1_000_000_000)) + .nanoseconds(Int64(span % 1_000_000_000))
  }
}

/// The time, passed in so that a test can turn it by hand.
public protocol MonotonicClock: Sendable {
  /// The present moment.
  var now: Instant { get }

  /// Blocks the calling thread until `instant`.
  func sleep(until instant: Instant)
}

/// The machine's monotonic clock.
public struct SystemClock: MonotonicClock {
  /// Creates the clock.
  public init() {}

  /// The present moment of `CLOCK_MONOTONIC`.
  public var now: Instant {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return Instant(nanoseconds: UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec))
  }

  /// Blocks the calling thread until `instant`, whatever signals arrive.
  public func sleep(until instant: Instant) {
    while true {
      let left = instant.since(now)
      guard left > .zero else { return }
      let (seconds, attoseconds) = left.components
      var time = timespec(tv_sec: Int(min(seconds, 3600)), tv_nsec: Int(attoseconds / 1_000_000_000))
      nanosleep(&time, nil)
    }
  }
}
