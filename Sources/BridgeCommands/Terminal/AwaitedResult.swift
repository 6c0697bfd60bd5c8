import Synchronization

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// The result of asynchronous work, for a thread that has nothing better to do than to wait for it.
final class AwaitedResult<Value: Sendable>: Sendable {
  private let value = Mutex<Value?>(nil)
  private let readEnd: Int32
  private let writeEnd: Int32

  init() {
    var ends: [Int32] = [-1, -1]
    // Without a pipe the waiting thread looks again and again.
    _ = pipe(&ends)
    (readEnd, writeEnd) = (ends[0], ends[1])
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
  }

  deinit {
    close(readEnd)
    close(writeEnd)
  }

  /// Gives the result and wakes the waiting thread.
  func set(_ result: Value) {
    value.withLock { $0 = result }
    var byte: UInt8 = 0
    _ = write(writeEnd, &byte, 1)
  }

  /// Blocks the calling thread until there is a result.
  func wait() -> Value {
    while true {
      if let result = value.withLock({ $0 }) { return result }
      var entry = pollfd(fd: readEnd, events: Int16(POLLIN), revents: 0)
      _ = poll(&entry, 1, 100)
    }
  }
}
