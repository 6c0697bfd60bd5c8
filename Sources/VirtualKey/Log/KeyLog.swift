import Timing

/// The entries of a virtual key's log, the newest ones up to a limit.
struct KeyLog {
  private(set) var entries: [VirtualKeyLogEntry] = []
  /// The moment that is written beside what is added.
  var now: Instant
  private let limit: Int
  private let observer: (@Sendable (VirtualKeyLogEntry) -> Void)?

  init(limit: Int, observer: (@Sendable (VirtualKeyLogEntry) -> Void)?, now: Instant) {
    self.limit = max(limit, 0)
    self.observer = observer
    self.now = now
  }

  mutating func add(_ event: VirtualKeyEvent) {
    let entry = VirtualKeyLogEntry(instant: now, event: event)
    observer?(entry)
    entries.append(entry)
    // Half of the room is made free at a time, so that adding stays cheap.
    if entries.count > limit { entries.removeFirst(max(entries.count - limit, min(limit / 2, entries.count))) }
  }

  mutating func clear() { entries.removeAll() }
}
