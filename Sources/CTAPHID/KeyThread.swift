internal import Timing

/// A thread of its own for one open key, so that waits for the key do not hold up other asynchronous work.
///
/// It is an actor's executor: an actor that returns it as its `unownedExecutor` runs on it, and its state may be of
/// types that are not `Sendable`, such as `HostChannel`; see `ThreadBound`. The thread ends when the last reference to
/// the `KeyThread` goes and what was handed to it has been done.
public final class KeyThread: SerialExecutor {
  private static let stackSize = 1 << 20

  private let queue: WorkQueue

  /// Starts the thread; its stack is 1 MiB.
  public init() throws(TransportError) {
    queue = WorkQueue()
    do throws(SystemThread.StartError) {
      try SystemThread.detach(stackSize: Self.stackSize) { [queue] in queue.run() }
    } catch {
      throw .failed(operation: "pthread_create", code: error.code, message: error.message)
    }
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
}
