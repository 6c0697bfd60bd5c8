import CTAPHID
import WebAuthnClient

/// The keys that wait for a touch, so that the program hears when they do no longer.
struct PendingTouches {
  private var keys: [KeyDescription] = []

  /// The keys whose wait ends with an event, which is taken note of.
  mutating func ended(by event: ProgramEvent) -> [KeyDescription] {
    switch event {
    case .ceremony(.touchNeeded(let authenticator)): return now(waiting: [authenticator.key])
    case .ceremony(.touchToSelect(let waiting)): return now(waiting: waiting)
    case .ceremony(.working(let authenticator)): return remove { $0.id == authenticator.key.id }
    case .ceremony(.keyRemoved(let key)): return remove { $0.id == key.id }
    case .ceremony(.keySelected), .ceremony(.verificationNeeded), .ceremony(.fingerNeeded), .ceremony(.fingerSampled),
      .ceremony(.replugNeeded), .ceremony(.waitingForKey), .pinNeeded, .newPINNeeded, .nameNeeded, .accountNeeded,
      .confirmationNeeded, .done, .error:
      return remove { _ in true }
    case .ceremony(.keyFound), .ceremony(.keySkipped), .ceremony(.progress), .ceremony(.warning), .hello, .note,
      .virtualTouchNeeded, .touchOver, .questionOver, .answerRefused:
      return []
    }
  }

  private mutating func now(waiting: [KeyDescription]) -> [KeyDescription] {
    let ended = remove { key in !waiting.contains { $0.id == key.id } }
    keys = waiting
    return ended
  }

  private mutating func remove(_ isEnded: (KeyDescription) -> Bool) -> [KeyDescription] {
    defer { keys.removeAll(where: isEnded) }
    return keys.filter(isEnded)
  }
}
