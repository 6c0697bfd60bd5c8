import CTAPBridge

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// What the commands of both ceremonies share.
extension BridgeCommand {
  static func requestPath(_ arguments: ParsedArguments) -> String { arguments.positionals.first ?? "-" }

  /// Whether stdin, or its first line, is what the command works on.
  static func readsInput(_ arguments: ParsedArguments) -> Bool {
    arguments.positionals.contains("-")
      || arguments.positionals.isEmpty && specification.positionals.first == "[REQUEST]"
  }

  /// Reads the request from its file or stdin.
  static func request<Options>(
    _ arguments: ParsedArguments, _ environment: CommandEnvironment,
    _ parse: ([UInt8]) throws(WebAuthnError) -> Options
  ) async throws(CommandFailure) -> Options {
    let path = requestPath(arguments)
    if path == "-", !Tape.current.isReplay, environment.terminal != nil, isatty(STDIN_FILENO) == 1 {
      environment.say("Reading the request from stdin; end it with Ctrl-D.")
    }
    let bytes = try await environment.read(path, limit: ProgramInput.requestLimit, what: "request")
    do throws(WebAuthnError) {
      return try parse(bytes)
    } catch {
      throw CommandFailure(error)
    }
  }

  /// The option that says whether old keys are spoken to in their own way.
  static var u2fOption: OptionSpecification {
    OptionSpecification(
      "--u2f", "WHEN",
      help: "Speak U2F (CTAP1): auto (default), with keys and credentials that need it;\nnever; force, with every key.")
  }

  /// Tells a person at a terminal what a touch or a PIN will be given for, before either is asked for.
  ///
  /// A program that drives the command knows, because it brought the request. What the origin may not ask for is refused
  /// by the ceremony itself.
  static func announce(
    _ deed: String, at relyingPartyID: String?, _ origin: Origin, _ environment: CommandEnvironment
  ) {
    guard environment.terminal != nil, let site = try? RelyingPartyID.resolve(relyingPartyID, origin: origin) else {
      return
    }
    environment.say("\(deed) at \(RelyingPartyID.shown(site)).")
  }

  static func ceremonyOptions(_ arguments: ParsedArguments) throws(CommandFailure) -> CeremonyOptions {
    var options = CeremonyOptions()
    if let text = arguments["--timeout"] {
      guard let timeout = Seconds.parse(text) else {
        throw .usage(
          UsageError(
            "--timeout is a number of seconds above 0, not \(PlainText.quoted(text)).", command: specification.name))
      }
      options.timeout = timeout
    }
    if let text = arguments["--u2f"] {
      guard let use = U2FUse(rawValue: text) else {
        throw .usage(
          UsageError(
            "--u2f is one of auto, never, force, not \(PlainText.quoted(text)).", command: specification.name))
      }
      options.u2f = use
    }
    options.waitsForKey = !arguments.has("--no-wait")
    options.strictExtensions = arguments.has("--strict-extensions")
    return options
  }

  /// The failure for a ceremony's error, with a hint where a PIN could have been given, or a credential is to be removed.
  static func failure(
    _ error: WebAuthnError, hasPIN: Bool, _ arguments: ParsedArguments, _ environment: CommandEnvironment
  ) -> CommandFailure {
    var failure = CommandFailure(error)
    if error.kind == .pinMissing, !hasPIN, !environment.canAsk {
      failure.reason += " There is no terminal to ask at: supply the PIN with --pin-file FILE or --pin-fd N."
    }
    if let advice = Removal.advice(error, key: arguments["--key"]) { failure.reason += " " + advice }
    return failure
  }
}
