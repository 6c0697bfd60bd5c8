import JSONText
import WebAuthnClient

/// `ctap-bridge credentials list`: the discoverable credentials on a key.
enum CredentialsListCommand: BridgeCommand {
  static let specification = CommandSpecification(
    "credentials list",
    summary: "list the credentials on a key",
    discussion: """
      Lists the discoverable credentials on a key by site, each with its ID and the name of its account. Needs the key's
      PIN, or its own verification; where the key gives a permission for reading alone, no more than that is asked for.
      """,
    options: [CredentialCommands.rpID] + ManagementOptions.common)

  static func run(_ arguments: ParsedArguments, _ environment: CommandEnvironment) async throws(CommandFailure) {
    let rpID = arguments["--rp-id"]
    let list = try await manage(arguments, environment) { (key) throws(WebAuthnError) in
      try await CredentialLookup(key, rpID: rpID, changes: false).all().map(CredentialReport.init)
    }
    if list.isEmpty {
      environment.say(
        "The key has no discoverable credential" + (rpID.map { " for \(RelyingPartyID.shown($0))." } ?? "."))
    }
    try report(.array(list.map(\.json)), lines(list), arguments, environment)
  }

  private static func lines(_ list: [CredentialReport]) -> [String] {
    var lines: [String] = []
    var site: String?
    for credential in list {
      if credential.site != site { lines.append(credential.site) }
      site = credential.site
      lines.append("  \(credential.id)  \(credential.account)")
    }
    return lines
  }
}
