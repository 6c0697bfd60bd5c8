internal import Synchronization

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// Says which cells were running when the process crashes, or when nothing has moved for long.
enum CrashReport {
  private struct State {
    var recent: [String] = []
    var count = 0
  }

  private static let state = Mutex(State())
  /// How long the process may stand still in real time.
  private static let patience: UInt32 = 60

  /// Notes the name of a cell that begins.
  @Sendable static func note(_ name: String) {
    state.withLock { state in
      state.recent = state.recent.suffix(7) + [name]
      state.count += 1
      // The alarm rings only where no cell begins for so long.
      if state.count.isMultiple(of: 64) || state.count == 1 { alarm(patience) }
    }
  }

  /// Reports crashes and standstills from now on.
  static func install() {
    for number in [SIGILL, SIGTRAP, SIGSEGV, SIGBUS, SIGABRT, SIGFPE, SIGALRM] {
      signal(number) { number in
        signal(number, SIG_DFL)
        let names = CrashReport.state.withLockIfAvailable { $0.recent } ?? ["unknown"]
        writeError("FAILED: signal \(number) in one of the cells\n  " + names.joined(separator: "\n  ") + "\n")
        print("0 passed, 1 failed")
        _exit(1)
      }
    }
  }
}
