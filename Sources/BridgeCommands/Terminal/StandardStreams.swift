#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// Writing to descriptors with plain system calls, so that every failure is seen.
enum StandardStreams {
  /// Sees to it that 0, 1 and 2 are taken, so that no file that is opened later receives what is meant for a stream.
  ///
  /// A stream that was closed becomes one that cannot be used: reading stdin and writing stdout then fail.
  static func reserveDescriptors() {
    for descriptor in STDIN_FILENO...STDERR_FILENO where fcntl(descriptor, F_GETFD) == -1 {
      _ = open("/dev/null", descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY)
    }
  }

  /// Throws where a descriptor is not open for writing, before anything depends on it.
  static func checkWritable(_ descriptor: Int32) throws(SystemError) {
    let flags = fcntl(descriptor, F_GETFL)
    guard flags != -1, flags & O_ACCMODE != O_RDONLY else { throw SystemError(operation: "write", code: EBADF) }
  }

  /// Whether a descriptor is a terminal's.
  static func isTerminal(_ descriptor: Int32) -> Bool { isatty(descriptor) == 1 }

  /// Writes all bytes, or throws the error number.
  static func write(_ bytes: [UInt8], to descriptor: Int32) throws(SystemError) {
    var written = 0
    while written < bytes.count {
      let count = bytes.withUnsafeBytes { buffer in
        systemWrite(descriptor, UnsafeRawBufferPointer(rebasing: buffer[written...]))
      }
      if count < 0 {
        let code = errno
        if code == EINTR { continue }
        // Whoever shares the pipe may have made it non-blocking.
        if code == EAGAIN {
          var wait = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
          _ = poll(&wait, 1, -1)
          continue
        }
        throw SystemError(operation: "write", code: code)
      }
      written += count
    }
  }

  /// Writes a line for people to stderr; nothing can be done where that fails.
  static func note(_ line: String) {
    try? write(Array((line + "\n").utf8), to: STDERR_FILENO)
  }

  private static func systemWrite(_ descriptor: Int32, _ buffer: UnsafeRawBufferPointer) -> Int {
    #if canImport(Darwin)
      Darwin.write(descriptor, buffer.baseAddress, buffer.count)
    #else
      Glibc.write(descriptor, buffer.baseAddress, buffer.count)
    #endif
  }
}

/// A system call that failed.
struct SystemError: Error, Equatable, Sendable {
  let operation: String
  let code: Int32

  /// The error of a call that has just failed.
  static func last(_ operation: String) -> SystemError { SystemError(operation: operation, code: errno) }

  /// The system's words for the error number.
  var message: String {
    var buffer = [CChar](repeating: 0, count: 256)
    guard strerror_r(code, &buffer, buffer.count) == 0 else { return "error \(code)" }
    return String(decoding: buffer.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
  }
}
