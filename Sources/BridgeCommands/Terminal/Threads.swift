import Timing

/// Threads of our own for waits that would block the shared pool.
enum Threads {
  /// Runs `body` on a new detached thread.
  static func detach(_ body: @escaping @Sendable () -> Void) {
    do throws(SystemThread.StartError) {
      try SystemThread.detach(body)
    } catch {
      // Out of threads: doing the work here is slower, and right.
      body()
    }
  }
}
