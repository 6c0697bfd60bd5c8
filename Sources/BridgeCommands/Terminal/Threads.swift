#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// Threads of our own for waits that would block the shared pool.
enum Threads {
  private final class Job {
    let body: @Sendable () -> Void
    init(_ body: @escaping @Sendable () -> Void) { self.body = body }
  }

  /// Runs `body` on a new detached thread.
  static func detach(_ body: @escaping @Sendable () -> Void) {
    let job = Unmanaged.passRetained(Job(body))
    #if canImport(Darwin)
      var thread: pthread_t?
    #else
      var thread = pthread_t()
    #endif
    let status = pthread_create(
      &thread, nil,
      { argument in
        #if canImport(Darwin)
          Unmanaged<Job>.fromOpaque(argument).takeRetainedValue().body()
        #else
          if let argument { Unmanaged<Job>.fromOpaque(argument).takeRetainedValue().body() }
        #endif
        return nil
      }, job.toOpaque())
    guard status == 0 else {
      // Out of threads: doing the work here is slower, and right.
      job.takeRetainedValue().body()
      return
    }
    #if canImport(Darwin)
      if let thread { pthread_detach(thread) }
    #else
      pthread_detach(thread)
    #endif
  }
}
