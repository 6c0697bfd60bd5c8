import Testing

@testable import BridgeCommands

/// A command that only has a name.
private enum FirstCommand: BridgeCommand {
  static let specification = CommandSpecification("blue one", summary: "the first", discussion: "First.", options: [])
  static func run(_ arguments: ParsedArguments, _ environment: CommandEnvironment) async throws(CommandFailure) {}
}

private enum SecondCommand: BridgeCommand {
  static let specification = CommandSpecification("blue second", summary: "another", discussion: "2.", options: [])
  static func run(_ arguments: ParsedArguments, _ environment: CommandEnvironment) async throws(CommandFailure) {}
}

@Suite("Commands of two words")
struct CommandGroupTests {
  private static let group = CommandGroup(
    name: "blue", summary: "what is blue", discussion: "All that is blue.",
    commands: [FirstCommand.self, SecondCommand.self])
  private static let entries: [CommandEntry] = [.command(ListCommand.self), .group(group)]

  private func match(_ words: [String]) throws -> CommandMatch { try CommandMatch(words[...], among: Self.entries) }

  @Test("the second word finds the command, and what follows is left for it")
  func found() throws {
    guard case .command(let command, let rest) = try match(["blue", "second", "--help", "x"]) else {
      Issue.record("it is no command")
      return
    }
    #expect(command.specification.name == "blue second")
    #expect(Array(rest) == ["--help", "x"])
  }

  @Test("a command of one word takes what follows as its arguments")
  func single() throws {
    guard case .command(let command, let rest) = try match(["list", "blue"]) else {
      Issue.record("it is no command")
      return
    }
    #expect(command.specification.name == "list" && Array(rest) == ["blue"])
  }

  @Test("a group's help lists its commands", arguments: ["--help", "-h", "help"])
  func help(word: String) throws {
    let text = """
      Usage: ctap-bridge blue COMMAND [OPTIONS]

      All that is blue.

      Commands:
        one               the first
        second            another

      `ctap-bridge blue COMMAND --help` says more about a command.

      """
    #expect(try match(["blue", word]).helpText == text)
  }

  @Test(
    "a second word that is missing or wrong is told with the words that there are",
    arguments: [
      (["blue"], "blue needs a second word: one, second.", "blue"),
      (["blue", "--json"], "blue needs a second word before \"--json\": one, second.", "blue"),
      (["blue", "secnd"], "There is no command \"blue secnd\"; did you mean \"blue second\"?", "blue"),
      (["blue", "green"], "There is no command \"blue green\".", "blue"),
      (["bleu", "one"], "There is no command \"bleu\"; did you mean \"blue\"?", nil),
    ] as [([String], String, String?)])
  func wrong(words: [String], message: String, command: String?) {
    #expect(throws: UsageError(message, command: command)) { try match(words) }
  }
}
