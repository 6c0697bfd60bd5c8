#if canImport(Darwin)
  internal import Darwin
#else
  internal import Glibc
#endif

/// Runs a system call again while a signal interrupts it.
///
/// - Returns: The call's result and, where that is negative, the error number.
func retryingInterrupts<Result: SignedInteger>(_ call: () -> Result) -> (result: Result, code: Int32) {
  while true {
    let result = call()
    if result >= 0 { return (result, 0) }
    let code = errno
    if code != EINTR { return (result, code) }
  }
}

extension VirtualKeyUSBError {
  /// What a failed operation at `path` means, by its error number.
  init(_ operation: String, _ path: String, _ code: Int32) {
    guard code != EACCES, code != EPERM else {
      self = .denied(path: path)
      return
    }
    var words = [CChar](repeating: 0, count: 256)
    let known = strerror_r(code, &words, words.count) == 0
    let text = String(decoding: words.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    self = .system(operation: operation, path: path, code: code, message: known ? text : "unknown")
  }
}

/// `read`, `write` and `close`, under names that methods called the same do not hide.
enum Descriptors {
  static func read(_ descriptor: Int32, into buffer: UnsafeMutableRawBufferPointer) -> (count: Int, code: Int32) {
    #if canImport(Darwin)
      let (count, code) = retryingInterrupts { Darwin.read(descriptor, buffer.baseAddress, buffer.count) }
    #else
      let (count, code) = retryingInterrupts { Glibc.read(descriptor, buffer.baseAddress, buffer.count) }
    #endif
    return (count, code)
  }

  static func read(_ descriptor: Int32, limit: Int) -> (bytes: [UInt8]?, code: Int32) {
    var bytes = [UInt8](repeating: 0, count: limit)
    let (count, code) = bytes.withUnsafeMutableBytes { read(descriptor, into: $0) }
    return count < 0 ? (nil, code) : (Array(bytes[..<count]), 0)
  }

  /// Writes in one call; a short write counts as an error.
  static func write(_ bytes: [UInt8], to descriptor: Int32) -> (isDone: Bool, code: Int32) {
    #if canImport(Darwin)
      let (count, code) = retryingInterrupts { Darwin.write(descriptor, bytes, bytes.count) }
    #else
      let (count, code) = retryingInterrupts { Glibc.write(descriptor, bytes, bytes.count) }
    #endif
    return (count == bytes.count, count < 0 ? code : EIO)
  }

  static func close(_ descriptor: Int32) {
    #if canImport(Darwin)
      Darwin.close(descriptor)
    #else
      Glibc.close(descriptor)
    #endif
  }
}

/// The few file operations that sysfs and configfs need.
enum Files {
  static func exists(_ path: String) -> Bool { access(path, F_OK) == 0 }

  /// The names in a folder but `.` and `..`, sorted; none where it cannot be read.
  static func names(in path: String) -> [String] {
    guard let directory = opendir(path) else { return [] }
    defer { closedir(directory) }
    var names: [String] = []
    while let entry = readdir(directory) {
      let name = withUnsafeBytes(of: entry.pointee.d_name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
      if name != ".", name != ".." { names.append(name) }
    }
    return names.sorted()
  }

  /// The lines of an attribute, at most a page; none where it cannot be read.
  static func lines(_ path: String) -> [Substring] {
    let (descriptor, _) = retryingInterrupts { open(path, O_RDONLY | O_CLOEXEC) }
    guard descriptor >= 0 else { return [] }
    defer { close(descriptor) }
    let bytes = Descriptors.read(descriptor, limit: 4096).bytes ?? []
    return String(decoding: bytes, as: UTF8.self).split(separator: "\n")
  }

  /// Writes an attribute in one call, as the kernel wants it.
  static func write(_ bytes: [UInt8], to path: String) throws(VirtualKeyUSBError) {
    let (descriptor, openCode) = retryingInterrupts { open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644) }
    guard descriptor >= 0 else { throw VirtualKeyUSBError("open", path, openCode) }
    defer { close(descriptor) }
    let (isDone, code) = Descriptors.write(bytes, to: descriptor)
    guard isDone else { throw VirtualKeyUSBError("write", path, code) }
  }

  static func makeFolder(_ path: String) throws(VirtualKeyUSBError) {
    let (result, code) = retryingInterrupts { mkdir(path, 0o755) }
    guard result == 0 else { throw VirtualKeyUSBError("mkdir", path, code) }
  }

  /// The path with every link followed, or nil.
  static func resolved(_ path: String) -> String? {
    guard let real = realpath(path, nil) else { return nil }
    defer { free(real) }
    return String(cString: real)
  }
}

/// Ends a wait on a descriptor from another thread.
final class WakePipe: Sendable {
  let readEnd: Int32
  private let writeEnd: Int32

  init() throws(VirtualKeyUSBError) {
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else { throw VirtualKeyUSBError("pipe", "the process", errno) }
    for end in ends {
      _ = fcntl(end, F_SETFD, FD_CLOEXEC)
      _ = fcntl(end, F_SETFL, O_NONBLOCK)
    }
    (readEnd, writeEnd) = (ends[0], ends[1])
  }

  deinit {
    Descriptors.close(readEnd)
    Descriptors.close(writeEnd)
  }

  /// Makes the read end readable; where the pipe is full, it is already.
  func wake() {
    _ = Descriptors.write([0], to: writeEnd)
  }

  /// Takes back what was written.
  func clear() {
    while let bytes = Descriptors.read(readEnd, limit: 64).bytes, !bytes.isEmpty {}
  }
}

/// Waits until one of the descriptors is ready, at most `milliseconds` (-1 for ever).
///
/// - Returns: What each is ready for; nothing where the time passed or a signal came.
func awaitReady(_ descriptors: [(descriptor: Int32, events: Int32)], milliseconds: Int32) -> [Int32] {
  var entries = descriptors.map { pollfd(fd: $0.descriptor, events: Int16($0.events), revents: 0) }
  let ready = poll(&entries, nfds_t(entries.count), milliseconds)
  return entries.map { ready > 0 ? Int32($0.revents) : 0 }
}
