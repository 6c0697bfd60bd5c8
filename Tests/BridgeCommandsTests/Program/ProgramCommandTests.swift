import Foundation
import JSONText
import Testing

@testable import BridgeCommands

@Suite("Every command driven by a program")
struct ProgramCommandTests {
  /// Ways to call a command: with what it lacks, its help, and everything at hand on a virtual key.
  private static let calls: [[String]] = CommandLineTool.commands.flatMap { command in
    let specification = command.specification
    let words = specification.name.split(separator: " ").map(String.init)
    let key = specification.options.contains { $0.name == KeyOption.specification.name } ? ["--key", "virtual"] : []
    let positionals = specification.positionals.map { _ in "/nonexistent" }
    return [words + ["--help"], words + ["--nothing"], words + key, words + positionals + key]
  }

  @Test("each line on stderr is an event that the schema describes, from hello to done or error", arguments: calls)
  func lines(arguments: [String]) async throws {
    let schema = try #require(JSONSchema.interaction)
    let isServing = arguments.first == VirtualKeyCommand.specification.name
    let ending = try await bridge(Child.Setup(arguments: arguments + ["--interaction", "json"])) { child in
      try child.expect("hello")
      // Where it may show a key to the kernel it serves until it is ended.
      if isServing { child.signal(SIGTERM) }
    }
    let events = try ending.error.split(separator: "\n").map { try JSONDocument(parsing: Array($0.utf8)).root }
    for event in events {
      let errors = schema.errors(event, "event")
      #expect(errors.isEmpty, "\(errors): \(ending.error)")
    }
    #expect(events.map(\.name).first == "hello")
    #expect(events.filter { ["done", "error"].contains($0.name) }.count == 1)
    #expect(events.last?.name == (ending.status == 0 ? "done" : "error"), "\(ending.error)")
    if let status = events.last?["status"]?.integerValue, !isServing { #expect(status == Int(ending.status)) }
  }

  @Test("no option of any command reads stdin, which is for answers")
  func stdinOptions() async throws {
    var tried = 0
    for command in CommandLineTool.commands {
      for option in command.specification.options where option.name != "--output" {
        let isDescriptor = option.name.hasSuffix("-fd")
        guard isDescriptor || option.value == "FILE" else { continue }
        let words = command.specification.name.split(separator: " ").map(String.init)
        let ending = try await Drive().run(words + [option.name, isDescriptor ? "0" : "-"])
        #expect(ending.status == .usage, "\(words) \(option.name): \(ending.lines)")
        #expect(try ending.names == ["hello", "error"])
        tried += 1
      }
    }
    #expect(tried > 50)
  }
}
