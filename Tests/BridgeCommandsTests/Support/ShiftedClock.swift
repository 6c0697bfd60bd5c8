import Synchronization
import Timing

/// The machine's clock, which a test can put forward, so that a time limit is over when the test wants it to be.
final class ShiftedClock: MonotonicClock {
  private let ahead = Mutex(Duration.zero)
  private let clock = SystemClock()

  var now: Instant { clock.now + ahead.withLock { $0 } }

  /// Blocks in short sleeps, between which the clock may have been put forward.
  func sleep(until instant: Instant) {
    while now < instant {
      clock.sleep(until: clock.now + min(.milliseconds(2), instant.since(now)))
    }
  }

  func putForward(by duration: Duration) { ahead.withLock { $0 += duration } }
}
