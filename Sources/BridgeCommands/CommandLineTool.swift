import JSONText

/// The command as a whole: finds the subcommand, runs it, reports how it ended.
public enum CommandLineTool {
  /// The version that `--version` prints.
  static let version = "0.1.0"

  static let commands: [any BridgeCommand.Type] = [
    ListCommand.self, InfoCommand.self, RegisterCommand.self, AuthenticateCommand.self, VirtualKeyCommand.self,
  ]

  /// Runs the command line `arguments` (without the program's name) and returns the exit status.
  ///
  /// SIGINT, SIGTERM, SIGHUP and SIGQUIT cancel what is going on, on the key as well; the status is then 128 plus the
  /// signal's number.
  ///
  /// To be called on the main thread, which blocks here. An asynchronous main would leave that thread to the runtime,
  /// which lets it take every signal, so that Ctrl-C would end the process before the key is told.
  public static func main(_ arguments: [String]) -> Int32 {
    Signals.block()
    let result = AwaitedResult<ExitStatus>()
    let task = Task.detached { result.set(await run(arguments, CommandEnvironment.ofProcess())) }
    Signals.watch { task.cancel() }
    let status = result.wait()
    // A success that was already written stays a success, whatever came after it.
    if let signal = Signals.first, status != .success { return 128 + signal }
    return status.rawValue
  }

  /// Runs a command line and reports an error the way that `--error-format` asks for.
  static func run(_ arguments: [String], _ environment: CommandEnvironment) async -> ExitStatus {
    do throws(CommandFailure) {
      try await dispatch(arguments, environment)
      return .success
    } catch {
      report(error, asJSON: wantsJSONErrors(arguments), environment)
      return error.status
    }
  }

  private static func dispatch(_ arguments: [String], _ environment: CommandEnvironment) async throws(CommandFailure) {
    guard let first = arguments.first else {
      throw .usage(UsageError("a command is missing", command: nil))
    }
    switch first {
    case "--help", "-h", "help":
      if let name = arguments.dropFirst().first {
        guard let command = commands.first(where: { $0.specification.name == name }) else {
          throw .usage(unknownCommand(name))
        }
        return try environment.write(command.specification.helpText)
      }
      return try environment.write(helpText)
    case "--version":
      return try environment.write("ctap-bridge \(version)")
    default: break
    }
    guard let command = commands.first(where: { $0.specification.name == first }) else {
      throw .usage(unknownCommand(first))
    }
    let parsed: ParsedArguments
    do throws(UsageError) {
      parsed = try ParsedArguments(arguments.dropFirst(), for: command.specification)
      try checkErrorFormat(parsed, command.specification.name)
    } catch {
      throw .usage(error)
    }
    if parsed.has("--help") { return try environment.write(command.specification.helpText) }
    try await command.run(parsed, environment)
  }

  private static func unknownCommand(_ word: String) -> UsageError {
    let kind = word.hasPrefix("-") ? "option" : "command"
    let candidates = commands.map { $0.specification.name } + ["help", "--help", "--version"]
    let hint = Suggestion.nearest(to: word, among: candidates).map { "; did you mean '\($0)'?" }
    return UsageError("unknown \(kind) '\(SafeText.escaping(word))'" + (hint ?? ""), command: nil)
  }

  private static func checkErrorFormat(_ arguments: ParsedArguments, _ command: String) throws(UsageError) {
    guard let format = arguments["--error-format"], format != "text", format != "json" else { return }
    throw UsageError("--error-format is 'text' or 'json', not '\(SafeText.escaping(format))'", command: command)
  }

  /// Looks at the raw words, because the command line may be what the error is about.
  private static func wantsJSONErrors(_ arguments: [String]) -> Bool {
    arguments.contains("--error-format=json")
      || zip(arguments, arguments.dropFirst()).contains { $0 == "--error-format" && $1 == "json" }
  }

  private static func report(_ failure: CommandFailure, asJSON: Bool, _ environment: CommandEnvironment) {
    if asJSON {
      let error = JSONOutput.object([
        ("name", .string(failure.name)), ("reason", .string(failure.reason)),
      ])
      environment.note(String(decoding: JSONOutput.object([("error", error)]).serialized(pretty: false), as: UTF8.self))
    } else {
      let prefix = failure.status == .usage ? "ctap-bridge" : "ctap-bridge: \(failure.name)"
      environment.note("\(prefix): \(failure.reason)")
    }
  }

  /// The text of `ctap-bridge --help`.
  static var helpText: String {
    var text = """
      Usage: ctap-bridge COMMAND [OPTIONS]

      Registers FIDO2 security keys over USB and signs in with them, and returns WebAuthn JSON with the Thales client
      extension results.

      Commands:

      """
    for command in commands { text += line(command.specification.name, command.specification.summary) }
    text += "\n`ctap-bridge COMMAND --help` says more about a command; `ctap-bridge --version` prints the version.\n"
    text += "\nExit status:\n"
    for status in ExitStatus.allCases { text += line("\(status.rawValue)", status.meaning) }
    return text
  }

  private static func line(_ head: String, _ text: String) -> String {
    "  " + head + String(repeating: " ", count: max(2, 14 - head.count)) + text + "\n"
  }
}
