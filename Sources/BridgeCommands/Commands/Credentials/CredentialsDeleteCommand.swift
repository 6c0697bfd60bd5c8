import CTAP2
import JSONText
import WebAuthnClient

/// `ctap-bridge credentials delete`: takes a credential off a key.
enum CredentialsDeleteCommand: BridgeCommand {
  static let specification = CommandSpecification(
    "credentials delete",
    summary: "delete a credential from a key",
    discussion: """
      Deletes a discoverable credential for good: the account can't be signed in to with this key any more. The site is
      not told. It is shown and asked about first; where nobody can be asked, --yes says that it is meant.
      \(CredentialCommands.explanation)

      Where the key's answer is lost, the credential may be deleted or not: nothing is sent a second time, and the exit
      status is 14.
      """,
    positionals: ["CREDENTIAL"],
    options: [ManagementOptions.yes, CredentialCommands.rpID] + ManagementOptions.common)

  static func run(_ arguments: ParsedArguments, _ environment: CommandEnvironment) async throws(CommandFailure) {
    let id = try required(arguments, 0)
    let deleted = try await manage(arguments, environment) { (key) throws(WebAuthnError) in
      let lookup = try await CredentialLookup(key, rpID: arguments["--rp-id"], changes: true)
      let credential = try await lookup.one(id)
      let shown = CredentialReport(credential)
      try await key.confirm(
        ConfirmationRequest(
          authenticator: key.authenticator, deed: .deleteCredential,
          consequences:
            "The credential \(shown.id) of \(shown.account) at \(shown.site) will be deleted: this account can't be "
            + "signed in to with this key any more."))
      let (token, descriptor) = (lookup.token, credential.descriptor)
      try await key.run { (session, wait) throws(CTAP2Error) in
        try session.deleteCredential(descriptor, token, wait)
      }
      return shown
    }
    try reportDone(
      ["deleted": .string(deleted.id)], "The credential of \(deleted.account) at \(deleted.site) was deleted.",
      arguments, environment)
  }
}
