import CTAPHID
import Dispatch
import Foundation
import JSONText
import Synchronization
import Testing

@testable import BridgeCommands

/// A program that drives the command inside the test, and says what to answer to each event.
struct Drive: Sendable {
  struct Ending: Sendable {
    var status = ExitStatus.success
    var output = ""
    /// Every line of stderr.
    var lines: [String] = []

    var events: [JSONValue] { get throws { try lines.map { try JSONDocument(parsing: Array($0.utf8)).root } } }
    var names: [String] { get throws { try events.map(\.name) } }

    /// The events with a name.
    func events(_ name: String) throws -> [JSONValue] { try events.filter { $0.name == name } }

    /// The reason in the last line, which is an error.
    var reason: String? { get throws { try events.last?["reason"]?.stringValue } }
  }

  /// What the program does after an event.
  enum Reply: Sendable {
    case nothing
    case write(String)
    /// Closes stdin.
    case end

    static let cancel = Reply.write(#"{"type":"cancel"}"# + "\n")
  }

  var usb: any KeySource = ListedKeys()
  /// What stdin gives at once.
  var input = ""

  /// Runs a command line with `--interaction json`; every line must be valid under the schema.
  func run(
    _ arguments: [String], _ reply: @escaping @Sendable (JSONValue) -> Reply = { _ in .nothing }
  ) async throws -> Ending {
    // The reading end stays open: the thread that reads it may outlive the run by a moment.
    let (readEnd, writeEnd) = try Pipe.make()
    let writer = ProgramSide(writeEnd)
    let ending = Mutex(Ending())
    let schema = try #require(JSONSchema.interaction)
    if !input.isEmpty { writer.perform(.write(input)) }
    var environment = CommandEnvironment(
      terminal: nil, usb: usb, allowedOrigins: "/nonexistent/origins",
      output: { bytes in ending.withLock { $0.output += String(decoding: bytes, as: UTF8.self) } },
      note: { line in
        ending.withLock { $0.lines.append(line) }
        guard let event = try? JSONDocument(parsing: Array(line.utf8)).root else {
          Issue.record("not JSON: \(line)")
          return
        }
        let errors = schema.errors(event, "event")
        #expect(errors.isEmpty, "\(errors): \(line)")
        writer.perform(reply(event))
      })
    environment.input = readEnd
    let status = await CommandLineTool.run(arguments + ["--interaction", "json"], environment)
    writer.finish()
    ending.withLock { $0.status = status }
    return ending.withLock { $0 }
  }
}

/// The program's end of the pipe, written to on a queue of its own: who tells an event must not wait for who reads.
private final class ProgramSide: Sendable {
  private let queue = DispatchQueue(label: "program")
  private let descriptor: Mutex<Int32?>

  init(_ descriptor: Int32) {
    _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
    self.descriptor = Mutex(descriptor)
  }

  func perform(_ reply: Drive.Reply) {
    switch reply {
    case .nothing: break
    case .write(let text): queue.async { [self] in send(Array(text.utf8)[...]) }
    case .end: queue.async { [self] in finish() }
    }
  }

  func finish() {
    descriptor.withLock { descriptor in
      if let open = descriptor { close(open) }
      descriptor = nil
    }
  }

  private func send(_ bytes: ArraySlice<UInt8>) {
    var rest = bytes
    while !rest.isEmpty {
      let count = descriptor.withLock { descriptor -> Int? in
        guard let descriptor else { return nil }
        return rest.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
      }
      guard let count else { return }
      if count > 0 { rest = rest.dropFirst(count) } else { usleep(1000) }
    }
  }
}

extension JSONValue {
  /// The name of an event.
  var name: String { self["event"]?.stringValue ?? "?" }
  /// The number of a question.
  var id: Int { self["id"]?.integerValue ?? -1 }

  /// A line that answers this question with a value in JSON.
  func answer(_ value: String) -> String { #"{"type":"answer","id":\#(id),"value":\#(value)}"# + "\n" }
}
