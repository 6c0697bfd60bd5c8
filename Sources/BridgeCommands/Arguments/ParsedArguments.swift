import WebAuthnClient

/// A command line that was read against a specification.
struct ParsedArguments: Sendable {
  /// The arguments without a dash, in order.
  private(set) var positionals: [String] = []
  private var values: [String: [String]] = [:]
  private var switches: Set<String> = []

  /// Reads `arguments`, the words after the subcommand's name.
  init(_ arguments: some Sequence<String>, for command: CommandSpecification) throws(UsageError) {
    var words = Array(arguments)[...]
    var optionsEnded = false
    while let word = words.popFirst() {
      if optionsEnded || word == "-" || !word.hasPrefix("-") || Self.isCredentialID(word, for: command) {
        positionals.append(word)
        guard positionals.count <= command.positionals.count else {
          throw UsageError("There is an argument too many: \(PlainText.quoted(word)).", command: command.name)
        }
        continue
      }
      if word == "--" {
        optionsEnded = true
        continue
      }
      try read(word == "-h" ? "--help" : word, from: &words, for: command)
    }
  }

  /// Whether a word with a dash in front is a credential's ID: of those in base64url one in 64 begins so. Options have
  /// neither capitals nor digits nor underscores, and of the first 7 characters of an ID hardly ever none is one.
  private static func isCredentialID(_ word: String, for command: CommandSpecification) -> Bool {
    guard command.positionals.contains(where: { $0.contains("CREDENTIAL") }), word.utf8.count >= 8 else { return false }
    let isTelling: (UInt8) -> Bool = { byte in
      switch byte {
      case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"): true
      default: false
      }
    }
    return word.utf8.contains(where: isTelling)
      && word.utf8.allSatisfy {
        isTelling($0) || $0 == UInt8(ascii: "-") || (UInt8(ascii: "a")...UInt8(ascii: "z")) ~= $0
      }
  }

  private mutating func read(
    _ word: String, from words: inout ArraySlice<String>, for command: CommandSpecification
  ) throws(UsageError) {
    let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
    let name = parts[0]
    guard let option = command.options.first(where: { $0.name == name }) else {
      let hint = Suggestion.nearest(to: name, among: command.options.map(\.name))
      throw UsageError(UsageError.unknown("option", name, hint: hint), command: command.name)
    }
    guard let placeholder = option.value else {
      guard parts.count == 1 else { throw UsageError("\(name) takes no value.", command: command.name) }
      switches.insert(name)
      return
    }
    let value: String
    if parts.count == 2 {
      value = parts[1]
    } else if let next = words.first, next == "-" || !next.hasPrefix("--") {
      words.removeFirst()
      value = next
    } else {
      throw UsageError("\(name) needs a value: \(name) \(placeholder).", command: command.name)
    }
    if values[name] != nil, !option.repeatable {
      throw UsageError("\(name) is given twice.", command: command.name)
    }
    values[name, default: []].append(value)
  }

  /// Whether the switch was given.
  func has(_ name: String) -> Bool { switches.contains(name) || values[name] != nil }

  /// The value of an option that is given at most once.
  subscript(name: String) -> String? { values[name]?.last }

  /// The values of an option that may be repeated.
  func all(_ name: String) -> [String] { values[name] ?? [] }
}

/// A command line that cannot be understood; exit status EX_USAGE.
struct UsageError: Error, Equatable {
  /// A sentence.
  let message: String
  /// The subcommand whose help would say more, or nil for the command as a whole.
  let command: String?

  init(_ message: String, command: String?) {
    self.message = message
    self.command = command
  }

  /// The sentence for a word that names nothing, with what was probably meant.
  static func unknown(_ kind: String, _ word: String, hint: String?) -> String {
    "There is no \(kind) \(PlainText.quoted(word))" + (hint.map { "; did you mean \"\($0)\"?" } ?? ".")
  }
}
