import RelyingParty

/// `ctap-bridge verify registration`: a server's checks of a registration, without the server.
enum VerifyRegistrationCommand: BridgeCommand {
  static let specification = CommandSpecification(
    "verify registration",
    summary: "check a registration's response as a server would",
    discussion: """
      Makes the checks of a relying party (WebAuthn L3 §7.1) on RegistrationResponseJSON from any client: challenge,
      origin, RP ID, flags, algorithm, public key, and the attestation in the formats packed, fido-u2f, tpm,
      android-key, apple and none, with its certificate's rules and, given trust anchors, its chain. Each check is one
      line: passed, failed, or not checked and why. Revocation, and whether another account has the credential, need a
      server and are not checked.

      The status is 76 where a check failed.
      """,
    options: [
      VerifyOptions.request, VerifyOptions.response,
    ] + VerifyOptions.origins + [
      OptionSpecification(
        "--trust-anchors", "FILE",
        help:
          "Certificates in PEM, or one in DER, that the attestation\nmust lead to; without them the chain is not checked."
      ),
      VerifyOptions.json,
    ],
    opensKeys: false)

  static func run(_ arguments: ParsedArguments, _ environment: CommandEnvironment) async throws(CommandFailure) {
    let policy = try VerifyOptions.policy(arguments)
    let request = try VerifyOptions.file(VerifyOptions.request, arguments, specification.name) {
      bytes throws(UnreadableInput) in try RegistrationRequest(parsing: bytes)
    }
    let response = try VerifyOptions.file(VerifyOptions.response, arguments, specification.name) {
      bytes throws(UnreadableInput) in try ReceivedRegistration(parsing: bytes)
    }
    try VerifyOptions.report(response.verify(request, policy), arguments, environment)
  }
}
