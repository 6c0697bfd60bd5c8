import Foundation
import Testing

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// The built `ctap-bridge` as a child process; used from one thread.
final class Child {
  /// What the child finds at its descriptors.
  struct Setup: Sendable {
    var arguments: [String]
    /// What stdin gives; nil closes it.
    var input: [UInt8]? = []
    /// Whether stdin stays open after that, for `send` and `endInput`.
    var keepsInput = false
    /// A file in place of the pipe at stdout.
    var outputFile: String?
    /// Whether stderr is the child's controlling terminal.
    var terminal = false
    /// A file at stderr, also where there is a terminal.
    var errorFile: String?
    /// Whether stdout is closed.
    var closesOutput = false
    /// What descriptor 3 gives.
    var extra: [UInt8]?
    /// What stdout is, in place of the pipe.
    var outputDescriptor: Int32?
    var environment: [String: String] = [:]
    /// What runs in place of the built command.
    var program: String?
  }

  /// How the child ended.
  struct Ending: Sendable {
    var status: Int32 = -1
    var output: [UInt8] = []
    var error = ""
    /// What the terminal showed: stderr, and what was typed while the echo was on.
    var screen = ""
    /// Whether the terminal's echo was on after the end.
    var echoes = true

    var text: String { String(decoding: output, as: UTF8.self) }
    var lastLine: String { error.split(separator: "\n").last.map(String.init) ?? "" }
  }

  struct TimedOut: Error { let waitedFor: String, saw: String }

  let pid: pid_t
  private var output: Int32
  private var error: Int32
  private var inputEnd: Int32 = -1
  private let pty: PseudoTerminal?
  private var ending = Ending()
  private var searched = 0
  private var isReaped = false

  /// How long a test waits for anything before it fails; nothing here takes more than a second or two by itself.
  private static let patience = 60.0

  /// Descriptors of one child are made and handed on while no other child is started, which would inherit them.
  private static let starting = NSLock()

  init(_ setup: Setup) throws {
    Self.starting.lock()
    defer { Self.starting.unlock() }
    let pty = setup.terminal ? try PseudoTerminal() : nil
    let (outputRead, outputWrite) = try Pipe.make()
    let (errorRead, errorWrite) = try Pipe.make()
    var opened = [outputWrite, errorWrite]
    defer { for descriptor in opened { close(descriptor) } }
    var actions = SpawnActions()
    defer { actions.destroy() }
    if let pty { actions.open(2, pty.path, O_RDWR) }
    if setup.keepsInput {
      let (readEnd, writeEnd) = try Pipe.make()
      opened.append(readEnd)
      actions.duplicate(readEnd, 0)
      inputEnd = writeEnd
      _ = write(writeEnd, setup.input ?? [], setup.input?.count ?? 0)
    } else if let input = setup.input {
      let descriptor = try Pipe.file(with: input)
      opened.append(descriptor)
      actions.duplicate(descriptor, 0)
    } else {
      actions.close(0)
    }
    if setup.closesOutput {
      actions.close(1)
    } else if let file = setup.outputFile {
      actions.open(1, file, O_WRONLY | O_CREAT)
    } else if let descriptor = setup.outputDescriptor {
      actions.duplicate(descriptor, 1)
    } else {
      actions.duplicate(outputWrite, 1)
    }
    if let file = setup.errorFile {
      actions.open(2, file, O_WRONLY | O_CREAT)
    } else if pty == nil {
      actions.duplicate(errorWrite, 2)
    }
    if let extra = setup.extra {
      let descriptor = try Pipe.file(with: extra)
      opened.append(descriptor)
      actions.duplicate(descriptor, 3)
    }
    pid = try actions.spawn(setup.program ?? Binary.path, setup.arguments, Binary.environment(setup.environment))
    (output, error, self.pty) = (outputRead, errorRead, pty)
  }

  deinit {
    if !isReaped {
      kill(pid, SIGKILL)
      waitpid(pid, nil, 0)
    }
    for descriptor in [output, error, inputEnd] where descriptor >= 0 { close(descriptor) }
  }

  /// Waits until the terminal, or stderr, shows a text after what was waited for before.
  func expect(_ text: String) throws {
    let end = Date(timeIntervalSinceNow: Self.patience)
    while true {
      let seen = Array((pty == nil ? ending.error : ending.screen).utf8)
      if let found = seen[searched...].firstRange(of: Array(text.utf8)) {
        searched = found.upperBound
        return
      }
      guard Date() < end, !isReaped else { throw TimedOut(waitedFor: text, saw: String(decoding: seen, as: UTF8.self)) }
      pump()
    }
  }

  /// Types at the terminal.
  func type(_ text: String) { type(Array(text.utf8)) }

  func type(_ bytes: [UInt8]) {
    if let pty { _ = write(pty.master, bytes, bytes.count) }
  }

  /// Writes to the child's stdin.
  func send(_ text: String) {
    let isOpen = fcntl(inputEnd, F_GETFD) >= 0
    if isOpen { _ = write(inputEnd, text, text.utf8.count) }
  }

  /// Closes the child's stdin.
  func endInput() {
    close(inputEnd)
    inputEnd = -1
  }

  /// Whether the terminal shows what is typed.
  var echoes: Bool { pty?.echoes ?? false }

  func signal(_ number: Int32) { kill(pid, number) }

  /// Waits for the end.
  func finish() throws -> Ending {
    let end = Date(timeIntervalSinceNow: Self.patience)
    while !isReaped {
      guard Date() < end else { throw TimedOut(waitedFor: "the end", saw: ending.error + ending.screen) }
      pump()
    }
    while pump(wait: 0) {}
    ending.echoes = pty?.echoes ?? true
    return ending
  }

  /// Takes in what is there; false where nothing was.
  @discardableResult
  private func pump(wait: Int32 = 10) -> Bool {
    if !isReaped {
      var status: Int32 = 0
      if waitpid(pid, &status, WNOHANG) == pid {
        isReaped = true
        // Killed by a signal: as a shell tells it, plus 1000 to keep it apart from the tool's own statuses.
        ending.status = status & 0x7f == 0 ? status >> 8 & 0xff : 1000 + status & 0x7f
      }
    }
    var polls = [output, error, pty?.master ?? -1].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
    guard poll(&polls, 3, wait) > 0 else { return false }
    var found = false
    for (index, entry) in polls.enumerated() where entry.revents != 0 {
      var buffer = [UInt8](repeating: 0, count: 65_536)
      let count = read(entry.fd, &buffer, buffer.count)
      if count > 0 {
        found = true
        switch index {
        case 0: ending.output += buffer[..<count]
        case 1: ending.error += String(decoding: buffer[..<count], as: UTF8.self)
        default: ending.screen += String(decoding: buffer[..<count], as: UTF8.self)
        }
      } else if index == 0 {
        close(output)
        output = -1
      } else if index == 1 {
        close(error)
        error = -1
      }
    }
    return found
  }
}
