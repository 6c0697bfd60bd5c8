public import CTAPHID

/// Which way a report goes.
public enum Direction: String, Hashable, Sendable, CaseIterable {
  /// From the host to the key.
  case toKey
  /// From the key to the host.
  case fromKey
}

/// One thing that goes wrong, once, at one report.
public struct LineFault: Sendable {
  /// What goes wrong.
  public enum Action: Hashable, Sendable {
    /// The report is lost.
    case drop
    /// The report comes twice.
    case duplicate
    /// The report, and what follows it in its direction, comes when the time is over.
    case delay
    /// The report ends after so many bytes.
    case shorten(to: Int)
    /// The report's bytes from here on are zeros.
    case blank(from: Int)
    /// One bit, counted from the first byte's lowest, is the other way round.
    case flip(bit: Int)
    /// The report names another channel.
    case move(to: ChannelID)
    /// The continuation has another number.
    case renumber(UInt8)
    /// The initial report names another length.
    case resize(UInt16)
    /// These reports come before it.
    case insert([[UInt8]])
    /// The first report of its message, as it was in this run, comes before it.
    case insertFirst
    /// These reports come in its place.
    case replace([[UInt8]])
    /// The key refuses what the host sends with this code, for so long; zero means this report alone.
    case refuse(CTAPHIDErrorCode, for: Duration)
    /// From here on the key sends keep-alives with this status and nothing else.
    case keepAlives(UInt8)
    /// From here on nothing comes through in this direction, for so long.
    case silence(for: Duration)
    /// The key is pulled out, before the report or after it.
    case unplug(after: Bool)
    /// Another program uses the key for a moment, before the report.
    case foreign(ForeignHost.Work)
  }

  /// The kind of fault, which decides what the host may make of it.
  public let group: FaultGroup
  /// Which way the report goes.
  public let direction: Direction
  /// The number of the report in its direction, from 0.
  public let position: Int
  /// Whether the report is the first of its message.
  public var isInitial = true
  /// What goes wrong.
  public let action: Action
  /// What tells it from others of its kind at the same report.
  public let detail: String

  /// A name that finds this fault again.
  public var name: String { "\(group.rawValue)/\(direction.rawValue)/\(position)/\(detail)" }
}

/// The kinds of faults.
public enum FaultGroup: String, Hashable, Sendable, CaseIterable {
  /// Nothing at all.
  case undisturbed
  /// A report is lost.
  case dropped
  /// A report from the key comes twice.
  case duplicatedFromKey = "duplicated-from-key"
  /// A report to the key comes twice.
  case duplicatedToKey = "duplicated-to-key"
  /// A report comes after the deadline.
  case delayed
  /// A report is cut short.
  case truncated
  /// A bit is the other way round.
  case flipped = "bit-flipped"
  /// A report is on another channel.
  case wrongChannel = "wrong-channel"
  /// A continuation has a wrong number.
  case wrongSequence = "wrong-sequence"
  /// An initial report comes in the middle of a message.
  case initialInside = "initial-inside"
  /// A continuation comes out of the blue.
  case strayContinuation = "stray-continuation"
  /// A message names a length that it does not have.
  case wrongLength = "wrong-length"
  /// An ERROR frame comes beside the answer, or in place of it.
  case errorFrame = "error-frame"
  /// The key is busy for one report.
  case busyOnce = "busy-once"
  /// The key is busy for two seconds.
  case busyAWhile = "busy-2-s"
  /// The key is busy for ever.
  case busyForEver = "busy-for-ever"
  /// The key sends keep-alives for ever.
  case keepAlivesForEver = "keep-alives-for-ever"
  /// A keep-alive has a status that is not known.
  case unknownKeepAlive = "unknown-keep-alive"
  /// Nothing comes through any more.
  case silence
  /// The key is pulled out.
  case unplugged
  /// Another program sends INIT, or its reply is seen.
  case foreignInit = "foreign-init"
  /// Another program's report, or whole transaction, comes in between.
  case foreignTraffic = "foreign-traffic"
  /// An INIT reply of an earlier program is still there.
  case staleInit = "stale-init"
  /// Another answer of an earlier program is still there.
  case staleReply = "stale-reply"
  /// An answer comes on our channel that was meant for another request of ours.
  case misplacedAnswer = "misplaced-answer"
  /// The answer to a request that was cancelled comes late.
  case cancelledAnswer = "cancelled-answer"
}
