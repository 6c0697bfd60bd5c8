import JSONText
import WebAuthnClient

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// The command as a whole: finds the subcommand, runs it, reports how it ended.
public enum CommandLineTool {
  static let commands: [any BridgeCommand.Type] = [
    ListCommand.self, InfoCommand.self, RegisterCommand.self, AuthenticateCommand.self, VirtualKeyCommand.self,
  ]

  /// Runs the command line `arguments` (without the program's name) and ends the process with the exit status.
  ///
  /// It must be called first of all, on the main thread, which waits for signals from then on.
  ///
  /// SIGINT, SIGTERM, SIGHUP and SIGQUIT cancel what is going on, on the key as well; the status is then 128 plus the
  /// signal's number, unless the work was done all the same or a credential now exists: that is not to be missed.
  public static func main(_ arguments: [String]) -> Never {
    StandardStreams.reserveDescriptors()
    Signals.block()
    let task = Task {
      let status = await run(arguments, CommandEnvironment.ofProcess())
      ExitCleanup.runAll()
      exit(exitCode(status))
    }
    Signals.watch { task.cancel() }
  }

  private static func exitCode(_ status: ExitStatus) -> Int32 {
    guard let signal = Signals.first, status != .success, status != .credentialExists else { return status.rawValue }
    return ExitStatus(signal: signal).rawValue
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
      throw .usage(UsageError("A command is missing.", command: nil))
    }
    switch first {
    case "--help", "-h", "help":
      guard let name = arguments.dropFirst().first(where: { !$0.hasPrefix("-") }) else {
        return try environment.write(ToolHelp.text)
      }
      return try environment.write(try command(name).specification.helpText)
    case "--version":
      return try environment.write("ctap-bridge \(ToolHelp.version)")
    default: break
    }
    let command = try command(first)
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

  private static func command(_ name: String) throws(CommandFailure) -> any BridgeCommand.Type {
    if let command = commands.first(where: { $0.specification.name == name }) { return command }
    let kind = name.hasPrefix("-") ? "option" : "command"
    let candidates = commands.map { $0.specification.name } + ["help", "--help", "--version"]
    let hint = Suggestion.nearest(to: name, among: candidates)
    throw .usage(UsageError(UsageError.unknown(kind, name, hint: hint), command: nil))
  }

  private static func checkErrorFormat(_ arguments: ParsedArguments, _ command: String) throws(UsageError) {
    guard let format = arguments["--error-format"], format != "text", format != "json" else { return }
    throw UsageError("--error-format is text or json, not \(PlainText.quoted(format)).", command: command)
  }

  /// Looks at the raw words, because the command line may be what the error is about.
  private static func wantsJSONErrors(_ arguments: [String]) -> Bool {
    arguments.contains("--error-format=json")
      || zip(arguments, arguments.dropFirst()).contains { $0 == "--error-format" && $1 == "json" }
  }

  private static func report(_ failure: CommandFailure, asJSON: Bool, _ environment: CommandEnvironment) {
    guard asJSON else { return environment.say("ctap-bridge: \(failure.name): \(failure.reason)") }
    let error: JSONOutput = [
      "error": ["name": .string(failure.name), "reason": .string(PlainText.shown(failure.reason))]
    ]
    environment.note(String(decoding: error.serialized(pretty: false), as: UTF8.self))
  }
}
