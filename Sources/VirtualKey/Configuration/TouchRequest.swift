public import CTAPMessages
import Synchronization

/// A touch that a virtual key waits for, to be decided once, from any thread.
public final class TouchRequest: Sendable {
  /// The command that waits.
  public let command: CTAPCommand
  /// The relying party it is for, where there is one.
  public let rpID: String?

  private let decision = Atomic<UInt8>(0)

  init(command: CTAPCommand, rpID: String?) {
    self.command = command
    self.rpID = rpID
  }

  /// Touches the key.
  public func approve() { decide(1) }

  /// Declines, as a key with a second button or a display can.
  public func decline() { decide(2) }

  /// What was decided, or nil before that.
  var answer: TouchAnswer? {
    switch decision.load(ordering: .acquiring) {
    case 1: .given
    case 2: .declined
    default: nil
    }
  }

  private func decide(_ value: UInt8) {
    _ = decision.compareExchange(expected: 0, desired: value, ordering: .acquiringAndReleasing)
  }
}

/// How a wait for a touch ended.
enum TouchAnswer: Hashable, Sendable {
  case given
  case declined
  case timedOut
}
