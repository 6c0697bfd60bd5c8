#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// The work of one thread, in order; the thread waits here for more until the queue is closed and empty.
///
/// Unchecked: `mutex` guards every stored variable.
final class WorkQueue: @unchecked Sendable {
  typealias Work = @Sendable () -> Void

  // The C types must not move, so they live in memory of their own.
  private let mutex: UnsafeMutablePointer<pthread_mutex_t>
  private let arrival: UnsafeMutablePointer<pthread_cond_t>
  private var work: [Work] = []
  private var isClosed = false
  private var thread: pthread_t?

  init() {
    mutex = .allocate(capacity: 1)
    mutex.initialize(to: pthread_mutex_t())
    arrival = .allocate(capacity: 1)
    arrival.initialize(to: pthread_cond_t())
    pthread_mutex_init(mutex, nil)
    pthread_cond_init(arrival, nil)
  }

  deinit {
    pthread_cond_destroy(arrival)
    pthread_mutex_destroy(mutex)
    arrival.deallocate()
    mutex.deallocate()
  }

  var isOnThread: Bool {
    locked {
      guard let thread else { return false }
      return pthread_equal(thread, pthread_self()) != 0
    }
  }

  func add(_ item: @escaping Work) {
    locked { work.append(item) }
    pthread_cond_signal(arrival)
  }

  func close() {
    locked { isClosed = true }
    pthread_cond_signal(arrival)
  }

  /// Does the work on the calling thread until the queue is closed and empty.
  func run() {
    locked { thread = pthread_self() }
    while let items = next() {
      for item in items { item() }
    }
  }

  private func next() -> [Work]? {
    locked {
      while work.isEmpty, !isClosed { pthread_cond_wait(arrival, mutex) }
      defer { work = [] }
      return work.isEmpty ? nil : work
    }
  }

  private func locked<Value>(_ body: () -> Value) -> Value {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    return body()
  }
}
