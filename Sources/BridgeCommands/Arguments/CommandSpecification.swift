/// One option of a subcommand, as the parser and the help text see it.
struct OptionSpecification: Sendable {
  /// The name with its dashes, such as `--origin`.
  let name: String
  /// The placeholder of the value, or nil for a switch.
  let value: String?
  /// One line for the help text; a line break starts a further line there.
  let help: String
  /// Whether the option may be given more than once.
  let repeatable: Bool

  init(_ name: String, _ value: String? = nil, repeatable: Bool = false, help: String) {
    self.name = name
    self.value = value
    self.repeatable = repeatable
    self.help = help
  }
}

/// One subcommand: what it takes and what its help says.
struct CommandSpecification: Sendable {
  /// The words that name it, such as `register` or `pin set`.
  let name: String
  /// One line for the list of commands.
  let summary: String
  /// What it does, for `--help`.
  let discussion: String
  /// The placeholders of its positional arguments; square brackets mean that it may be left out.
  let positionals: [String]
  let options: [OptionSpecification]
  /// Whether it may open keys, and so can be recorded and replayed.
  let opensKeys: Bool

  init(
    _ name: String, summary: String, discussion: String, positionals: [String] = [], options: [OptionSpecification],
    opensKeys: Bool = true
  ) {
    self.name = name
    self.summary = summary
    self.discussion = discussion
    self.positionals = positionals
    self.opensKeys = opensKeys
    self.options = options + (opensKeys ? TraceOptions.specifications : []) + CommandSpecification.common
  }

  /// The options that every subcommand takes.
  static let common = [
    OptionSpecification("--error-format", "text|json", help: "How an error is written to stderr (default: text)."),
    OptionSpecification(
      "--interaction", "text|json",
      help: "Who is spoken to: a person (text, the default), or a program,\nin JSON lines on stderr and stdin."),
    OptionSpecification("--help", help: "Show this help."),
  ]

  /// The text of `--help`.
  var helpText: String {
    let arguments = positionals.map { " " + $0 }.joined()
    var text = "Usage: ctap-bridge \(name)\(arguments) [OPTIONS]\n\n\(discussion)\n\nOptions:\n"
    for option in options {
      let head = "  " + option.name + (option.value.map { " " + $0 } ?? "")
      let lines = option.help.split(separator: "\n", omittingEmptySubsequences: false)
      let column = 28
      if head.count < column - 1 {
        text += head + String(repeating: " ", count: column - head.count) + (lines.first ?? "") + "\n"
      } else {
        text += head + "\n" + String(repeating: " ", count: column) + (lines.first ?? "") + "\n"
      }
      for line in lines.dropFirst() { text += String(repeating: " ", count: column) + line + "\n" }
    }
    return text + "\nExit status: see `ctap-bridge --help`.\n"
  }
}
