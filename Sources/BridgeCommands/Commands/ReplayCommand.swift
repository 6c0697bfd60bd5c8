import FIDOCrypto
import Recordings
import WebAuthnClient

/// `ctap-bridge replay`: runs a command against a recording of it.
enum ReplayCommand: BridgeCommand {
  static let specification = CommandSpecification(
    "replay",
    summary: "run a recorded command again, against its recording",
    discussion: """
      Runs the command that FILE is a recording of (see --trace) once more, with the recording in the place of the keys,
      the files, the clock, the random bytes and the person: nothing is read, written or asked outside of FILE. It
      prints what the command prints, and ends with the command's exit status.

      A recording with secrets replays byte for byte. In one without, redacted bytes match anything and PINs are made
      up, so that the same commands and lengths go over the wire, and what depends on secrets comes out otherwise.

      Where the command does something else than was recorded, the status is 15, and the error says at which report,
      what was expected, and what was sent.
      """,
    positionals: ["FILE"],
    options: [],
    opensKeys: false)

  static func run(_ arguments: ParsedArguments, _ environment: CommandEnvironment) async throws(CommandFailure) {
    guard let path = arguments.positionals.first else {
      throw .usage(UsageError("The recording is missing: FILE.", command: specification.name))
    }
    let recording = try recording(path)
    let header = recording.header
    let found = CommandLineTool.commands.first { $0.specification.name == header.command }
    guard let command = found, command.specification.opensKeys else {
      throw wrong(path, "it is of the command \(PlainText.quoted(header.command)), which has no recordings")
    }
    let words = try ParsedArguments.read(header.arguments, for: command.specification, path)
    let player = Player(recording, random: SystemRandom())
    var environment = environment
    // The recording has the origin.
    environment.allowedOrigins = nil
    environment.enterpriseSites = nil
    environment.say("Replaying a recording by \(header.program): \(header.command).")

    let result = await play(player, command, words, environment)
    if let divergence = player.finish(status: Int(result.status.rawValue)) {
      throw CommandFailure("OperationError", "The replay differs from the recording. \(divergence)", .diverged)
    }
    try result.get()
  }

  /// Runs the command while what comes from outside is played.
  private static func play(
    _ player: Player, _ command: any BridgeCommand.Type, _ words: ParsedArguments, _ environment: CommandEnvironment
  ) async -> Result<Void, CommandFailure> {
    let task = Task {
      await Tape.replay(player).run(command, words, environment)
    }
    let outside = Task { await player.playOutside { task.cancel() } }
    let result = await withTaskCancellationHandler {
      await task.value
    } onCancel: {
      task.cancel()
    }
    outside.cancel()
    return result
  }

  private static func recording(_ path: String) throws(CommandFailure) -> Recording {
    let bytes = try InputFile.read(path, limit: 32 << 20, what: "recording")
    do throws(RecordingError) {
      return try Recording(parsing: bytes)
    } catch {
      throw wrong(path, error.description)
    }
  }

  fileprivate static func wrong(_ path: String, _ reason: String) -> CommandFailure {
    CommandFailure("EncodingError", "\(PlainText.shown(path)) cannot be replayed: \(reason).", .badRequest)
  }
}

extension ParsedArguments {
  /// The command line of a recording; options that a recording never has are refused.
  fileprivate static func read(
    _ words: [String], for command: CommandSpecification, _ path: String
  ) throws(CommandFailure) -> ParsedArguments {
    let parsed: ParsedArguments
    do throws(UsageError) {
      parsed = try ParsedArguments(words, for: command)
    } catch {
      throw ReplayCommand.wrong(path, "its command line is not understood: \(error.message)")
    }
    for option in ["--trace", "--trace-secrets", "--output", "--help"] where parsed.has(option) {
      throw ReplayCommand.wrong(path, "its command line has \(option)")
    }
    return parsed
  }
}
