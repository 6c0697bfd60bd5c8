#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// Writing to descriptors with plain system calls, so that every failure is seen.
enum StandardStreams {
  /// Writes all bytes, or throws the error number.
  static func write(_ bytes: [UInt8], to descriptor: Int32) throws(SystemError) {
    var written = 0
    while written < bytes.count {
      let count = bytes.withUnsafeBytes { buffer in
        systemWrite(descriptor, UnsafeRawBufferPointer(rebasing: buffer[written...]))
      }
      if count < 0 {
        if errno == EINTR { continue }
        throw SystemError(operation: "write", code: errno)
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

  /// The system's words for the error number.
  var message: String {
    var buffer = [CChar](repeating: 0, count: 256)
    guard strerror_r(code, &buffer, buffer.count) == 0 else { return "error \(code)" }
    return String(decoding: buffer.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
  }
}
