import CTAP2
import CTAPMessages
import JSONText
import WebAuthnClient

/// `ctap-bridge fingerprints list`: the fingerprints that are enrolled.
enum FingerprintsListCommand: BridgeCommand {
  static let specification = CommandSpecification(
    "fingerprints list",
    summary: "list the fingerprints on a key",
    discussion: "Lists the fingerprints that are enrolled, each with its ID and its name. Needs the key's PIN.",
    options: ManagementOptions.common)

  static func run(_ arguments: ParsedArguments, _ environment: CommandEnvironment) async throws(CommandFailure) {
    let list = try await manage(arguments, environment) { (key) throws(WebAuthnError) in
      let token = try await key.fingerprintToken()
      return try await key.run { (session, wait) throws(CTAP2Error) in try session.fingerprints(token, wait) }
    }
    if list.isEmpty { environment.say("No fingerprint is enrolled.") }
    try report(
      .array(list.map(FingerprintCommands.json)), list.map(FingerprintCommands.words), arguments, environment)
  }
}

extension ManagedKey {
  /// A token for the work on fingerprints; a key without a sensor is told before a PIN is asked for.
  func fingerprintToken() async throws(WebAuthnError) -> PINUVAuthToken {
    guard authenticator.abilities.hasFingerprints else {
      throw WebAuthnError(.notAllowedError, .noSuitableKey, "\(authenticator.key.label) has no fingerprint sensor.")
    }
    return try await token(.bioEnrollment)
  }
}
