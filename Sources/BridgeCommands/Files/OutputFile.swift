#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// A file that is written whole or not at all: a temporary file beside it, then a rename.
final class OutputFile {
  private let path: String
  private let temporary: String
  private var descriptor: Int32

  /// Creates the temporary file, before any key is touched, so that a place that cannot be written costs nothing.
  init(path: String) throws(CommandFailure) {
    self.path = path
    var template = Array((path + ".XXXXXX").utf8CString)
    var status = stat()
    if stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFDIR {
      throw OutputFile.failure(path, SystemError(operation: "open", code: EISDIR))
    }
    descriptor = mkstemp(&template)
    guard descriptor >= 0 else { throw OutputFile.failure(path, SystemError(operation: "create", code: errno)) }
    _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
    temporary = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
  }

  deinit {
    guard descriptor >= 0 else { return }
    close(descriptor)
    unlink(temporary)
  }

  /// Writes, synchronises and renames; after an error the old file is as it was.
  func commit(_ bytes: [UInt8]) throws(CommandFailure) {
    do throws(SystemError) {
      try StandardStreams.write(bytes, to: descriptor)
      guard fchmod(descriptor, 0o666 & ~currentMask()) == 0 else { throw SystemError(operation: "chmod", code: errno) }
      guard fsync(descriptor) == 0 else { throw SystemError(operation: "fsync", code: errno) }
      guard rename(temporary, path) == 0 else { throw SystemError(operation: "rename", code: errno) }
    } catch {
      throw OutputFile.failure(path, error)
    }
    close(descriptor)
    descriptor = -1
  }

  private func currentMask() -> mode_t {
    let mask = umask(0)
    umask(mask)
    return mask
  }

  private static func failure(_ path: String, _ error: SystemError) -> CommandFailure {
    CommandFailure(
      "NotReadableError", "the output file '\(SafeText.escaping(path))' cannot be written: \(error.message)",
      .cannotCreate)
  }
}
