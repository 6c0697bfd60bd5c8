internal import CTAPHID
internal import Synchronization
internal import Timing

extension Player {
  /// The real time that a replay may stand still, and then the same before it is given up.
  private static let standstill = Duration.milliseconds(500)
  private static let givingUp = Duration.seconds(10)
  private static let step = Duration.milliseconds(2)

  /// Plays what comes from outside, each when it is due, until the task is cancelled: keys that come and go, the
  /// interruption, and the time that passes while nothing happens.
  ///
  /// - Parameter cancel: interrupts the command.
  public func playOutside(cancel: @Sendable () -> Void) async {
    let clock = SystemClock()
    var (progress, since) = (0, clock.now)
    while !Task.isCancelled {
      let (event, found) = state.withLock { state in (nextDue(&state), state.progress) }
      switch event {
      case .arrived(let key): tell(.arrived(key))
      case .removed(let key): tell(.removed(key))
      case .cancelled: cancel()
      default: break
      }
      if found != progress { (progress, since) = (found, clock.now) }
      let idle = clock.now.since(since)
      if idle > Self.standstill { state.withLock { passTime(&$0) } }
      if idle > Self.givingUp {
        state.withLock { $0.diverge(at: firstLeft($0), expected: firstWords($0), found: "went no further") }
        cancel()
        return
      }
      try? await Task.sleep(for: Self.step)
    }
  }

  private func nextDue(_ state: inout PlayerState) -> RecordedEvent.Kind? {
    guard let index = state.nextFromOutside, state.isDue(index) else { return nil }
    let kind = state.events[index].kind
    // A change is for those who listen.
    if kind != .cancelled, listeners.withLock({ $0.isEmpty }) { return nil }
    state.advance(to: state.moment(index))
    state.play(index)
    return kind
  }

  private func tell(_ event: KeyEvent) {
    for listener in listeners.withLock({ Array($0.values) }) { listener.yield(event) }
  }

  /// The recorded command waited for time to pass.
  private func passTime(_ state: inout PlayerState) {
    guard let next = firstLeft(state) ?? state.endIndex else { return }
    state.advance(to: state.moment(next))
  }

  private func firstLeft(_ state: PlayerState) -> Int? {
    [state.first { _ in true }, state.nextFromOutside].compactMap { $0 }.min()
  }

  private func firstWords(_ state: PlayerState) -> String { firstLeft(state).map(state.words) ?? "the command's end" }
}
