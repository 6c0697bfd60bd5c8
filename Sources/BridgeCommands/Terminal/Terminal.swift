import Octets
import WebAuthnClient

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// The person's terminal: stderr for words, `/dev/tty` for answers, never stdin.
final class Terminal: Sendable {
  private let descriptor: Int32
  private let words: Int32
  /// Whether colours may be used: NO_COLOR is unset or empty, and the terminal is not a dumb one.
  let usesColour: Bool

  /// Opens the terminal, or returns nil where stderr is not one or `/dev/tty` cannot be opened.
  init?(stderr words: Int32 = STDERR_FILENO, tty path: String = "/dev/tty") {
    guard isatty(words) == 1 else { return nil }
    let tty = open(path, O_RDWR | O_CLOEXEC | O_NOCTTY)
    guard tty >= 0 else { return nil }
    descriptor = tty
    self.words = words
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
    let restoration = echo ? nil : silence()
    defer {
      if let restoration { ExitCleanup.finish(restoration) }
    }
    try? StandardStreams.write(Array(PlainText.shown(prompt).utf8), to: words)
    return collectLine(wake: wake)
  }

  /// Turns the echo off and returns the duty that turns it on again, or nil where the terminal cannot do that.
  private func silence() -> Int? {
    var found = termios()
    guard tcgetattr(descriptor, &found) == 0 else { return nil }
    let (saved, tty, words) = (found, descriptor, words)
    let restoration = ExitCleanup.add {
      var modes = saved
      // What was typed at the prompt and not read is thrown away: a shell would show it.
      tcflush(tty, TCIFLUSH)
      tcsetattr(tty, TCSANOW, &modes)
      try? StandardStreams.write([UInt8(ascii: "\n")], to: words)
    }
    found.c_lflag &= ~tcflag_t(ECHO)
    // Typed-ahead input is thrown away: it was not meant for a PIN prompt.
    tcsetattr(descriptor, TCSANOW, &found)
    tcflush(descriptor, TCIFLUSH)
    return restoration
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
