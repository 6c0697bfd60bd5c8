/// What `--key` names.
enum KeyOption: Equatable, Sendable {
  /// Nothing was named: any key that is plugged in.
  case any
  /// A path or a serial number.
  case named(String)
  /// The virtual key, kept in a file between runs where one is given.
  case virtual(store: String?)

  init(_ value: String?, command: String) throws(UsageError) {
    switch value {
    case nil: self = .any
    case "virtual": self = .virtual(store: nil)
    case .some(let text) where text.hasPrefix("virtual:"):
      let file = String(text.dropFirst("virtual:".count))
      guard !file.isEmpty else { throw UsageError("--key virtual: needs a file after the colon.", command: command) }
      self = .virtual(store: file)
    case .some(let text):
      guard !text.isEmpty else { throw UsageError("--key is empty.", command: command) }
      self = .named(text)
    }
  }

  /// The option as the help text shows it.
  static let specification = OptionSpecification(
    "--key", "KEY",
    help: "The key to use: a path, a serial number, virtual, or virtual:FILE\n(kept between runs).")
}
