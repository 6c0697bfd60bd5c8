import Octets

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

extension CommandEnvironment {
  /// Reads a file whole, or stdin for `-`; where a program drives the command, the first line of stdin.
  func read(_ path: String, limit: Int, what: String) async throws(CommandFailure) -> [UInt8] {
    guard path == "-", let program, !Tape.current.isReplay else {
      return try InputFile.read(path, limit: limit, what: what)
    }
    let request = try await requested(by: program, limit: limit, what: what)
    return try Tape.current.file(what) { request }
  }

  private func requested(
    by program: ProgramDialogue, limit: Int, what: String
  ) async throws(CommandFailure) -> [UInt8] {
    switch await program.request() {
    case .read(let bytes) where bytes.count <= limit: return bytes
    case .read, .tooLong: throw InputFile.tooLarge("the first line of stdin", limit: limit, what: what)
    case .cancelled:
      throw CommandFailure("NotAllowedError", "Cancelled before the \(what) was there.", .declined)
    }
  }
}

/// Reading files and descriptors whole, within a limit.
///
/// What is read is recorded with the command, and comes from the recording in a replay; `unrecorded` is for what only
/// concerns this machine.
enum InputFile {
  /// Reads a file, or stdin for `-`; more than `limit` bytes are refused.
  static func read(_ path: String, limit: Int, what: String) throws(CommandFailure) -> [UInt8] {
    try Tape.current.file(what) { () throws(CommandFailure) in try unrecorded(path, limit: limit, what: what) }
  }

  /// The same without a recording.
  static func unrecorded(_ path: String, limit: Int, what: String) throws(CommandFailure) -> [UInt8] {
    if path == "-" { return try readAll(STDIN_FILENO, name: "stdin", limit: limit, what: what) }
    let descriptor = try open(path, what)
    defer { close(descriptor) }
    return try readAll(descriptor, name: path, limit: limit, what: what)
  }

  /// Reads a PIN: the first line of a file.
  static func secret(path: String, what: String) throws(CommandFailure) -> SecretBytes {
    try Tape.current.secret(what) { () throws(CommandFailure) in try unrecordedSecret(path: path, what: what) }
  }

  /// The same without a recording.
  static func unrecordedSecret(path: String, what: String) throws(CommandFailure) -> SecretBytes {
    let descriptor = try open(path, what)
    defer { close(descriptor) }
    return try firstLine(descriptor, name: path, what: what)
  }

  /// Reads a PIN: the first line that a descriptor gives.
  static func secret(descriptor: Int32, name: String, what: String) throws(CommandFailure) -> SecretBytes {
    try Tape.current.secret(what) { () throws(CommandFailure) in try firstLine(descriptor, name: name, what: what) }
  }

  /// It is read with system calls into one buffer that is wiped, because stdio would keep copies.
  private static func firstLine(_ descriptor: Int32, name: String, what: String) throws(CommandFailure) -> SecretBytes {
    var buffer = [UInt8](repeating: 0, count: 1024)
    defer { buffer.wipe() }
    var used = 0
    while used < buffer.count {
      let count = buffer.withUnsafeMutableBytes { bytes in
        systemRead(descriptor, UnsafeMutableRawBufferPointer(rebasing: bytes[used...]))
      }
      guard count >= 0 else { throw failure(name, what, .last("read")) }
      if count == 0 { break }
      used += count
      if buffer[..<used].contains(UInt8(ascii: "\n")) { break }
    }
    var line = buffer[..<used].prefix { $0 != UInt8(ascii: "\n") }
    if line.last == UInt8(ascii: "\r") { line = line.dropLast() }
    guard !line.isEmpty else {
      throw CommandFailure("NotReadableError", "There is no \(what) in the first line of \(name).", .noInput)
    }
    return SecretBytes(line)
  }

  private static func open(_ path: String, _ what: String) throws(CommandFailure) -> Int32 {
    // Opening a FIFO waits for its writer.
    let descriptor = Signals.endingAtOnce { systemOpen(path, O_RDONLY | O_CLOEXEC | O_NOCTTY) }
    guard descriptor >= 0 else { throw failure(path, what, .last("open")) }
    return descriptor
  }

  private static func readAll(
    _ descriptor: Int32, name: String, limit: Int, what: String
  ) throws(CommandFailure) -> [UInt8] {
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 65_536)
    while true {
      let count = chunk.withUnsafeMutableBytes { systemRead(descriptor, $0) }
      guard count >= 0 else { throw failure(name, what, .last("read")) }
      if count == 0 { return bytes }
      bytes += chunk[..<count]
      guard bytes.count <= limit else {
        throw tooLarge(name, limit: limit, what: what)
      }
    }
  }

  static func tooLarge(_ name: String, limit: Int, what: String) -> CommandFailure {
    CommandFailure(
      "EncodingError", "The \(what) in \(name) is larger than \(limit) bytes, which is the limit.", .badRequest)
  }

  private static func failure(_ name: String, _ what: String, _ error: SystemError) -> CommandFailure {
    CommandFailure("NotReadableError", "The \(what) cannot be read from \(name): \(error.message).", .noInput)
  }

  private static func systemOpen(_ path: String, _ flags: Int32) -> Int32 {
    #if canImport(Darwin)
      Darwin.open(path, flags)
    #else
      Glibc.open(path, flags)
    #endif
  }

  /// Reads once; a signal does not count, and where the other end made the descriptor non-blocking it is waited for.
  private static func systemRead(_ descriptor: Int32, _ buffer: UnsafeMutableRawBufferPointer) -> Int {
    Signals.endingAtOnce { readWithSignals(descriptor, buffer) }
  }

  private static func readWithSignals(_ descriptor: Int32, _ buffer: UnsafeMutableRawBufferPointer) -> Int {
    while true {
      #if canImport(Darwin)
        let count = Darwin.read(descriptor, buffer.baseAddress, buffer.count)
      #else
        let count = Glibc.read(descriptor, buffer.baseAddress, buffer.count)
      #endif
      guard count < 0, errno == EINTR || errno == EAGAIN else { return count }
      var wait = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
      _ = poll(&wait, 1, -1)
    }
  }
}
