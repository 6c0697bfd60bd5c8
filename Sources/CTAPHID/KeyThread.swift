#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// A thread of its own for one open key, so that waits for the key do not hold up other asynchronous work.
///
/// It is an actor's executor: an actor that returns it as its `unownedExecutor` runs on it, and its state may be of
/// types that are not `Sendable`, such as `HostChannel`; see `ThreadBound`. The thread ends when the last reference to
/// the `KeyThread` goes and what was handed to it has been done.
public final class KeyThread: SerialExecutor {
  private let queue: WorkQueue

  /// Starts the thread; its stack is 1 MiB.
  public init() throws(TransportError) {
    queue = WorkQueue()
    try Self.start(queue)
  }

  deinit { queue.close() }

  /// Runs an actor's job on the thread.
  public func enqueue(_ job: UnownedJob) {
    queue.add { [self] in job.runSynchronously(on: asUnownedSerialExecutor()) }
  }

  /// Whether the caller is on this thread; a trap where it is not.
  public func checkIsolated() {
    precondition(queue.isOnThread, "not on the key's thread")
  }

  /// Whether the caller is on this thread.
  public var isCurrent: Bool { queue.isOnThread }

  /// Runs `body` on the thread, where it may block, and returns what it returns.
  public func run<Value: Sendable, Failure: Error>(
    _ body: @escaping @Sendable () throws(Failure) -> Value
  ) async throws(Failure) -> Value {
    let result: Result<Value, Failure> = await withUnsafeContinuation { continuation in
      queue.add { [self] in
        withExtendedLifetime(self) { continuation.resume(returning: Result { () throws(Failure) in try body() }) }
      }
    }
    return try result.get()
  }

  private static let stackSize = 1 << 20

  private static func start(_ queue: WorkQueue) throws(TransportError) {
    var attributes = pthread_attr_t()
    pthread_attr_init(&attributes)
    defer { pthread_attr_destroy(&attributes) }
    pthread_attr_setstacksize(&attributes, stackSize)
    pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED))
    #if canImport(Darwin)
      var thread: pthread_t?
    #else
      var thread = pthread_t()
    #endif
    let argument = Unmanaged.passRetained(queue)
    let code = pthread_create(&thread, &attributes, { runQueue($0) }, argument.toOpaque())
    guard code == 0 else {
      argument.release()
      throw .failed(operation: "pthread_create", code: code, message: String(cString: strerror(code)))
    }
  }
}

#if canImport(Darwin)
  private func runQueue(_ argument: UnsafeMutableRawPointer) -> UnsafeMutableRawPointer? {
    Unmanaged<WorkQueue>.fromOpaque(argument).takeRetainedValue().run()
    return nil
  }
#else
  private func runQueue(_ argument: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    if let argument { Unmanaged<WorkQueue>.fromOpaque(argument).takeRetainedValue().run() }
    return nil
  }
#endif
