internal import CTAPHID

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

/// The operating system's words for an error number.
func describe(errorNumber code: Int32) -> String {
  var buffer = [CChar](repeating: 0, count: 256)
  guard strerror_r(code, &buffer, buffer.count) == 0 else { return "error \(code)" }
  return String(decoding: buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
}

extension TransportError {
  /// What a failed operation on the node at `path` means, by its error number.
  init(operation: String, path: String, code: Int32) {
    switch code {
    case ENOENT, ENOTDIR: self = .notFound(path)
    case EACCES, EPERM: self = .permissionDenied(path)
    case ENODEV, ENXIO, ESHUTDOWN: self = .unplugged
    default: self = .failed(operation: operation, code: code, message: describe(errorNumber: code))
    }
  }
}

/// A file descriptor that is closed with its owner.
final class OpenFile {
  let descriptor: Int32

  /// Opens a file; closed in programs that this one starts.
  init(_ path: String, flags: Int32) throws(TransportError) {
    let (descriptor, code) = retryingInterrupts { open(path, flags | O_CLOEXEC) }
    guard descriptor >= 0 else { throw TransportError(operation: "open", path: path, code: code) }
    self.descriptor = descriptor
  }

  deinit { close(descriptor) }

  /// Reads up to `limit` bytes from where the file stands.
  func contents(limit: Int) throws(TransportError) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: limit)
    var count = 0
    while count < limit {
      let start = count
      let (got, code) = bytes.withUnsafeMutableBytes { buffer in
        retryingInterrupts { read(descriptor, buffer.baseAddress.map { $0 + start }, limit - start) }
      }
      guard got >= 0 else { throw TransportError(operation: "read", path: "file", code: code) }
      if got == 0 { break }
      count += got
    }
    return Array(bytes[..<count])
  }

  /// Whether the device behind the descriptor is gone: the kernel says so by an error or hang-up, without a read.
  var isGone: Bool {
    var entry = pollfd(fd: descriptor, events: 0, revents: 0)
    let (ready, _) = retryingInterrupts { poll(&entry, 1, 0) }
    return ready > 0 && Int32(entry.revents) & (POLLERR | POLLHUP | POLLNVAL) != 0
  }
}
