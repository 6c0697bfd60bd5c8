internal import FaultJudge

/// What a host may make of a kind of fault.
struct Expectation {
  /// The successes that are allowed.
  enum Success {
    /// It must succeed, and rightly.
    case certain
    /// It may succeed, rightly.
    case right
    /// It may succeed, and what nothing vouches for may differ.
    case altered
  }

  var success = Success.right
  /// Words of which an error must have one, because they name the cause; empty where the cause can look like many.
  var words: [String] = []
  /// Whether the key may be left at work, because nothing can reach it.
  var mayLeaveAtWork = false
  /// Whether CANCEL may not have been heard, because it is what was lost, or because an INIT came in between.
  var mayMissCancel = false
  /// Whether the key may hear from a channel that it has not given out: a channel's number was changed on the way.
  var mayStray = false
  /// Whether the key may have carried out another command, whose number nothing covers.
  var mayMistakeCommand = false
  /// Whether the key's failure may be believed where it was a success: a lone status byte is covered by nothing.
  var mayMistakeStatus = false
  /// Whether a change may have to be called uncertain: its request was torn, and is never sent again.
  var mayTearChange = false
}

extension LineFault {
  /// What the host may make of this fault.
  var expectation: Expectation {
    var expectation = group.expectation(direction)
    switch group {
    case .busyOnce, .busyAWhile, .busyForEver: expectation.mayTearChange = !isInitial && direction == .toKey
    default: break
    }
    return expectation
  }
}

extension FaultGroup {
  /// What the host may make of a fault of this kind.
  ///
  /// Where nothing of ours is lost or changed, the right result is the only one.
  func expectation(_ direction: Direction) -> Expectation {
    switch self {
    case .undisturbed, .duplicatedFromKey, .foreignInit, .foreignTraffic, .staleInit, .staleReply, .busyOnce,
      .busyAWhile,
      .unknownKeepAlive, .cancelledAnswer:
      Expectation(success: .certain)
    case .flipped, .truncated:
      Expectation(
        success: .altered, mayMissCancel: direction == .toKey, mayStray: true, mayMistakeCommand: direction == .toKey,
        mayMistakeStatus: direction == .fromKey)
    case .silence, .delayed: Expectation(mayLeaveAtWork: direction == .toKey)
    case .unplugged: Expectation(words: ["pulled out", "unplugged"], mayLeaveAtWork: true)
    case .busyForEver: Expectation(words: ["nother program"])
    case .keepAlivesForEver:
      // A key that answers INIT with keep-alives has not answered it.
      Expectation(words: ["time", "cancelled", "said nothing", "stopped answering"])
    case .wrongChannel: Expectation(mayMissCancel: direction == .toKey, mayStray: direction == .toKey)
    case .initialInside: Expectation(mayMissCancel: direction == .toKey, mayStray: direction == .toKey)
    case .dropped, .wrongLength, .errorFrame:
      Expectation(mayMissCancel: direction == .toKey)
    case .misplacedAnswer:
      // A look through a list asks the same question many times over, and any answer can be to any of them.
      Expectation(success: .altered)
    case .duplicatedToKey, .wrongSequence, .strayContinuation: Expectation()
    }
  }
}

extension Expectation {
  /// What of a verdict is not allowed.
  func objections(to verdict: Verdict) -> [String] {
    var objections = verdict.violations.compactMap { violation -> String? in
      switch violation {
      case .leftAtWork where mayLeaveAtWork, .notCancelled where mayMissCancel, .strayedChannel where mayStray: nil
      case .unaskedChange where mayMistakeCommand, .unreportedChange where mayMistakeStatus: nil
      default: violation.description
      }
    }
    switch verdict.result {
    case .right, .none: break
    case .altered(let parts):
      if success != .altered { objections.append("differs in: \(parts.map(\.rawValue).joined(separator: ", "))") }
    case .error("changeUncertain", _) where mayTearChange: break
    case .error(let kind, let text):
      if success == .certain { objections.append("not the right result, but \(kind): \(text)") }
      if !words.isEmpty, !words.contains(where: text.contains) {
        objections.append("the cause is not named, only \(kind): \(text)")
      }
    }
    return objections
  }
}
