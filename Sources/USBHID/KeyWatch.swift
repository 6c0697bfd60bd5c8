internal import CTAPHID
internal import Synchronization
internal import Timing

#if canImport(Darwin)
  internal import Darwin
#else
  internal import Glibc
#endif

/// A thread that turns word of changes into arrivals and removals of keys.
final class KeyWatch: Sendable {
  private let platform: any USBPlatform
  private let wake = WakePipe()

  init(platform: any USBPlatform) { self.platform = platform }

  /// Starts the thread; listening begins before this returns, so that no change falls in between.
  func run(_ report: @escaping @Sendable (KeyEvent) -> Void) {
    let signal = Box(platform.changes())
    let known = (try? platform.keys()) ?? []
    let (platform, wake) = (platform, wake)
    // Without a thread nothing is reported; the search for a key has the list that it began with.
    try? SystemThread.detach {
      var tracker = KeyTracker(known: known)
      let signal = signal.value
      while !wake.isStopped {
        let change = signal.next(wake: wake.readEnd)
        guard !wake.isStopped else { break }
        for event in tracker.events(after: change, on: platform) { report(event) }
      }
    }
  }

  /// Ends the thread; nothing is reported once it has noticed.
  func stop() { wake.stop() }

  /// Hands the signal to the thread that alone will use it.
  private struct Box: @unchecked Sendable {
    let value: any ChangeSignal
    init(_ value: sending any ChangeSignal) { self.value = value }
  }
}

/// The keys that were told of, and what to tell next.
struct KeyTracker {
  private var known: [String: KeyDescription]

  init(known: [KeyDescription]) {
    self.known = Dictionary(known.map { ($0.id, $0) }) { $1 }
  }

  /// The events that a change comes to, removals first.
  mutating func events(after change: Change, on platform: any USBPlatform) -> [KeyEvent] {
    switch change {
    case .nothing: return []
    case .absent(let id): return known.removeValue(forKey: id) == nil ? [] : [.removed(id)]
    case .present(let id):
      guard let key = platform.key(id), known[id] != key else { return [] }
      known[id] = key
      return [.arrived(key)]
    case .unknown:
      // A scan that fails says nothing about the keys; the next change brings another.
      guard let now = try? platform.keys() else { return [] }
      let gone = known.keys.filter { id in !now.contains { $0.id == id } }.sorted()
      let new = now.filter { known[$0.id] != $0 }
      known = Dictionary(now.map { ($0.id, $0) }) { $1 }
      return gone.map { .removed($0) } + new.map { .arrived($0) }
    }
  }
}

/// A pipe that ends a thread's wait.
final class WakePipe: Sendable {
  /// Becomes readable on `stop`; -1 where the system gave no pipe, then the wait's own length must do.
  let readEnd: Int32
  private let writeEnd: Int32
  private let stopped = Atomic<Bool>(false)

  init() {
    var ends: [Int32] = [-1, -1]
    if pipe(&ends) == 0 {
      for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    }
    (readEnd, writeEnd) = (ends[0], ends[1])
  }

  deinit {
    if readEnd >= 0 { close(readEnd) }
    if writeEnd >= 0 { close(writeEnd) }
  }

  var isStopped: Bool { stopped.load(ordering: .acquiring) }

  func stop() {
    stopped.store(true, ordering: .releasing)
    var byte: UInt8 = 0
    _ = retryingInterrupts { write(writeEnd, &byte, 1) }
  }

  /// Waits until one of two descriptors is readable, at most `milliseconds`.
  ///
  /// - Returns: Whether the first one is; an interrupted wait is a short one.
  static func wait(for first: Int32, or second: Int32, milliseconds: Int32) -> Bool {
    var entries = [first, second].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
    return poll(&entries, 2, milliseconds) > 0 && entries[0].revents != 0
  }
}
