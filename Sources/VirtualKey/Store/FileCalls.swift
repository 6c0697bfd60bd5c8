#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// A file descriptor that is closed with its last reference.
final class OwnedDescriptor: Sendable {
  let number: Int32

  init(_ number: Int32) { self.number = number }

  deinit { close(number) }
}

/// The system calls of the file store; the only place that makes them.
enum FileCalls {
  static func resolved(_ path: String) -> String {
    guard let real = realpath(path, nil) else { return path }
    defer { free(real) }
    return String(cString: real)
  }

  static func open(_ path: String, _ flags: Int32, _ operation: String) throws(VirtualKeyStoreError) -> OwnedDescriptor
  {
    let number = retrying { openFile(path, flags | O_CLOEXEC) }
    guard number >= 0 else { throw failure(operation, path) }
    return OwnedDescriptor(number)
  }

  static func openIfPresent(_ path: String) throws(VirtualKeyStoreError) -> OwnedDescriptor? {
    // Without O_NONBLOCK a pipe at the path would wait for a writer.
    let number = retrying { openFile(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC) }
    if number < 0, errno == ENOENT { return nil }
    guard number >= 0 else { throw failure("open", path) }
    return OwnedDescriptor(number)
  }

  static func checkPrivate(_ file: OwnedDescriptor, _ path: String) throws(VirtualKeyStoreError) {
    var status = stat()
    guard fstat(file.number, &status) == 0 else { throw failure("examine", path) }
    let mode = UInt32(status.st_mode)
    guard mode & UInt32(S_IFMT) == UInt32(S_IFREG) else { throw .notAFile(path: path) }
    guard status.st_uid == geteuid() else { throw .foreignOwner(path: path, user: status.st_uid) }
    guard mode & 0o077 == 0 else { throw .openToOthers(path: path, mode: mode & 0o777) }
  }

  static func readAll(_ file: OwnedDescriptor, _ path: String, limit: Int) throws(VirtualKeyStoreError) -> [UInt8] {
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 65_536)
    while true {
      let count = retrying { read(file.number, &chunk, chunk.count) }
      guard count >= 0 else { throw failure("read", path) }
      if count == 0 { return bytes }
      bytes += chunk[..<count]
      guard bytes.count <= limit else { throw .corrupt(path: path, reason: "it is larger than \(limit) bytes") }
    }
  }

  static func write(
    _ bytes: ArraySlice<UInt8>, _ file: OwnedDescriptor, _ path: String
  ) throws(VirtualKeyStoreError) -> Int {
    let count = bytes.withUnsafeBytes { buffer in
      retrying { systemWrite(file.number, buffer.baseAddress, buffer.count) }
    }
    guard count >= 0 else { throw failure("write", path) }
    return count
  }

  static func sync(_ file: OwnedDescriptor, _ path: String) throws(VirtualKeyStoreError) {
    guard retrying({ Int(fsync(file.number)) }) == 0 else { throw failure("sync", path) }
  }

  static func syncDirectory(of path: String) throws(VirtualKeyStoreError) {
    let slash = path.lastIndex(of: "/")
    let directory = slash.map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
    try sync(open(directory, O_RDONLY | O_DIRECTORY, "open"), directory)
  }

  static func rename(_ old: String, _ new: String) throws(VirtualKeyStoreError) {
    guard systemRename(old, new) == 0 else { throw failure("rename", new) }
  }

  static func removeQuietly(_ path: String) { unlink(path) }

  static func tryLock(_ file: OwnedDescriptor, _ path: String) throws(VirtualKeyStoreError) -> Bool {
    if retrying({ Int(flock(file.number, LOCK_EX | LOCK_NB)) }) == 0 { return true }
    guard errno == EWOULDBLOCK else { throw failure("lock", path) }
    return false
  }

  private static func failure(_ operation: String, _ path: String) -> VirtualKeyStoreError {
    let code = errno
    return .system(operation: operation, path: path, code: code, message: String(cString: strerror(code)))
  }

  /// Repeats a call that a signal interrupted.
  private static func retrying<Result: SignedInteger>(_ call: () -> Result) -> Result {
    while true {
      let result = call()
      if result != -1 || errno != EINTR { return result }
    }
  }
}

// The names inside of `FileCalls` hide the system's.
private func openFile(_ path: String, _ flags: Int32) -> Int32 { open(path, flags, 0o600) }
private func systemWrite(_ file: Int32, _ bytes: UnsafeRawPointer?, _ count: Int) -> Int { write(file, bytes, count) }
private func systemRename(_ old: String, _ new: String) -> Int32 { rename(old, new) }
