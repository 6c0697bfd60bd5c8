import CTAPBridge
import CTAPHID
import JSONText
import Octets
import WebAuthnClient

/// What the commands that look after a key share.
enum ManagementOptions {
  /// The options of each of them.
  static let common: [OptionSpecification] =
    [KeyOption.specification] + PINOptions.specifications + [
      OptionSpecification("--timeout", "SECONDS", help: "The time for all of it, once input was read (default: 300)."),
      OptionSpecification("--no-wait", help: "Don't wait for a key to be plugged in."),
      json,
    ] + VirtualKeyOptions.specifications

  static let json = OptionSpecification("--json", help: "Print the result as JSON on stdout.")
  static let yes = OptionSpecification(
    "--yes", help: "Don't ask whether it is meant; needed where nobody can be asked.")
}

extension BridgeCommand {
  /// Finds the key, has `work` look after it, and closes it again.
  static func manage<Value: Sendable>(
    _ arguments: ParsedArguments, _ environment: CommandEnvironment,
    _ work: (ManagedKey) async throws(WebAuthnError) -> Value
  ) async throws(CommandFailure) -> Value {
    let answers = try managementAnswers(arguments)
    let keys = try ChosenSource(arguments, command: specification.name, environment)
    var options = try ceremonyOptions(arguments)
    options.key = keys.choice
    return try await manage(keys.source, options, answers, environment, work)
  }

  /// What the command line answers beforehand.
  static func managementAnswers(_ arguments: ParsedArguments) throws(CommandFailure) -> SuppliedAnswers {
    var answers = SuppliedAnswers(name: .declined)
    answers.newPIN = try PINOptions.newPIN(arguments, command: specification.name)
    answers.pin = try PINOptions.pin(arguments, requestIsStdin: false, command: specification.name)
    answers.isConfirmed = arguments.has("--yes")
    return answers
  }

  /// The same on a source of keys that was chosen already.
  static func manage<Value: Sendable>(
    _ source: any KeySource, _ options: CeremonyOptions, _ answers: SuppliedAnswers, _ environment: CommandEnvironment,
    needsFIDO2: Bool = true, _ work: (ManagedKey) async throws(WebAuthnError) -> Value
  ) async throws(CommandFailure) -> Value {
    let client = SecurityKeyClient(
      keySource: source, interaction: environment.interaction(answers), clock: Tape.current.clock,
      random: Tape.current.random)
    do throws(WebAuthnError) {
      return try await client.manage(options: options, needsFIDO2: needsFIDO2, work)
    } catch {
      throw managementFailure(error, answers, environment)
    }
  }

  /// The failure for an error, with a hint where an option of the command line would have helped.
  private static func managementFailure(
    _ error: WebAuthnError, _ answers: SuppliedAnswers, _ environment: CommandEnvironment
  ) -> CommandFailure {
    var failure = CommandFailure(error)
    let hint: String? =
      switch error.kind {
      case .pinMissing where answers.pin == nil: "supply the PIN with --pin-file FILE or --pin-fd N."
      case .newPINMissing where answers.newPIN == nil:
        "supply the new PIN with --new-pin-file FILE or --new-pin-fd N."
      case .confirmationMissing: "add --yes where it is meant."
      default: nil
      }
    if let hint, !environment.canAsk {
      failure = CommandFailure(
        failure.name, "\(failure.reason) There is no terminal to ask at: \(hint)", failure.status)
    }
    return failure
  }

  /// Writes a result: as JSON where that is asked for, else in words.
  static func report(
    _ json: JSONOutput, _ words: [String], _ arguments: ParsedArguments, _ environment: CommandEnvironment
  ) throws(CommandFailure) {
    if arguments.has("--json") { return try environment.write(json.serialized(pretty: true)) }
    for line in words { try environment.write(PlainText.shown(line)) }
  }

  /// Says what was done: as JSON on stdout where that is asked for, else to the person.
  static func reportDone(
    _ json: JSONOutput, _ words: String, _ arguments: ParsedArguments, _ environment: CommandEnvironment
  ) throws(CommandFailure) {
    guard arguments.has("--json") else { return environment.say(words) }
    do throws(CommandFailure) {
      try environment.write(json.serialized(pretty: true))
    } catch {
      // Whoever misses the result must not take the change for one that was not made.
      throw CommandFailure(error.name, "\(words) \(error.reason)", error.status)
    }
  }

  /// The only value of a positional argument that must be there.
  static func required(_ arguments: ParsedArguments, _ index: Int) throws(CommandFailure) -> String {
    guard arguments.positionals.indices.contains(index) else {
      throw .usage(UsageError("\(specification.positionals[index]) is missing.", command: specification.name))
    }
    return arguments.positionals[index]
  }

  /// A name that goes onto a key, without what could mislead whoever sees it later.
  static func name(_ text: String, option: String) throws(CommandFailure) -> String {
    if let objection = AuthenticatorDescriptor.objection(to: text) {
      throw .usage(UsageError("\(option) cannot be used. \(objection)", command: specification.name))
    }
    return AuthenticatorDescriptor(friendlyName: text).trimmedName
  }
}
