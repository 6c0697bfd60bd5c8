import JSONText
import WebAuthnClient

/// `ctap-bridge pin set`: gives a key its first PIN.
enum PINSetCommand: BridgeCommand {
  static let specification = CommandSpecification(
    "pin set",
    summary: "give a key without a PIN its first one",
    discussion: """
      Sets the first PIN of a key that has none. At a terminal it is typed twice, without echo; elsewhere it comes from
      --new-pin-file or --new-pin-fd. A PIN that breaks a rule of the key is refused before the key is asked.

      Without a PIN, a key can be used by whoever holds it. Only a reset, which erases the key, takes a PIN away again.
      """,
    options: PINOptions.newSpecifications + ManagementOptions.common.filter { !$0.name.hasPrefix("--pin-") })

  static func run(_ arguments: ParsedArguments, _ environment: CommandEnvironment) async throws(CommandFailure) {
    try await manage(arguments, environment) { (key) throws(WebAuthnError) in try await key.setPIN() }
    try reportDone(["pin": "set"], "The PIN was set.", arguments, environment)
  }
}
