import Recordings
import Timing

/// `--trace` and `--trace-secrets`, the same for every command that may open a key.
enum TraceOptions {
  static let specifications = [
    OptionSpecification(
      "--trace", "FILE",
      help: "Record every report to and from keys in FILE, for\n`ctap-bridge replay`; secrets are redacted."),
    OptionSpecification("--trace-secrets", help: "Leave PINs and secrets in the recording."),
  ]

  /// Runs a command, recorded where the command line asks for that.
  static func run(
    _ command: any BridgeCommand.Type, _ arguments: ParsedArguments, _ environment: CommandEnvironment
  ) async throws(CommandFailure) {
    guard let path = arguments["--trace"] else {
      if arguments.has("--trace-secrets") { throw usage("--trace-secrets needs --trace FILE.", command) }
      return try await command.run(arguments, environment)
    }
    guard path != "-" else { throw usage("--trace needs a file; stdout has the result.", command) }
    let hasSecrets = arguments.has("--trace-secrets")
    let header = RecordingHeader(
      program: "ctap-bridge \(ToolHelp.version)", command: command.specification.name,
      arguments: arguments.recorded(for: command.specification), isAttended: environment.canAsk,
      hasSecrets: hasSecrets)
    let file = try TraceFile(path: path)
    if hasSecrets { environment.emphasise("The recording in \(path) will have PINs and secrets in it.") }
    let recorder = Recorder(header: header, clock: SystemClock()) { file.write($0) }
    // However the process ends, what is held back is written, redacted whole.
    let duty = ExitCleanup.add { recorder.finish(status: nil) }
    let interruption = Signals.beforeCancelling { recorder.note(.cancelled) }
    let result = await Tape.recording(recorder).run(command, arguments, environment)
    interruption.end()
    ExitCleanup.forget(duty)
    recorder.finish(status: Int(result.status.rawValue))
    if let error = file.error { environment.emphasise("The recording in \(path) is not whole: \(error.message).") }
    try result.get()
  }

  private static func usage(_ text: String, _ command: any BridgeCommand.Type) -> CommandFailure {
    .usage(UsageError(text, command: command.specification.name))
  }
}

extension Tape {
  /// Runs a command with this tape.
  func run(
    _ command: any BridgeCommand.Type, _ arguments: ParsedArguments, _ environment: CommandEnvironment
  ) async -> Result<Void, CommandFailure> {
    await Tape.$current.withValue(self) {
      do throws(CommandFailure) {
        var environment = environment
        let usb = environment.usb
        environment.usb = try keys { () throws(CommandFailure) in usb }
        return .success(try await command.run(arguments, environment))
      } catch {
        return .failure(error)
      }
    }
  }
}

extension Result where Success == Void, Failure == CommandFailure {
  /// The exit status that the result comes to.
  var status: ExitStatus {
    switch self {
    case .success: .success
    case .failure(let failure): failure.status
    }
  }
}

extension ParsedArguments {
  /// The command line as a recording tells it: without the names of files, and without what only the recording run
  /// needs. What the files had in them is recorded where they are read.
  func recorded(for command: CommandSpecification) -> [String] {
    let left = Set(["--trace", "--trace-secrets", "--output", "--error-format", "--interaction"])
      .union(VirtualKeyOptions.specifications.map(\.name))
    var words: [String] = []
    for option in command.options where has(option.name) && !left.contains(option.name) {
      guard let placeholder = option.value else {
        words.append(option.name)
        continue
      }
      for value in all(option.name) {
        let isVirtual = option.name == "--key" && value.hasPrefix("virtual:")
        words += [option.name, placeholder.contains("FILE") ? "FILE" : isVirtual ? "virtual" : value]
      }
    }
    guard !positionals.isEmpty else { return words }
    return words + ["--"]
      + zip(positionals, command.positionals).map { value, placeholder in
        Self.namesFile(placeholder) ? "FILE" : value
      }
  }

  private static func namesFile(_ placeholder: String) -> Bool {
    placeholder.contains("FILE") || placeholder.contains("REQUEST")
  }
}
