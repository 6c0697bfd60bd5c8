#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// A file that is written whole or not at all: a temporary file beside it, then a rename.
///
/// A link is followed. An old file's permission bits are kept, a new file's are those that the umask leaves. What is no
/// plain file, such as a pipe or `/dev/null`, is opened and written to, because a rename would put a file in its place.
final class OutputFile {
  private let path: String
  /// The path of the temporary file, or nil where the path itself is written to.
  private var temporary: String?
  private let descriptor: Int32
  private var cleanup: Int?

  /// Opens what will be written to, before any key is touched, so that a place that cannot be written costs nothing.
  init(path given: String) throws(CommandFailure) {
    guard !Tape.current.isReplay else { throw OutputFile.failure(given, SystemError(operation: "open", code: EROFS)) }
    guard !given.isEmpty else { throw OutputFile.failure(given, SystemError(operation: "open", code: ENOENT)) }
    path = OutputFile.resolved(given)
    var status = stat()
    let isThere = stat(path, &status) == 0
    do throws(SystemError) {
      if isThere, status.st_mode & S_IFMT != S_IFREG {
        descriptor = try OutputFile.opened(path, O_WRONLY | O_NOCTTY)
        return
      }
      guard !isThere || access(path, W_OK) == 0 else { throw .last("open") }
      let name = OutputFile.temporaryName(beside: path)
      descriptor = try OutputFile.opened(name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW)
      temporary = name
      cleanup = ExitCleanup.add { unlink(name) }
      if isThere { fchmod(descriptor, status.st_mode & 0o777) }
    } catch {
      throw OutputFile.failure(given, error)
    }
  }

  deinit {
    close(descriptor)
    if let cleanup { ExitCleanup.finish(cleanup) }
  }

  /// Writes, synchronises and renames; after an error the old file is as it was.
  func commit(_ bytes: [UInt8]) throws(SystemError) {
    try StandardStreams.write(bytes, to: descriptor)
    guard let temporary else { return }
    guard fsync(descriptor) == 0 else { throw .last("fsync") }
    guard rename(temporary, path) == 0 else { throw .last("rename") }
    if let cleanup { ExitCleanup.forget(cleanup) }
    cleanup = nil
  }

  private static func opened(_ path: String, _ flags: Int32) throws(SystemError) -> Int32 {
    let descriptor = open(path, flags | O_CLOEXEC, 0o666)
    guard descriptor >= 0 else { throw .last("open") }
    return descriptor
  }

  private static func resolved(_ path: String) -> String {
    guard let real = realpath(path, nil) else { return path }
    defer { free(real) }
    return String(cString: real)
  }

  private static func temporaryName(beside path: String) -> String {
    let folder = path.lastIndex(of: "/").map { String(path[...$0]) } ?? ""
    return folder + ".ctap-bridge-\(getpid())-\(String(UInt32.random(in: 0...UInt32.max), radix: 16))"
  }

  private static func failure(_ path: String, _ error: SystemError) -> CommandFailure {
    CommandFailure(
      "OperationError", "The output file \(path) cannot be created: \(error.message). Nothing was done on a key.",
      .cannotCreate)
  }
}
