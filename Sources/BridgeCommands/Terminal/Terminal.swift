import Octets
import Synchronization

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// The person's terminal: stderr for words, `/dev/tty` for answers, never stdin.
final class Terminal: Sendable {
  private let descriptor: Int32
  /// Whether colours may be used: NO_COLOR is unset or empty, and the terminal is not a dumb one.
  let usesColour: Bool

  /// Opens the terminal, or returns nil where stderr is not one or `/dev/tty` cannot be opened.
  init?() {
    guard isatty(STDERR_FILENO) == 1 else { return nil }
    let tty = open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY)
    guard tty >= 0 else { return nil }
    descriptor = tty
    usesColour = Terminal.environment("NO_COLOR").isEmpty && Terminal.environment("TERM") != "dumb"
  }

  deinit { close(descriptor) }

  /// The text in bold where colours may be used.
  func emphasised(_ text: String) -> String { usesColour ? "\u{1b}[1m\(text)\u{1b}[0m" : text }

  /// Writes `prompt` to stderr and reads one line, without echo for secrets; nil when the wait was cancelled or the
  /// terminal is gone.
  func line(prompt: String, echo: Bool) async -> SecretBytes? {
    let wake = WakePipe()
    return await withTaskCancellationHandler {
      await withCheckedContinuation { (continuation: CheckedContinuation<SecretBytes?, Never>) in
        Threads.detach { [self] in continuation.resume(returning: readLine(prompt: prompt, echo: echo, wake: wake)) }
      }
    } onCancel: {
      wake.signal()
    }
  }

  private func readLine(prompt: String, echo: Bool, wake: WakePipe) -> SecretBytes? {
    var saved = termios()
    let known = tcgetattr(descriptor, &saved) == 0
    if known, !echo {
      var silent = saved
      silent.c_lflag &= ~tcflag_t(ECHO)
      // Typed-ahead input is thrown away: it was not meant for a PIN prompt.
      tcsetattr(descriptor, TCSAFLUSH, &silent)
    }
    defer {
      if known, !echo {
        tcsetattr(descriptor, TCSAFLUSH, &saved)
        StandardStreams.note("")
      }
    }
    try? StandardStreams.write(Array(prompt.utf8), to: STDERR_FILENO)
    return collectLine(wake: wake)
  }

  private func collectLine(wake: WakePipe) -> SecretBytes? {
    // The terminal's own line limit is 4096 bytes, so this never grows and leaves no copies behind.
    var buffer = [UInt8](repeating: 0, count: 4096)
    defer { buffer.wipe() }
    var used = 0
    while true {
      var waits = [
        pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0),
        pollfd(fd: wake.readEnd, events: Int16(POLLIN), revents: 0),
      ]
      guard poll(&waits, 2, -1) >= 0 else {
        if errno == EINTR { continue }
        return nil
      }
      if waits[1].revents != 0 { return nil }
      let count = buffer.withUnsafeMutableBytes { read(descriptor, $0.baseAddress?.advanced(by: used), 4096 - used) }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { return nil }
      used += count
      if let end = buffer[..<used].firstIndex(of: UInt8(ascii: "\n")) { return SecretBytes(buffer[..<end]) }
      if used == buffer.count { return SecretBytes(buffer) }
    }
  }

  static func environment(_ name: String) -> String {
    getenv(name).map { String(cString: $0) } ?? ""
  }
}

/// A pipe whose only message is "wake up".
final class WakePipe: Sendable {
  let readEnd: Int32
  private let writeEnd: Int32

  init() {
    var ends: [Int32] = [-1, -1]
    _ = pipe(&ends)
    readEnd = ends[0]
    writeEnd = ends[1]
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
  }

  deinit {
    close(readEnd)
    close(writeEnd)
  }

  func signal() {
    var byte: UInt8 = 1
    _ = write(writeEnd, &byte, 1)
  }
}
