import CTAP2
import CTAPMessages
import JSONText
import WebAuthnClient

/// `ctap-bridge credentials rename`: other names for a credential's account.
enum CredentialsRenameCommand: BridgeCommand {
  static let specification = CommandSpecification(
    "credentials rename",
    summary: "give a credential's account other names on the key",
    discussion: """
      Replaces the name, the display name, or both, that the key stores with a credential and shows when one of several
      accounts is chosen. The site is not told. Needs the key's PIN, or its own verification.
      \(CredentialCommands.explanation)
      """,
    positionals: ["CREDENTIAL"],
    options: [
      OptionSpecification("--name", "NAME", help: "The account's new name, such as alice@example.org."),
      OptionSpecification("--display-name", "NAME", help: "The account's new display name, such as Alice."),
      CredentialCommands.rpID,
    ] + ManagementOptions.common)

  static func run(_ arguments: ParsedArguments, _ environment: CommandEnvironment) async throws(CommandFailure) {
    let id = try required(arguments, 0)
    let name = try arguments["--name"].map { (text) throws(CommandFailure) in try Self.name(text, option: "--name") }
    let display = try arguments["--display-name"].map { (text) throws(CommandFailure) in
      try Self.name(text, option: "--display-name")
    }
    guard name != nil || display != nil else {
      throw .usage(UsageError("--name or --display-name is missing.", command: specification.name))
    }
    let (before, after) = try await manage(arguments, environment) { (key) throws(WebAuthnError) in
      let lookup = try await CredentialLookup(key, rpID: arguments["--rp-id"], changes: true)
      let credential = try await lookup.one(id)
      var user = credential.user
      if let name { user.name = name }
      if let display { user.displayName = display }
      let (token, descriptor, changed) = (lookup.token, credential.descriptor, user)
      try await key.run { (session, wait) throws(CTAP2Error) in
        try session.updateUser(changed, of: descriptor, token, wait)
      }
      return (CredentialReport(credential), CredentialReport(credential.renamed(user)))
    }
    try reportDone(
      after.json, "\(before.account) at \(before.site) is \(after.account) now.", arguments, environment)
  }
}
