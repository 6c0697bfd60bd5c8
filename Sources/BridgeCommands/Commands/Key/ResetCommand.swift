import CTAP2
import CTAPHID
import CTAPMessages
import JSONText
import Timing
import WebAuthnClient

/// `ctap-bridge reset`: erases a key.
enum ResetCommand: BridgeCommand {
  static let specification = CommandSpecification(
    "reset",
    summary: "erase a key: its credentials, fingerprints, PIN and settings",
    discussion: """
      Erases a key for good. It says first what will be lost, with counts where the key's PIN is given (Enter goes on
      without), and asks for the key's name to be typed; where nobody can be asked, --yes together with --key says that it
      is meant. Then the key has to be pulled out and plugged in again, and touched within 10 seconds of that: keys let
      themselves be erased only then. Another key that is plugged in meanwhile is left alone, where
      model, serial number or settings tell it from this one.

      Where the key's answer is lost, it may be erased or not: nothing is sent a second time, and the exit status is 14.
      """,
    options: [ManagementOptions.yes] + ManagementOptions.common.filter { $0.name != "--no-wait" })

  /// How long after it got its power a key lets itself be erased (CTAP 2.3 §6.6).
  private static let window = Duration.seconds(10)

  static func run(_ arguments: ParsedArguments, _ environment: CommandEnvironment) async throws(CommandFailure) {
    if arguments.has("--yes"), arguments["--key"] == nil {
      throw .usage(UsageError("--yes erases only a key that --key names.", command: specification.name))
    }
    let answers = try managementAnswers(arguments)
    let keys = try ChosenSource(arguments, command: specification.name, environment)
    var options = try ceremonyOptions(arguments)
    options.key = keys.choice
    let clock = Tape.current.clock
    let deadline = clock.now + (options.timeout ?? .seconds(300))
    let pinIsSupplied = answers.pin != nil

    let (authenticator, losses) = try await manage(keys.source, options, answers, environment) {
      (key) throws(WebAuthnError) in
      try key.checkReset()
      let losses = try await ResetLosses(key, pinIsSupplied: pinIsSupplied)
      try await key.confirm(
        ConfirmationRequest(
          authenticator: key.authenticator, deed: .reset, consequences: losses.words,
          phrase: key.authenticator.suggestedName))
      return (key.authenticator, losses)
    }
    let replug = Replug(
      source: keys.source, key: authenticator.key, deadline: deadline, replugVirtual: keys.replugVirtual)
    let interaction = environment.interaction(answers)
    let returned = try await replug.wait(environment) {
      interaction.notify(.replugNeeded(authenticator, touchWithin: window))
    }
    options.key = .named(returned.id)
    options.timeout = max(.milliseconds(1), deadline.since(clock.now))
    try await manage(keys.source, options, answers, environment) { (key) throws(WebAuthnError) in
      try await key.erase(ifItIs: authenticator)
    }
    try reportDone(
      ["reset": true, "lost": losses.json], "The key was erased; it is as new now.", arguments, environment)
  }
}

extension ManagedKey {
  /// Throws where the key can't be erased over USB.
  fileprivate func checkReset() throws(WebAuthnError) {
    guard let transports = authenticator.abilities.transportsForReset, !transports.contains("usb") else { return }
    throw WebAuthnError(
      .notAllowedError, .noSuitableKey,
      "\(authenticator.key.label) can't be erased over USB, only over \(transports.joined(separator: ", ")).")
  }

  /// Erases the key, once.
  fileprivate func erase(ifItIs before: AuthenticatorInfo) async throws(WebAuthnError) {
    guard authenticator.aaguid == before.aaguid else {
      throw WebAuthnError(
        .notAllowedError, .noSuitableKey, "The key that was plugged in is of another model; nothing was erased.")
    }
    // Most keys tell no serial number over USB; of one model, they differ in how they are set up.
    guard authenticator.abilities.isSetUp(as: before.abilities) else {
      throw WebAuthnError(
        .notAllowedError, .noSuitableKey,
        "The key that was plugged in is of the same model and set up otherwise, so that it is another one; nothing was "
          + "erased.")
    }
    if authenticator.abilities.longTouchForReset == true {
      notify(.warning("This key wants a long touch: leave the finger on it until it stops blinking."))
    }
    try await run { (session, wait) throws(CTAP2Error) in try session.reset(wait) }
  }
}

extension GetInfoResponse {
  /// Whether what can't change while a key is out is the same.
  fileprivate func isSetUp(as other: GetInfoResponse) -> Bool {
    let settings: [AuthenticatorOption] = [.clientPin, .bioEnroll, .alwaysUv, .ep]
    return versions == other.versions && firmwareVersion == other.firmwareVersion
      && minPINLength == other.minPINLength && forcePINChange == other.forcePINChange
      && settings.allSatisfy { options?[$0] == other.options?[$0] }
  }
}
