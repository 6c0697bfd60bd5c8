import Synchronization

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// The file that a recording is written to as it grows, for its owner alone.
final class TraceFile: Sendable {
  private let descriptor: Int32
  private let firstError = Mutex<SystemError?>(nil)

  /// Creates the file before any key is touched; one that is there is replaced.
  init(path: String) throws(CommandFailure) {
    descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOCTTY, 0o600)
    guard descriptor >= 0 else {
      throw CommandFailure(
        "OperationError",
        "The recording \(path) cannot be created: \(SystemError.last("open").message). Nothing was done on a key.",
        .cannotCreate)
    }
    // A file that was there keeps its mode, which could let others read what is recorded now.
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_mode & 0o077 != 0 else {
      return
    }
    guard fchmod(descriptor, 0o600) == 0 else {
      throw CommandFailure(
        "OperationError",
        "The recording \(path) cannot be kept from others: \(SystemError.last("fchmod").message). Nothing was done on a "
          + "key.", .cannotCreate)
    }
  }

  deinit { close(descriptor) }

  /// Why the file lacks something, or nil.
  var error: SystemError? { firstError.withLock { $0 } }

  /// Writes; after a failure nothing more, because what follows would not fit.
  func write(_ bytes: [UInt8]) {
    firstError.withLock { found in
      guard found == nil else { return }
      do throws(SystemError) { try StandardStreams.write(bytes, to: descriptor) } catch { found = error }
    }
  }
}
