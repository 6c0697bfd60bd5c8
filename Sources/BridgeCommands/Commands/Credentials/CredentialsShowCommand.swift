import JSONText
import WebAuthnClient

/// `ctap-bridge credentials show`: all that a key tells of one credential.
enum CredentialsShowCommand: BridgeCommand {
  static let specification = CommandSpecification(
    "credentials show",
    summary: "show all that a key tells of a credential",
    discussion: """
      Shows a discoverable credential: site, account, algorithm, protection and more. Needs the key's PIN, or its own
      verification.
      \(CredentialCommands.explanation)
      """,
    positionals: ["CREDENTIAL"], options: [CredentialCommands.rpID] + ManagementOptions.common)

  static func run(_ arguments: ParsedArguments, _ environment: CommandEnvironment) async throws(CommandFailure) {
    let id = try required(arguments, 0)
    let credential = try await manage(arguments, environment) { (key) throws(WebAuthnError) in
      CredentialReport(try await CredentialLookup(key, rpID: arguments["--rp-id"], changes: false).one(id))
    }
    try report(credential.json, credential.lines, arguments, environment)
  }
}
