#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// A thread of the system's, for waits that must not occupy the shared pool.
///
/// Signals are left to other threads, so that none ends a wait early; those by which the processor reports a fault are
/// not, so that a crash is still told by whoever handles it.
public struct SystemThread: @unchecked Sendable {
  // Unchecked: a thread's name is a value that any thread may use.
  private let handle: pthread_t

  /// Starts a thread that runs `body` and can be joined.
  ///
  /// - Parameters:
  ///   - stackSize: the size of its stack in bytes; the system's own size where there is none.
  ///   - body: what it does.
  /// - Throws: `StartError` where the system gives no thread; `body` is then not run.
  public init(stackSize: Int? = nil, _ body: @escaping @Sendable () -> Void) throws(StartError) {
    handle = try Self.start(stackSize, isDetached: false, body)
  }

  /// Waits until the thread has ended; call it once.
  public func join() {
    pthread_join(handle, nil)
  }

  /// Runs `body` on a thread that nobody waits for.
  ///
  /// - Parameters:
  ///   - stackSize: the size of its stack in bytes; the system's own size where there is none.
  ///   - body: what it does.
  /// - Throws: `StartError` where the system gives no thread; `body` is then not run.
  public static func detach(stackSize: Int? = nil, _ body: @escaping @Sendable () -> Void) throws(StartError) {
    _ = try start(stackSize, isDetached: true, body)
  }

  /// The system gave no thread.
  public struct StartError: Error, Hashable, Sendable {
    /// The error number of `pthread_create`.
    public let code: Int32
    /// The system's words for it.
    public var message: String { String(cString: strerror(code)) }
  }

  private final class Job: Sendable {
    let body: @Sendable () -> Void
    init(_ body: @escaping @Sendable () -> Void) { self.body = body }
  }

  private static func start(
    _ stackSize: Int?, isDetached: Bool, _ body: @escaping @Sendable () -> Void
  ) throws(StartError) -> pthread_t {
    var attributes = pthread_attr_t()
    pthread_attr_init(&attributes)
    defer { pthread_attr_destroy(&attributes) }
    if let stackSize { pthread_attr_setstacksize(&attributes, stackSize) }
    if isDetached { pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED)) }

    // A new thread has the mask that its parent has then; threads of the shared pool block even the faults.
    var (others, previous) = (sigset_t(), sigset_t())
    sigfillset(&others)
    for fault in [SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGTRAP, SIGABRT, SIGSYS] { sigdelset(&others, fault) }
    pthread_sigmask(SIG_SETMASK, &others, &previous)
    defer { pthread_sigmask(SIG_SETMASK, &previous, nil) }

    let job = Unmanaged.passRetained(Job(body))
    #if canImport(Darwin)
      var thread: pthread_t?
      let code = pthread_create(
        &thread, &attributes,
        { argument in
          Unmanaged<Job>.fromOpaque(argument).takeRetainedValue().body()
          return nil
        }, job.toOpaque())
    #else
      var started = pthread_t()
      let code = pthread_create(
        &started, &attributes,
        { argument in
          if let argument { Unmanaged<Job>.fromOpaque(argument).takeRetainedValue().body() }
          return nil
        }, job.toOpaque())
      let thread: pthread_t? = started
    #endif
    guard code == 0, let thread else {
      job.release()
      throw StartError(code: code)
    }
    return thread
  }
}
