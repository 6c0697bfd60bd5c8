#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// What the system must grant before anything can run: below that, the Swift runtime ends by a trap, or waits for ever.
enum SystemLimits {
  /// The address space that a command needs with its threads' stacks, in bytes.
  private static let addressSpace = 128 << 20
  /// The descriptors that a command has open at a time, beside those it was started with.
  private static let descriptors = 8

  /// How long the runtime may take to get its first thread, in seconds.
  static let patience: UInt32 = 30
  /// What is said when that time is over.
  static let noThreads = shortage("The system gives ctap-bridge no thread to run on", "ulimit -u")

  /// What there is too little of, or nil.
  static func check() -> CommandFailure? {
    var limit = rlimit()
    #if canImport(Darwin)
      let resource = RLIMIT_AS
    #else
      let resource = Int32(RLIMIT_AS.rawValue)
    #endif
    if getrlimit(resource, &limit) == 0, limit.rlim_cur < addressSpace {
      return shortage("ctap-bridge needs \(addressSpace >> 20) MiB of address space", "ulimit -v")
    }
    let copies = (0..<descriptors).map { _ in fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 0) }
    for copy in copies where copy >= 0 { close(copy) }
    guard copies.contains(-1) else { return nil }
    return shortage("ctap-bridge needs to have \(descriptors) files open at a time", "ulimit -n")
  }

  private static func shortage(_ need: String, _ command: String) -> CommandFailure {
    CommandFailure(
      "OperationError", "\(need); raise the limit (`\(command)` shows it). Nothing was done.", .systemResources)
  }
}
