import CTAPHID
import CTAPMessages
import Timing

/// A touch that U2F requests poll for: each of them is answered at once, and the key remembers for a while.
struct U2FTouch {
  /// How long the key goes on asking after the last poll, and for how long a touch counts.
  static let patience = Duration.seconds(10)

  let channel: ChannelID
  let instruction: UInt8
  /// When the host last asked.
  var polledAt: Instant
  /// When the touch comes by itself, under `PresencePolicy.after`.
  let comesAt: Instant?
  /// What somebody is asked to decide, under `PresencePolicy.ask`.
  let request: TouchRequest?
  /// When the key was touched, where it was.
  var touchedAt: Instant?

  /// Whether the key still asks for it.
  func isAlive(at now: Instant) -> Bool { now.since(polledAt) < Self.patience }
}

extension Authenticator {
  /// Whether a U2F request may count on a touch now, which is then used up; else the key asks for one.
  func u2fPresence(_ instruction: UInt8, _ channel: ChannelID) -> Bool {
    let asked = u2fTouch.flatMap {
      $0.channel == channel && $0.instruction == instruction && $0.isAlive(at: now) ? $0 : nil
    }
    var touch = asked ?? askForU2FTouch(instruction, channel)
    touch.polledAt = now
    if touch.touchedAt == nil, let comesAt = touch.comesAt, comesAt <= now { touch.touchedAt = comesAt }
    switch touch.request?.answer {
    case .given: touch.touchedAt = touch.touchedAt ?? now
    // U2F has no word for a person who declines: the key keeps asking the host for a touch, and no one else.
    case .declined, .timedOut, nil: break
    }
    guard let touchedAt = touch.touchedAt else {
      u2fTouch = touch
      return false
    }
    u2fTouch = nil
    // One that came by itself too long ago would have been missed.
    guard now.since(touchedAt) < U2FTouch.patience else { return false }
    log.add(.touched)
    return true
  }

  /// Whether the key asks for a touch by U2F and has not had it yet.
  var isWaitingForU2FTouch: Bool {
    guard let touch = u2fTouch else { return false }
    return touch.touchedAt == nil && touch.isAlive(at: now)
  }

  /// Touches the key while U2F asks for it; false where it does not.
  func touchForU2F() -> Bool {
    guard isWaitingForU2FTouch else { return false }
    u2fTouch?.touchedAt = now
    return true
  }

  private func askForU2FTouch(_ instruction: UInt8, _ channel: ChannelID) -> U2FTouch {
    let command: CTAPCommand = instruction == U2FInstruction.register ? .makeCredential : .getAssertion
    log.add(.touchAsked(command))
    var comesAt: Instant?
    var request: TouchRequest?
    switch configuration.presence {
    case .auto: comesAt = now
    case .never: break
    case .after(let delay): comesAt = now + delay
    case .ask(let ask):
      let asked = TouchRequest(command: command, rpID: nil)
      request = asked
      ask(asked)
    }
    return U2FTouch(
      channel: channel, instruction: instruction, polledAt: now, comesAt: comesAt, request: request)
  }
}
