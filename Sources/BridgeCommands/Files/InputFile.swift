import Octets

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// Reading files and descriptors whole, within a limit.
enum InputFile {
  /// Reads a file, or stdin for `-`; more than `limit` bytes are refused.
  static func read(_ path: String, limit: Int, what: String) throws(CommandFailure) -> [UInt8] {
    if path == "-" { return try readAll(STDIN_FILENO, name: "stdin", limit: limit, what: what) }
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY)
    guard descriptor >= 0 else {
      throw CommandFailure("NotFoundError", failure(path, what, SystemError(operation: "open", code: errno)), .noInput)
    }
    defer { close(descriptor) }
    return try readAll(descriptor, name: path, limit: limit, what: what)
  }

  /// Reads a PIN: the first line of a file.
  static func secret(path: String, what: String) throws(CommandFailure) -> SecretBytes {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY)
    guard descriptor >= 0 else {
      throw CommandFailure("NotFoundError", failure(path, what, SystemError(operation: "open", code: errno)), .noInput)
    }
    defer { close(descriptor) }
    return try secret(descriptor: descriptor, name: path, what: what)
  }

  /// Reads a PIN: the first line that a descriptor gives.
  ///
  /// It is read with system calls into one buffer that is wiped, because stdio would keep copies.
  static func secret(descriptor: Int32, name: String, what: String) throws(CommandFailure) -> SecretBytes {
    var buffer = [UInt8](repeating: 0, count: 1024)
    defer { buffer.wipe() }
    var used = 0
    while used < buffer.count {
      let count = buffer.withUnsafeMutableBytes { bytes in
        systemRead(descriptor, UnsafeMutableRawBufferPointer(rebasing: bytes[used...]))
      }
      if count < 0 {
        if errno == EINTR { continue }
        throw CommandFailure(
          "NotFoundError", failure(name, what, SystemError(operation: "read", code: errno)), .noInput)
      }
      if count == 0 { break }
      used += count
      if buffer[..<used].contains(UInt8(ascii: "\n")) { break }
    }
    var line = buffer[..<used].prefix { $0 != UInt8(ascii: "\n") }
    if line.last == UInt8(ascii: "\r") { line.removeLast() }
    guard !line.isEmpty else {
      throw CommandFailure(
        "NotFoundError", "\(what) '\(SafeText.escaping(name))' has no PIN in its first line", .noInput)
    }
    return SecretBytes(line)
  }

  private static func readAll(
    _ descriptor: Int32, name: String, limit: Int, what: String
  ) throws(CommandFailure) -> [UInt8] {
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 65_536)
    while true {
      let count = chunk.withUnsafeMutableBytes { systemRead(descriptor, $0) }
      if count < 0 {
        if errno == EINTR { continue }
        throw CommandFailure(
          "NotFoundError", failure(name, what, SystemError(operation: "read", code: errno)), .noInput)
      }
      if count == 0 { return bytes }
      bytes += chunk[..<count]
      guard bytes.count <= limit else {
        throw CommandFailure(
          "DataError", "the \(what) '\(SafeText.escaping(name))' has more than \(limit) bytes, which is the limit",
          .badRequest)
      }
    }
  }

  private static func failure(_ name: String, _ what: String, _ error: SystemError) -> String {
    "the \(what) '\(SafeText.escaping(name))' cannot be read: \(error.message)"
  }

  private static func systemRead(_ descriptor: Int32, _ buffer: UnsafeMutableRawBufferPointer) -> Int {
    #if canImport(Darwin)
      Darwin.read(descriptor, buffer.baseAddress, buffer.count)
    #else
      Glibc.read(descriptor, buffer.baseAddress, buffer.count)
    #endif
  }
}
