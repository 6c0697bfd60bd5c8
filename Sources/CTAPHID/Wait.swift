public import Timing

/// How long an operation may take, what stops it early, and who hears what the key is doing.
public struct Wait: Sendable {
  /// When the operation is over; a request that the key is still working on is cancelled then.
  public var deadline: Instant
  /// What stops the operation early; looked at every 10 ms at least.
  public var cancellation: Cancellation
  /// Called on the key's thread when the key's status changes, never twice in a row with the same one.
  public var onKeepAlive: @Sendable (KeepAlive) -> Void

  /// Creates a wait.
  public init(
    deadline: Instant, cancellation: Cancellation = Cancellation(),
    onKeepAlive: @escaping @Sendable (KeepAlive) -> Void = { _ in }
  ) {
    self.deadline = deadline
    self.cancellation = cancellation
    self.onKeepAlive = onKeepAlive
  }
}

/// Why an answer does not fit the request it seems to answer: CTAPHID has no transaction numbers, so answers can be stale.
public struct AnswerRefusal: Hashable, Sendable, ExpressibleByStringLiteral, CustomStringConvertible {
  /// The reason, in words that follow "the answer was refused: ".
  public let reason: String

  /// Creates a refusal with its reason.
  public init(_ reason: String) {
    self.reason = reason
  }

  /// Creates a refusal with its reason.
  public init(stringLiteral reason: String) {
    self.reason = reason
  }

  /// The reason.
  public var description: String { reason }
}

/// The time limits and counts of a host channel; the defaults suit every key known.
public struct Tuning: Hashable, Sendable {
  /// How long a key may say nothing at all (no answer, no keep-alive) before the request counts as unanswered.
  public var silence: Duration = .seconds(5)
  /// The same for a request that may be sent again.
  public var repeatAfter: Duration = .milliseconds(1500)
  /// How long reading goes on after something that was of no use: a refused answer, a report that was garbled.
  public var grace: Duration = .seconds(1)
  /// The pause after CHANNEL_BUSY, in which an answer is still read.
  public var busyPause: Duration = .milliseconds(100)
  /// How long an ERROR frame is held before it is believed, and an answer that says that a request failed which changes
  /// something: longer than two keep-alives, which would belie it.
  public var settle: Duration = .milliseconds(250)
  /// How long a key has for its answer to INIT.
  public var initReply: Duration = .seconds(1)
  /// How often INIT is sent before the key counts as silent; busy answers are not counted.
  public var initTries: Int = 3
  /// How often a request is sent again; busy answers are not counted.
  public var repeats: Int = 3
  /// How long the answer to CANCEL is waited for.
  public var cancelDrain: Duration = .seconds(1)
  /// How long the answer to INIT is waited for where CANCEL was not heeded.
  public var abortDrain: Duration = .milliseconds(250)
  /// The longest read, so that a cancellation is noticed.
  public var slice: Duration = .milliseconds(10)
  /// How many reports are thrown away before a request at the most.
  public var drainLimit: Int = 512

  /// The default limits.
  public static let standard = Tuning()

  /// Creates the default limits.
  public init() {}

  /// How long after its deadline an operation returns at the latest, a request being cancelled then.
  public var longestOvertime: Duration { cancelDrain + abortDrain }
}
