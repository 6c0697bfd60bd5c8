import Synchronization

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// Turns SIGINT, SIGTERM, SIGHUP and SIGQUIT into a cancellation, so that the key stops blinking and the terminal
/// gets its echo back.
enum Signals {
  private static let received = Atomic<Int32>(0)
  private static let isInput = Atomic<Bool>(false)

  /// The first of those signals that came, or nil.
  static var first: Int32? {
    let number = received.load(ordering: .sequentiallyConsistent)
    return number == 0 ? nil : number
  }

  /// Blocks the signals in this thread and those it starts later; call it before any thread is started.
  ///
  /// SIGPIPE and SIGXFSZ are ignored: a closed pipe and a limit for files are errors of the write that meets them.
  static func block() {
    for number in [SIGPIPE, SIGXFSZ] { signal(number, SIG_IGN) }
    var set = cancelling
    // The first touches a virtual key, and elsewhere does nothing; the second is for `watch`.
    for number in [SIGUSR1, SIGALRM] { sigaddset(&set, number) }
    pthread_sigmask(SIG_BLOCK, &set, nil)
  }

  /// Calls `handler` when one of the signals comes; a second one ends the process at once, with a last line.
  static func watch(farewell: String, onAlarm: () -> Never, _ handler: () -> Void) -> Never {
    var set = cancelling
    sigaddset(&set, SIGALRM)
    while true {
      var number: Int32 = 0
      guard sigwait(&set, &number) == 0 else { continue }
      if number == SIGALRM { onAlarm() }
      let outcome = received.compareExchange(expected: 0, desired: number, ordering: .sequentiallyConsistent)
      if isInput.load(ordering: .sequentiallyConsistent) { leave(number) }
      guard outcome.exchanged else {
        ExitCleanup.runAll()
        StandardStreams.note(farewell)
        _exit(128 + number)
      }
      for work in beforehand.withLock({ Array($0.values) }) { work() }
      handler()
    }
  }

  private static let beforehand = Mutex<[Int: @Sendable () -> Void]>([:])

  /// Has `work` done when one of the signals comes, before anything is cancelled, until the returned value ends it.
  static func beforeCancelling(_ work: @escaping @Sendable () -> Void) -> Interruption {
    beforehand.withLock { works in
      let number = (works.keys.max() ?? 0) + 1
      works[number] = work
      return Interruption(number: number)
    }
  }

  /// Work that was promised for the case of an interruption.
  struct Interruption {
    fileprivate let number: Int

    /// Takes the work back.
    func end() { beforehand.withLock { $0[number] = nil } }
  }

  /// Does what may wait for input before any key is in use: a signal then ends the process at once, because nothing has
  /// to be put right on a key and the wait hears no cancellation.
  static func endingAtOnce<Value>(_ wait: () -> Value) -> Value {
    isInput.store(true, ordering: .sequentiallyConsistent)
    defer { isInput.store(false, ordering: .sequentiallyConsistent) }
    if let first { leave(first) }
    return wait()
  }

  private static func leave(_ number: Int32) -> Never {
    ExitCleanup.runAll()
    _exit(128 + number)
  }

  /// Calls `handler` each time that SIGUSR1 comes.
  static func onTouch(_ handler: @escaping @Sendable () -> Void) {
    Threads.detach {
      var set = sigset_t()
      sigemptyset(&set)
      sigaddset(&set, SIGUSR1)
      var number: Int32 = 0
      while sigwait(&set, &number) == 0 { handler() }
    }
  }

  private static var cancelling: sigset_t {
    var set = sigset_t()
    sigemptyset(&set)
    for number in [SIGINT, SIGTERM, SIGHUP, SIGQUIT] { sigaddset(&set, number) }
    return set
  }
}
