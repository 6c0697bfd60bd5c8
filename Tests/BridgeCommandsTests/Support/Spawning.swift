import Foundation

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

struct SystemCallFailed: Error {
  let call: String
  let code: Int32

  static func last(_ call: String) -> SystemCallFailed { SystemCallFailed(call: call, code: errno) }
}

/// A terminal of our own: the test is at the master side, the program under test at the slave side.
final class PseudoTerminal: Sendable {
  let master: Int32
  /// Held open, so that the terminal keeps its modes after the program's end.
  let slave: Int32
  let path: String

  init() throws {
    var (master, slave): (Int32, Int32) = (-1, -1)
    var name = [CChar](repeating: 0, count: 128)
    guard try Self.openpty()(&master, &slave, &name, nil, nil) == 0 else { throw SystemCallFailed.last("openpty") }
    for end in [master, slave] { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    (self.master, self.slave) = (master, slave)
    path = String(decoding: name.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
  }

  private typealias OpenPTY =
    @convention(c) (
      UnsafeMutablePointer<Int32>, UnsafeMutablePointer<Int32>, UnsafeMutablePointer<CChar>, UnsafeRawPointer?,
      UnsafeRawPointer?
    ) -> Int32

  /// The C library has it, and Swift's view of the library lacks its header.
  private static func openpty() throws -> OpenPTY {
    #if canImport(Darwin)
      let everywhere = UnsafeMutableRawPointer(bitPattern: -2)
    #else
      let everywhere: UnsafeMutableRawPointer? = nil
    #endif
    guard let function = dlsym(everywhere, "openpty") else { throw SystemCallFailed(call: "openpty", code: ENOSYS) }
    return unsafeBitCast(function, to: OpenPTY.self)
  }

  deinit {
    close(slave)
    close(master)
  }

  var echoes: Bool {
    var modes = termios()
    return tcgetattr(slave, &modes) == 0 && modes.c_lflag & tcflag_t(ECHO) != 0
  }
}

/// `read` and `write` of the C library, where a test has other functions of these names at hand.
func readOnce(_ descriptor: Int32, _ buffer: UnsafeMutableRawPointer?, _ count: Int) -> Int {
  read(descriptor, buffer, count)
}

func writeOnce(_ descriptor: Int32, _ text: String) { _ = write(descriptor, text, text.utf8.count) }

enum Pipe {
  /// A pipe whose ends no child inherits, as long as none is made at the same time.
  static func make() throws -> (read: Int32, write: Int32) {
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else { throw SystemCallFailed.last("pipe") }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    return (ends[0], ends[1])
  }

  /// A readable descriptor that gives bytes and then ends: a pipe where they fit into one, else a file.
  static func file(with bytes: [UInt8]) throws -> Int32 {
    if bytes.count <= 32_768 {
      let (readEnd, writeEnd) = try make()
      _ = write(writeEnd, bytes, bytes.count)
      close(writeEnd)
      return readEnd
    }
    var template = Array("/tmp/ctap-bridge-tests.XXXXXX".utf8CString)
    let descriptor = mkstemp(&template)
    guard descriptor >= 0 else { throw SystemCallFailed.last("mkstemp") }
    _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
    unlink(template)
    let handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: false)
    try handle.write(contentsOf: bytes)
    try handle.seek(toOffset: 0)
    return descriptor
  }
}

/// The arrangements for a child process; it leads a session of its own and has its signals as at a shell.
struct SpawnActions {
  private var actions = posix_spawn_file_actions_t()
  private var attributes = posix_spawnattr_t()

  init() {
    posix_spawn_file_actions_init(&actions)
    posix_spawnattr_init(&attributes)
    var none = sigset_t()
    sigemptyset(&none)
    posix_spawnattr_setsigmask(&attributes, &none)
    var all = sigset_t()
    sigfillset(&all)
    posix_spawnattr_setsigdefault(&attributes, &all)
    #if canImport(Darwin)
      let newSession = Int32(POSIX_SPAWN_SETSID)
    #else
      // POSIX_SPAWN_SETSID, which Swift's view of the C library lacks.
      let newSession: Int32 = 0x80
    #endif
    let flags = newSession | Int32(POSIX_SPAWN_SETSIGMASK) | Int32(POSIX_SPAWN_SETSIGDEF)
    posix_spawnattr_setflags(&attributes, Int16(flags))
  }

  mutating func open(_ descriptor: Int32, _ path: String, _ flags: Int32) {
    // The first terminal that a session's leader opens becomes its controlling one.
    posix_spawn_file_actions_addopen(&actions, descriptor, path, flags, 0o600)
  }

  mutating func close(_ descriptor: Int32) {
    // Opened first, because closing a descriptor that is not open is an error.
    posix_spawn_file_actions_addopen(&actions, descriptor, "/dev/null", O_RDWR, 0)
    posix_spawn_file_actions_addclose(&actions, descriptor)
  }

  mutating func duplicate(_ source: Int32, _ target: Int32) {
    posix_spawn_file_actions_adddup2(&actions, source, target)
  }

  mutating func spawn(_ path: String, _ arguments: [String], _ environment: [String]) throws -> pid_t {
    var words: [UnsafeMutablePointer<CChar>?] = ([path] + arguments).map { strdup($0) } + [nil]
    var variables: [UnsafeMutablePointer<CChar>?] = environment.map { strdup($0) } + [nil]
    defer { for text in words + variables { free(text) } }
    var pid = pid_t()
    let code = posix_spawn(&pid, path, &actions, &attributes, &words, &variables)
    guard code == 0 else { throw SystemCallFailed(call: "posix_spawn \(path)", code: code) }
    return pid
  }

  mutating func destroy() {
    posix_spawn_file_actions_destroy(&actions)
    posix_spawnattr_destroy(&attributes)
  }
}
