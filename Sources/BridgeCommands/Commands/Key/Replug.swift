import CTAPHID
import Timing
import WebAuthnClient

/// Waits until a key was pulled out and plugged in again, which alone lets it be erased.
struct Replug {
  let source: any KeySource
  let key: KeyDescription
  /// Until when.
  let deadline: Instant
  /// Pulls a virtual key out and plugs it in again.
  let replugVirtual: (@Sendable () -> Void)?

  /// Tells the person what to do, and returns the key as it came back, perhaps at another place.
  ///
  /// - Parameter tell: called once arrivals are listened to, so that none is missed.
  func wait(_ environment: CommandEnvironment, tell: () -> Void) async throws(CommandFailure) -> KeyDescription {
    let events = source.events()
    let clock = Tape.current.clock
    tell()
    replugVirtual?()
    let result = await withTaskGroup(of: KeyDescription?.self) { group in
      group.addTask { await returned(events, environment) }
      group.addTask {
        // The stream ends with its task.
        try? await Task.sleep(for: max(.zero, deadline.since(clock.now)))
        return nil
      }
      let first = await group.next() ?? nil
      group.cancelAll()
      return first
    }
    if let result { return result }
    if Task.isCancelled {
      throw CommandFailure("NotAllowedError", "The reset was cancelled; nothing was erased.", .declined)
    }
    throw CommandFailure(
      "NotAllowedError", "The key was not pulled out and plugged in again in time; nothing was erased.", .tryAgain)
  }

  private func returned(
    _ events: AsyncStream<KeyEvent>, _ environment: CommandEnvironment
  ) async -> KeyDescription? {
    var isOut = false
    for await event in events {
      switch event {
      case .removed(key.id):
        isOut = true
        environment.say("It is out; plug it in again.")
      case .removed: break
      case .arrived(let other) where isOut && isSame(other): return other
      case .arrived(let other) where other.id == key.id && isSame(other):
        // The place was taken again before word of the removal came.
        return other
      case .arrived(let other): environment.say("\(other.label) is another key; it is left alone.")
      }
    }
    return nil
  }

  /// Whether a key that came is the one that went, as far as USB tells.
  private func isSame(_ other: KeyDescription) -> Bool {
    other.vendorID == key.vendorID && other.productID == key.productID && other.serialNumber == key.serialNumber
      && other.product == key.product
  }
}
