import FIDOCrypto
import JSONText
import WebAuthnClient

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// The command as a whole: finds the subcommand, runs it, reports how it ended.
public enum CommandLineTool {
  static let entries: [CommandEntry] = [
    .command(ListCommand.self), .command(InfoCommand.self), .command(RegisterCommand.self),
    .command(AuthenticateCommand.self), .group(VerifyGroup.group), .group(PINCommands.group),
    .group(CredentialCommands.group), .group(BlobCommands.group), .group(FingerprintCommands.group),
    .group(ConfigCommands.group),
    .command(ResetCommand.self), .command(IdentifyCommand.self), .command(PingCommand.self),
    .command(VirtualKeyCommand.self), .command(ReplayCommand.self),
  ]

  /// Every command, those of the groups among them.
  static let commands: [any BridgeCommand.Type] = entries.flatMap(\.commands)

  /// Runs the command line `arguments` (without the program's name) and ends the process with the exit status.
  ///
  /// It must be called first of all, on the main thread, which waits for signals from then on.
  ///
  /// SIGINT, SIGTERM, SIGHUP and SIGQUIT cancel what is going on, on the key as well; the status is then 128 plus the
  /// signal's number, unless the work was done all the same or a credential now exists: that is not to be missed.
  public static func main(_ arguments: [String]) -> Never {
    StandardStreams.reserveDescriptors()
    if let shortage = SystemLimits.check() { leave(shortage, arguments) }
    Signals.block()
    CryptoLibrary.skipCleanupAtExit()
    alarm(SystemLimits.patience)
    let task = Task {
      alarm(0)
      let status = await run(arguments, CommandEnvironment.ofProcess())
      ExitCleanup.runAll()
      exit(exitCode(status))
    }
    let farewell = CommandFailure(
      "AbortError", "Left at once; if the key was being used, look whether it did its work.", .interrupted)
    Signals.watch(farewell: lastLine(farewell, arguments), onAlarm: { leave(SystemLimits.noThreads, arguments) }) {
      task.cancel()
    }
  }

  /// Ends the process where nothing can run that would report it.
  private static func leave(_ failure: CommandFailure, _ arguments: [String]) -> Never {
    StandardStreams.note(lastLine(failure, arguments))
    _exit(failure.status.rawValue)
  }

  private static func lastLine(_ failure: CommandFailure, _ arguments: [String]) -> String {
    if wants("--interaction", arguments) { return ProgramEvent.error(failure).line }
    return wants("--error-format", arguments) ? json(failure) : failure.line
  }

  private static func exitCode(_ status: ExitStatus) -> Int32 {
    guard let signal = Signals.first, status != .success, status != .credentialExists else { return status.rawValue }
    return ExitStatus(signal: signal).rawValue
  }

  /// Runs a command line, for a program where `--interaction json` says so.
  static func run(_ arguments: [String], _ environment: CommandEnvironment) async -> ExitStatus {
    guard wants("--interaction", arguments) else { return await reporting(arguments, environment) }
    let program = ProgramDialogue(input: environment.input, write: environment.note)
    var driven = environment
    (driven.program, driven.terminal) = (program, nil)
    program.tell(.hello)
    let task = Task { [driven] in await reporting(arguments, driven) }
    program.whenCancelled { task.cancel() }
    let status = await withTaskCancellationHandler {
      await task.value
    } onCancel: {
      task.cancel()
    }
    program.finish()
    return status
  }

  /// Runs a command line and reports how it ended, an error the way that `--error-format` asks for.
  private static func reporting(_ arguments: [String], _ environment: CommandEnvironment) async -> ExitStatus {
    do throws(CommandFailure) {
      try await dispatch(arguments, environment)
      environment.program?.tell(.done)
      return .success
    } catch {
      report(error, asJSON: wants("--error-format", arguments), environment)
      return error.status
    }
  }

  private static func dispatch(_ arguments: [String], _ environment: CommandEnvironment) async throws(CommandFailure) {
    guard let first = arguments.first else {
      throw .usage(UsageError("A command is missing.", command: nil))
    }
    switch first {
    case "--help", "-h", "help":
      return try environment.write(try help(arguments.dropFirst().filter { !$0.hasPrefix("-") }))
    case "--version":
      return try environment.write("ctap-bridge \(ToolHelp.version)")
    default: break
    }
    switch try match(arguments[...]) {
    case .help(let group): try environment.write(group.helpText)
    case .command(let command, let rest): try await run(command, rest, environment)
    }
  }

  private static func run(
    _ command: any BridgeCommand.Type, _ words: ArraySlice<String>, _ environment: CommandEnvironment
  ) async throws(CommandFailure) {
    let parsed: ParsedArguments
    do throws(UsageError) {
      parsed = try ParsedArguments(words, for: command.specification)
      for option in ["--error-format", "--interaction"] { try checkTextOrJSON(option, parsed, command) }
      if environment.program != nil { try ProgramRules.check(parsed, command) }
    } catch {
      throw .usage(error)
    }
    if parsed.has("--help") { return try environment.write(command.specification.helpText) }
    environment.program?.start(expectsRequest: command.readsInput(parsed))
    try await TraceOptions.run(command, parsed, environment)
  }

  /// The help for the words after `help`, or for the tool.
  private static func help(_ words: [String]) throws(CommandFailure) -> String {
    if words.isEmpty { return ToolHelp.text }
    // A group alone is asked about too.
    return try match(words.count == 1 ? words[...] + ["--help"] : words[...]).helpText
  }

  private static func match(_ words: ArraySlice<String>) throws(CommandFailure) -> CommandMatch {
    do throws(UsageError) {
      return try CommandMatch(words, among: entries)
    } catch {
      throw .usage(error)
    }
  }

  private static func checkTextOrJSON(
    _ option: String, _ arguments: ParsedArguments, _ command: any BridgeCommand.Type
  ) throws(UsageError) {
    guard let format = arguments[option], format != "text", format != "json" else { return }
    throw UsageError(
      "\(option) is text or json, not \(PlainText.quoted(format)).", command: command.specification.name)
  }

  /// Whether an option has the value json; looks at the raw words, because the command line may be what an error is about.
  private static func wants(_ option: String, _ arguments: [String]) -> Bool {
    arguments.contains(option + "=json")
      || zip(arguments, arguments.dropFirst()).contains { $0 == option && $1 == "json" }
  }

  private static func report(_ failure: CommandFailure, asJSON: Bool, _ environment: CommandEnvironment) {
    if let program = environment.program { return program.tell(.error(failure)) }
    guard asJSON else { return environment.say(failure.line) }
    environment.note(json(failure))
  }

  private static func json(_ failure: CommandFailure) -> String {
    let error: JSONOutput = [
      "error": ["name": .string(failure.name), "reason": .string(PlainText.shown(failure.reason))]
    ]
    return String(decoding: error.serialized(pretty: false), as: UTF8.self)
  }
}
