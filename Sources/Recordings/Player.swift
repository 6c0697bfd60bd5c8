public import CTAPHID
public import Octets
internal import Synchronization
public import Timing

/// Plays a recording to the command that it is of: the keys, the clock, the random bytes and the person are the
/// recording's.
///
/// With secrets, every report the command sends must be the recorded one. Without, redacted bytes match anything, the
/// redacted bytes of answers are zero, and PINs are made up: a ceremony has the same shape.
public final class Player: Sendable {
  let state: Mutex<PlayerState>
  private let fallback: any RandomSource
  private let hasSecrets: Bool
  /// Whether there was somebody to ask.
  public let isAttended: Bool
  let listeners = Mutex<[Int: AsyncStream<KeyEvent>.Continuation]>([:])

  /// Begins a replay.
  ///
  /// - Parameters:
  ///   - recording: what to play.
  ///   - random: where private keys come from that are not in the recording.
  public init(_ recording: Recording, random: any RandomSource) {
    state = Mutex(PlayerState(recording))
    fallback = random
    hasSecrets = recording.header.hasSecrets
    isAttended = recording.header.isAttended
  }

  /// The clock of the recording, which goes on with what is played.
  public var clock: any MonotonicClock { ReplayClock(player: self) }

  /// The keys of the recording.
  public var keys: any KeySource { ReplaySource(player: self) }

  /// The random bytes of the recording.
  public var random: any RandomSource { ReplayRandom(player: self, key: "", fallback: fallback) }

  /// The origin that was decided on, or nil where none was.
  public var origin: String? { state.withLock { $0.origin } }

  /// Where the replay first differed, or nil.
  public var divergence: Divergence? { state.withLock { $0.divergence } }

  /// The content of the next file of a kind that was read, or nil where none is left.
  public func file(_ what: String) -> [UInt8]? { state.withLock { $0.takeFile(what) } }

  /// The next secret of a kind that was read, made up where it is not in the recording; nil where none is left.
  public func secret(_ what: String) -> SecretBytes? {
    state.withLock { state in
      guard let (_, content) = state.takeSecret(what) else { return nil }
      return SecretBytes(content ?? Self.madeUp(0))
    }
  }

  /// An answer to a question.
  public enum Answer: Sendable {
    /// This one.
    case given(SecretBytes)
    /// That there is none.
    case nothing
    /// That the command is to be cancelled.
    case cancelled
    /// It was never answered.
    case never
  }

  /// What was answered to the next question, secrets made up where they are not in the recording.
  public func answer(_ question: String) -> Answer {
    state.withLock { state in
      guard let (index, recorded, answer) = state.takeAnswer() else { return .never }
      guard recorded == question else {
        state.diverge(at: index, expected: "a question for the \(recorded)", found: "asked for the \(question)")
        return .cancelled
      }
      switch answer {
      case .nothing: return .nothing
      case .cancelled: return .cancelled
      case .text(let text): return .given(SecretBytes(text))
      case .secret(_, let content?): return .given(SecretBytes(content))
      case .secret(let number, nil): return .given(SecretBytes(Self.substitute(number, at: index, in: state)))
      }
    }
  }

  /// A PIN that keeps the rules, where what follows shows that the recorded one was sent to a key; else one that no key
  /// is sent.
  private static func substitute(_ number: Int, at index: Int, in state: PlayerState) -> [UInt8] {
    let other = state.events.indices.first { later in
      guard later > index, case .answer(_, let answer) = state.events[later].kind else { return false }
      if case .secret(number, _) = answer { return false }
      return true
    }
    return state.isFollowedByRequest(index, before: other ?? .max) ? madeUp(number) : [UInt8(ascii: "0")]
  }

  /// A PIN that keeps every rule for lengths, and differs from the others.
  private static func madeUp(_ number: Int) -> [UInt8] {
    let digits = Array(String(number % 100).utf8)
    return [UInt8](repeating: UInt8(ascii: "0"), count: 63 - digits.count) + digits
  }

  /// Holds the command's end against the recording's; returns where the replay first differed, or nil.
  ///
  /// - Parameter status: the exit status.
  public func finish(status: Int) -> Divergence? {
    state.withLock { state in
      let left = state.first { $0.isFromHost }
      if let left {
        state.diverge(at: left, expected: state.words(left), found: "ended with status \(status)")
      } else if let recorded = state.status, recorded != status {
        state.diverge(at: state.endIndex, expected: "the status \(recorded)", found: "ended with status \(status)")
      }
      return state.divergence
    }
  }

  // MARK: Random bytes

  func draw(_ key: String, _ count: Int, isPrivate: Bool) -> [UInt8] {
    if isPrivate, !hasSecrets { return fallback.bytes(count) }
    return state.withLock { state in
      if let bytes = state.takeDraw(key, count: count, isPrivate: isPrivate) { return bytes }
      let kind = isPrivate ? "private" : "public"
      state.diverge(at: nil, expected: "no further draw", found: "drew \(count) \(kind) random bytes")
      return fallback.bytes(count)
    }
  }
}

extension PlayerState {
  /// What an event is, for a divergence.
  func words(_ index: Int) -> String {
    switch events[index].kind {
    case .report(_, .toKey, let report): "the report \(report.text)"
    case .report(_, .fromKey, _): "that the key's report is read"
    case .failed(_, .toKey, _): "a report that cannot be sent"
    case .failed(_, .fromKey, _): "a read that fails"
    case .opened, .notOpened: "that the key is opened"
    case .closed: "that the key is closed"
    case .arrived, .removed: "that the change of keys is noticed"
    default: "something else"
    }
  }
}

private struct ReplayClock: MonotonicClock {
  let player: Player

  var now: Instant { player.state.withLock { $0.now } }
  func sleep(until instant: Instant) { player.state.withLock { $0.advance(to: instant) } }
}

private struct ReplayRandom: RandomSource {
  let player: Player
  let key: String
  let fallback: any RandomSource

  func bytes(_ count: Int) -> [UInt8] { player.draw(key, count, isPrivate: false) }

  func secretBytes(_ count: Int) -> SecretBytes {
    var drawn = player.draw(key, count, isPrivate: true)
    return SecretBytes(taking: &drawn)
  }

  func forKey(_ id: String) -> any RandomSource { ReplayRandom(player: player, key: id, fallback: fallback) }
}
