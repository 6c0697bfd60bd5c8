import WebAuthnClient

/// Commands that share their first word, such as `pin set` and `pin change`.
struct CommandGroup: Sendable {
  /// The word that they share.
  let name: String
  /// One line for the list of commands.
  let summary: String
  /// What they are for, for `--help`.
  let discussion: String
  /// The commands, each named with both words.
  let commands: [any BridgeCommand.Type]

  /// The second words, in the order of the help text.
  var words: [String] {
    commands.map { String($0.specification.name.dropFirst(name.count + 1)) }
  }

  /// The text of `--help`.
  var helpText: String {
    var text = "Usage: ctap-bridge \(name) COMMAND [OPTIONS]\n\n\(discussion)\n\nCommands:\n"
    for (word, command) in zip(words, commands) {
      text += "  " + word.padded(to: 18) + command.specification.summary + "\n"
    }
    return text + "\n`ctap-bridge \(name) COMMAND --help` says more about a command.\n"
  }
}

/// What a first word can name.
enum CommandEntry: Sendable {
  /// A command of one word.
  case command(any BridgeCommand.Type)
  /// A group, whose second word names the command.
  case group(CommandGroup)

  var name: String {
    switch self {
    case .command(let command): command.specification.name
    case .group(let group): group.name
    }
  }

  var summary: String {
    switch self {
    case .command(let command): command.specification.summary
    case .group(let group): group.summary
    }
  }

  var commands: [any BridgeCommand.Type] {
    switch self {
    case .command(let command): [command]
    case .group(let group): group.commands
    }
  }
}

/// What the first words of a command line name.
enum CommandMatch {
  /// A command, and the words after its name.
  case command(any BridgeCommand.Type, rest: ArraySlice<String>)
  /// A group whose help is asked for.
  case help(CommandGroup)

  /// Finds what `words`, one at least, begin with.
  init(_ words: ArraySlice<String>, among entries: [CommandEntry]) throws(UsageError) {
    var rest = words
    let first = rest.popFirst() ?? ""
    switch entries.first(where: { $0.name == first }) {
    case .command(let command): self = .command(command, rest: rest)
    case .group(let group): self = try CommandMatch(rest, in: group)
    case nil:
      let kind = first.hasPrefix("-") ? "option" : "command"
      let candidates = entries.map(\.name) + ["help", "--help", "--version"]
      let hint = Suggestion.nearest(to: first, among: candidates)
      throw UsageError(UsageError.unknown(kind, first, hint: hint), command: nil)
    }
  }

  private init(_ words: ArraySlice<String>, in group: CommandGroup) throws(UsageError) {
    var rest = words
    let known = group.words.joined(separator: ", ")
    guard let word = rest.popFirst() else {
      throw UsageError("\(group.name) needs a second word: \(known).", command: group.name)
    }
    if word == "--help" || word == "-h" || word == "help" {
      self = .help(group)
    } else if let index = group.words.firstIndex(of: word) {
      self = .command(group.commands[index], rest: rest)
    } else if word.hasPrefix("-") {
      throw UsageError(
        "\(group.name) needs a second word before \(PlainText.quoted(word)): \(known).", command: group.name)
    } else {
      let hint = Suggestion.nearest(to: word, among: group.words)
      throw UsageError(
        UsageError.unknown("command", "\(group.name) \(word)", hint: hint.map { "\(group.name) \($0)" }),
        command: group.name)
    }
  }

  /// The text of `--help` for what was found.
  var helpText: String {
    switch self {
    case .command(let command, _): command.specification.helpText
    case .help(let group): group.helpText
    }
  }
}
