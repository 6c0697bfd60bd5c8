import CTAP2
import CTAPMessages
import JSONText
import WebAuthnClient

/// `ctap-bridge pin force-change`: has a key want another PIN.
enum PINForceChangeCommand: BridgeCommand {
  static let specification = CommandSpecification(
    "pin force-change",
    summary: "have a key want its PIN changed before it is used again",
    discussion: """
      From now on the key takes its PIN for one thing alone: to be replaced by another, with `pin change`. Meant for keys
      that are handed out with a PIN which somebody else knows. Needs the PIN, and a key that can be configured.
      """,
    options: ManagementOptions.common)

  static func run(_ arguments: ParsedArguments, _ environment: CommandEnvironment) async throws(CommandFailure) {
    try await manage(arguments, environment) { (key) throws(WebAuthnError) in
      guard key.authenticator.abilities.isOn(.setMinPINLength) else {
        throw key.notOffered("rules for its PIN that can be set")
      }
      let token = try await key.token(.authenticatorConfiguration)
      try await key.run { (session, wait) throws(CTAP2Error) in try session.forcePINChange(token, wait) }
    }
    try reportDone(
      ["pin": "must change"], "The key wants its PIN changed before it is used again.", arguments, environment)
  }
}
