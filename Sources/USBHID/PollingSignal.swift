/// Looks again every so often, where nobody tells of changes.
final class PollingSignal: ChangeSignal {
  private let milliseconds: Int32

  init(milliseconds: Int32) { self.milliseconds = milliseconds }

  func next(wake: Int32) -> Change {
    WakePipe.wait(for: wake, or: -1, milliseconds: milliseconds) ? .nothing : .unknown
  }
}
