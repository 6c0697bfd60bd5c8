import RelyingParty

/// `ctap-bridge verify authentication`: a server's checks of a sign-in, without the server.
enum VerifyAuthenticationCommand: BridgeCommand {
  private static let credential = OptionSpecification(
    "--credential", "FILE", help: "The registration's response, or the JSON of a verification.")

  static let specification = CommandSpecification(
    "verify authentication",
    summary: "check a sign-in's response as a server would",
    discussion: """
      Makes the checks of a relying party (WebAuthn L3 §7.2) on AuthenticationResponseJSON from any client: challenge,
      origin, RP ID, flags, the signature by the credential's public key, and that the counter has grown. Each check is
      one line: passed, failed, or not checked and why.

      The credential is the registration's response, or what `verify registration --json` printed of it, which names
      the user too. What `verify authentication --json` prints holds the new counter, for the next time.

      The status is 76 where a check failed.
      """,
    options: [
      VerifyOptions.request, VerifyOptions.response, credential,
    ] + VerifyOptions.origins + [VerifyOptions.json],
    opensKeys: false)

  static func run(_ arguments: ParsedArguments, _ environment: CommandEnvironment) async throws(CommandFailure) {
    let policy = try VerifyOptions.policy(arguments)
    let request = try VerifyOptions.file(VerifyOptions.request, arguments, specification.name) {
      bytes throws(UnreadableInput) in try AuthenticationRequest(parsing: bytes)
    }
    let response = try VerifyOptions.file(VerifyOptions.response, arguments, specification.name) {
      bytes throws(UnreadableInput) in try ReceivedAuthentication(parsing: bytes)
    }
    let record = try VerifyOptions.file(credential, arguments, specification.name) {
      bytes throws(UnreadableInput) in try CredentialRecord(parsing: bytes)
    }
    try VerifyOptions.report(response.verify(request, policy, credential: record), arguments, environment)
  }
}
