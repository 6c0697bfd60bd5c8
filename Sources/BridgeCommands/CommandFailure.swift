/// Why a command ends without success: a name for programs, a sentence for people, an exit status.
struct CommandFailure: Error, Equatable, Sendable {
  /// A WebAuthn error name, or another name of the DOM where none fits: `NotReadableError` for a file that cannot be read,
  /// `OperationError` for one that cannot be written; `UsageError` is the command's own.
  let name: String
  /// A sentence, or a few: what happened and what to do.
  var reason: String
  let status: ExitStatus

  init(_ name: String, _ reason: String, _ status: ExitStatus) {
    self.name = name
    self.reason = reason
    self.status = status
  }

  /// The line for people.
  var line: String { "ctap-bridge: \(name): \(reason)" }

  /// A command line that cannot be understood.
  static func usage(_ error: UsageError) -> CommandFailure {
    let help = error.command.map { "ctap-bridge \($0) --help" } ?? "ctap-bridge --help"
    return CommandFailure("UsageError", "\(error.message) See `\(help)`.", .usage)
  }
}
