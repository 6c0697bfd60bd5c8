import Octets
import WebAuthnClient

/// Where the command line says a PIN comes from: `--pin-file` or `--pin-fd`, never an argument.
enum PINOptions {
  static let specifications = [
    OptionSpecification("--pin-file", "FILE", help: "The key's PIN, in the file's first line."),
    OptionSpecification("--pin-fd", "N", help: "The key's PIN, in the first line that descriptor N gives."),
  ]
  static let newSpecifications = [
    OptionSpecification("--new-pin-file", "FILE", help: "The new PIN, in the file's first line."),
    OptionSpecification("--new-pin-fd", "N", help: "The new PIN, in the first line that descriptor N gives."),
  ]

  /// The new PIN, which can't come from where the old one comes from: reading that takes more than its line.
  static func newPIN(_ arguments: ParsedArguments, command: String) throws(CommandFailure) -> SecretBytes? {
    let old = source(arguments, "--pin-file", "--pin-fd")
    if let new = source(arguments, "--new-pin-file", "--new-pin-fd"), new == old {
      throw .usage(
        UsageError("\(new) cannot give both the PIN and the new one; name another for one of them.", command: command))
    }
    return try pin(
      arguments, file: "--new-pin-file", descriptor: "--new-pin-fd", what: "new PIN", requestIsStdin: false,
      command: command)
  }

  /// The stream that a PIN comes from, where it is one.
  private static func source(_ arguments: ParsedArguments, _ file: String, _ descriptor: String) -> String? {
    if arguments[file] == "-" || arguments[descriptor].flatMap({ Int32($0) }) == 0 { return "stdin" }
    return arguments[descriptor].map { "descriptor \($0)" }
  }

  static func pin(
    _ arguments: ParsedArguments, requestIsStdin: Bool, command: String
  ) throws(CommandFailure) -> SecretBytes? {
    try pin(
      arguments, file: "--pin-file", descriptor: "--pin-fd", what: "PIN", requestIsStdin: requestIsStdin,
      command: command)
  }

  private static func pin(
    _ arguments: ParsedArguments, file: String, descriptor option: String, what: String, requestIsStdin: Bool,
    command: String
  ) throws(CommandFailure) -> SecretBytes? {
    if let path = arguments[file] {
      if arguments.has(option) {
        throw .usage(UsageError("\(file) and \(option) contradict each other.", command: command))
      }
      if path == "-" {
        guard !requestIsStdin else { throw .usage(stdinTwice(command)) }
        return try InputFile.secret(descriptor: 0, name: "stdin", what: what)
      }
      return try InputFile.secret(path: path, what: what)
    }
    guard let text = arguments[option] else { return nil }
    guard let descriptor = Int32(text), descriptor >= 0 else {
      throw .usage(
        UsageError("\(option) is the number of an open descriptor, not \(PlainText.quoted(text)).", command: command))
    }
    if descriptor == 0, requestIsStdin { throw .usage(stdinTwice(command)) }
    return try InputFile.secret(descriptor: descriptor, name: "descriptor \(descriptor)", what: what)
  }

  private static func stdinTwice(_ command: String) -> UsageError {
    UsageError("stdin cannot give both the request and the PIN; name a file for one of them.", command: command)
  }
}
