import CTAPMessages
import FIDOCrypto
import Foundation
import Octets
import Synchronization
import Testing
import VirtualKey

@testable import BridgeCommands

/// A command that runs in a process of its own, with the key in the process of the test.
///
/// The other process runs the same program, so nothing that is looked for may be in the program's text: PINs are drawn,
/// and reach it only in the ways that they reach the command.
final class MemoryRun: Sendable {
  /// How PINs come to the command.
  enum Way: String, CaseIterable, Sendable {
    case file, terminal, program
  }

  /// What the other process is to do; it finds that in the folder that goes by its parent's number.
  private struct Plan: Codable {
    var arguments: [String]
    var terminal: String?
    var input: String?
  }

  /// What was found in the other process's memory.
  struct Finding: Sendable {
    /// What it stood still for: its output, or a touch.
    let moment: String
    let names: [String]
  }

  private static func folder(of pid: pid_t) -> String { "/tmp/ctap-bridge-memory-\(pid)" }

  let folder = MemoryRun.folder(of: getpid())
  let key: LineKey
  private let pins: [String]
  private let answers: Mutex<[String]>
  private let findings = Mutex<[Finding]>([])
  private let terminal: PseudoTerminal?
  private let input: Int32

  /// Prepares a run with the PINs that will be typed, in their order.
  init(_ way: Way, pins: [String], keyPIN: String?, protocols: [Int]) throws {
    try? FileManager.default.removeItem(atPath: folder)
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    var configuration = VirtualKeyConfiguration()
    configuration.profile.info.pinUvAuthProtocols = protocols
    configuration.presence = .after(.milliseconds(100))
    configuration.pin = keyPIN.map { SecretBytes($0.utf8) }
    key = try LineKey(path: folder + "/socket", configuration)
    terminal = way == .terminal ? try PseudoTerminal() : nil
    guard mkfifo(folder + "/answers", 0o600) == 0 else { throw SystemCallFailed.last("mkfifo") }
    input = open(folder + "/answers", O_RDWR)
    self.pins = pins
    answers = Mutex(pins)
  }

  deinit {
    key.hangUp()
    close(input)
    try? FileManager.default.removeItem(atPath: folder)
  }

  func write(_ name: String, _ content: String) throws {
    try content.write(toFile: folder + "/" + name, atomically: false, encoding: .utf8)
  }

  /// Arranges what the other process will do, and what will be done with it.
  func prepare(_ arguments: [String], _ way: Way) throws {
    let plan = Plan(
      arguments: arguments + (way == .program ? ["--interaction", "json"] : []), terminal: terminal?.path,
      input: way == .program ? folder + "/answers" : nil)
    try JSONEncoder().encode(plan).write(to: URL(fileURLWithPath: folder + "/plan"))
    key.whenSpokenTo { [weak self] word in self?.hear(word) }
    if let terminal { typeAnswers(terminal.master) }
  }

  var found: [Finding] { findings.withLock { $0 } }

  // MARK: The test's side

  private func hear(_ word: String) {
    let words = word.split(separator: " ").map(String.init)
    switch words.first {
    case "question":
      guard let answer = nextAnswer() else { return }
      let line = #"{"type":"answer","id":\#(pins.count - answers.withLock { $0.count }),"value":"\#(answer)"}"#
      writeOnce(input, line + "\n")
    default:
      let needles = pins.flatMap(Self.needles) + key.secrets.map { ("token", $0) }
      let names = (try? ForeignMemory(pid: pid_t(words[1]) ?? 0).search(needles)) ?? ["unreadable memory"]
      findings.withLock { $0.append(Finding(moment: words[0], names: names)) }
    }
  }

  private func nextAnswer() -> String? { answers.withLock { $0.isEmpty ? nil : $0.removeFirst() } }

  private func typeAnswers(_ master: Int32) {
    Thread.detachNewThread { [weak self] in
      var seen = ""
      while true {
        var wait = pollfd(fd: master, events: Int16(POLLIN), revents: 0)
        guard poll(&wait, 1, 100) > 0 else {
          if self == nil { return }
          continue
        }
        var buffer = [UInt8](repeating: 0, count: 4096)
        let count = readOnce(master, &buffer, buffer.count)
        guard count > 0 else { return }
        seen += String(decoding: buffer[..<count], as: UTF8.self)
        guard seen.hasSuffix(": "), let answer = self?.nextAnswer() else { continue }
        seen = ""
        writeOnce(master, answer + "\n")
      }
    }
  }

  /// The forms in which a PIN might be left.
  private static func needles(_ pin: String) -> [(name: String, bytes: [UInt8])] {
    let text = Array(pin.utf8)
    return [
      ("PIN", text), ("PIN in UTF-32", text.flatMap { [$0, 0, 0, 0] }),
      // As a digest works on it.
      ("PIN in swapped words", stride(from: 0, to: 16, by: 4).flatMap { text[$0..<$0 + 4].reversed() }),
      ("hash of a PIN", Array(Digest.sha256(text).prefix(16))),
    ]
  }

  // MARK: The other process's side

  /// The other process.
  static func child() async {
    let folder = folder(of: getppid())
    guard let data = FileManager.default.contents(atPath: folder + "/plan"),
      let plan = try? JSONDecoder().decode(Plan.self, from: data)
    else { exit(1) }
    let say: @Sendable (String) -> Void = { word in
      guard let line = try? Line.connect(folder + "/socket") else { return }
      _ = Line.send(line, Array("\(word) \(getpid())".utf8))
      _ = Line.receive(line, milliseconds: 60_000)
      close(line)
    }
    var environment = CommandEnvironment(
      terminal: plan.terminal.flatMap { Terminal(stderr: open($0, O_RDWR | O_NOCTTY), tty: $0) },
      usb: LineKeys(path: folder + "/socket"), allowedOrigins: nil,
      output: { _ in say("output") },
      note: { line in
        FileHandle.standardError.write(Data((line + "\n").utf8))
        if line.contains("PINNeeded") || line.contains("pinNeeded") { say("question") }
        if line.contains("Touch your key") || line.contains("touchNeeded") { say("touch") }
      })
    if let input = plan.input { environment.input = open(input, O_RDONLY) }
    exit(await CommandLineTool.run(plan.arguments, environment).rawValue)
  }
}
