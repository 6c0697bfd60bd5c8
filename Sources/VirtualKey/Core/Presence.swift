import CTAPMessages
import Timing

/// A touch that is waited for, with all that can end the wait.
struct PendingTouch {
  let wait: TouchWait
  let deadline: Instant
  /// When the touch comes by itself, under `PresencePolicy.after`.
  let comesAt: Instant?
  /// What somebody is asked to decide, under `PresencePolicy.ask`.
  let request: TouchRequest?

  /// How the wait has ended by `now`, or nil while it goes on.
  func answer(at now: Instant) -> TouchAnswer? {
    if let answer = request?.answer { return answer }
    // Of a touch and a time-out in the past, the earlier one happened.
    if let comesAt, comesAt <= now, comesAt <= deadline { return .given }
    return deadline <= now ? .timedOut : nil
  }

  /// When to look again.
  func nextEvent(after now: Instant) -> Instant {
    let event = min(deadline, comesAt ?? .distantFuture)
    // A person's decision comes from outside: it is looked for every 10 ms.
    return request == nil ? event : min(event, now + .milliseconds(10))
  }
}

extension Authenticator {
  /// Asks for a touch and goes on with how that ended; at once where the policy says so.
  func askForTouch(
    _ command: CTAPCommand, _ rpID: String?, patience: Duration? = nil,
    then: @escaping (TouchAnswer) throws(Refusal) -> Outcome
  ) throws(Refusal) -> Outcome {
    log.add(.touchAsked(command))
    if case .auto = configuration.presence {
      log.add(.touched)
      return try then(.given)
    }
    return .touch(TouchWait(command: command, rpID: rpID, patience: patience, then: then))
  }

  /// Asks for a touch without which the command ends.
  func requireTouch(
    _ command: CTAPCommand, _ rpID: String?, then: @escaping () throws(Refusal) -> Outcome
  ) throws(Refusal) -> Outcome {
    try askForTouch(command, rpID) { [configuration] (answer) throws(Refusal) in
      switch answer {
      case .given: return try then()
      case .declined: throw Refusal(.operationDenied)
      case .timedOut: throw Refusal(configuration.touchTimeout.status)
      }
    }
  }

  func startWaiting(_ wait: TouchWait) {
    var comesAt: Instant?
    var request: TouchRequest?
    switch configuration.presence {
    case .auto, .never: break
    case .after(let delay): comesAt = now + delay
    case .ask(let ask):
      let asked = TouchRequest(command: wait.command, rpID: wait.rpID)
      request = asked
      ask(asked)
    }
    pending = PendingTouch(
      wait: wait, deadline: now + (wait.patience ?? configuration.touchTimeout.duration), comesAt: comesAt,
      request: request)
  }
}
