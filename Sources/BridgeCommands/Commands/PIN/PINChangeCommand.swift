import JSONText
import WebAuthnClient

/// `ctap-bridge pin change`: replaces a key's PIN.
enum PINChangeCommand: BridgeCommand {
  static let specification = CommandSpecification(
    "pin change",
    summary: "replace a key's PIN",
    discussion: """
      Asks for the present PIN, with the tries that are left, and for the new one, twice, and replaces the one by the
      other. A wrong present PIN costs a try and is asked for again; from a file or descriptor it is tried once. A new PIN
      that breaks a rule of the key is refused before the key is asked, and so costs no try.

      Where the key's answer is lost, the PIN may be the old one or the new one: nothing is sent a second time, and the
      exit status is 14.
      """,
    options: PINOptions.newSpecifications + ManagementOptions.common)

  static func run(_ arguments: ParsedArguments, _ environment: CommandEnvironment) async throws(CommandFailure) {
    try await manage(arguments, environment) { (key) throws(WebAuthnError) in try await key.changePIN() }
    try reportDone(["pin": "changed"], "The PIN was changed.", arguments, environment)
  }
}
