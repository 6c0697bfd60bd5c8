import Synchronization

/// What must be put right before the process ends, however it ends: the terminal's echo, a temporary file.
enum ExitCleanup {
  private static let duties = Mutex<(next: Int, works: [Int: @Sendable () -> Void])>((0, [:]))

  /// Adds a duty; it is done once, by `finish` or by `runAll`.
  static func add(_ work: @escaping @Sendable () -> Void) -> Int {
    duties.withLock { duties in
      duties.next += 1
      duties.works[duties.next] = work
      return duties.next
    }
  }

  /// Does the duty with this number now, unless that has happened.
  static func finish(_ number: Int) {
    // Done under the lock, so that the process cannot end between the decision and the deed.
    duties.withLock { duties in duties.works.removeValue(forKey: number)?() }
  }

  /// Takes a duty back that has become pointless.
  static func forget(_ number: Int) {
    _ = duties.withLock { duties in duties.works.removeValue(forKey: number) }
  }

  /// Does what is left.
  static func runAll() {
    duties.withLock { duties in
      for work in duties.works.values { work() }
      duties.works = [:]
    }
  }
}
