import CTAPBridge

/// `ctap-bridge authenticate`: request options in, authentication response out.
enum AuthenticateCommand: BridgeCommand {
  static let specification = CommandSpecification(
    "authenticate",
    summary: "sign in with a credential on a key and print the response",
    discussion: """
      Reads PublicKeyCredentialRequestOptionsJSON from REQUEST (a file, or - for stdin, the default), bare or inside
      `publicKey` or `fido2` or a server's status envelope, has a security key sign with a credential that the request
      allows, and prints AuthenticationResponseJSON with the client extension results, the Thales challenge token
      included.

      Of several keys the one that has a credential for the request is used. Where a key has several accounts for the
      site and the request names none, the person is asked at the terminal; without a terminal it is the one that
      --account names, or the newest.

      The origin is the caller's word and never taken from the request. Where /etc/ctap-bridge/origins exists, only the
      origins in it are accepted.
      """,
    positionals: ["[REQUEST]"],
    options: [
      OptionSpecification(
        "--origin", "ORIGIN", help: "The web origin that the request is for, such as https://example.org."),
      KeyOption.specification,
      OptionSpecification(
        "--account", "NAME",
        help:
          "The account to sign in to where the key has several: its name,\ndisplay name, or user handle in base64url."),
      OptionSpecification("--pin-file", "FILE", help: "The key's PIN, in the file's first line."),
      OptionSpecification("--pin-fd", "N", help: "The key's PIN, in the first line that descriptor N gives."),
      OptionSpecification(
        "--timeout", "SECONDS", help: "The time for all of it, once input was read; wins over the request's."),
      OptionSpecification("--no-wait", help: "Don't wait for a key to be plugged in."),
      OptionSpecification("--output", "FILE", help: "Write the response to FILE, whole or not at all."),
      PassedExtensions.option,
      OptionSpecification("--strict-extensions", help: "Refuse a malformed extension input instead of ignoring it."),
      u2fOption,
    ] + VirtualKeyOptions.specifications)

  static func run(_ arguments: ParsedArguments, _ environment: CommandEnvironment) async throws(CommandFailure) {
    let (response, delivery) = try await ceremony(arguments, environment)
    try delivery.deliver(response)
  }

  /// The ceremony in a scope of its own: the PIN is gone from memory before a write that may wait for its reader.
  private static func ceremony(
    _ arguments: ParsedArguments, _ environment: CommandEnvironment
  ) async throws(CommandFailure) -> (AuthenticationResponse, ResponseDelivery) {
    let command = specification.name
    var ceremony = try ceremonyOptions(arguments)
    let passed = try PassedExtensions.named(arguments, command: command)
    let origin = try AllowedOrigins.decide(
      given: arguments["--origin"], command: command, path: environment.allowedOrigins)
    let pin = try PINOptions.pin(arguments, requestIsStdin: requestPath(arguments) == "-", command: command)
    // The request is read, and refused where it is malformed, before any key is looked for.
    let request = try await request(arguments, environment) { (bytes) throws(WebAuthnError) in
      try AuthenticationOptions(parsing: bytes)
    }
    let delivery = try ResponseDelivery(path: arguments["--output"], environment)
    let keys = try ChosenSource(arguments, command: command, environment)
    announce("Signing in", at: request.relyingPartyID, origin, environment)
    ceremony.key = keys.choice

    let client = SecurityKeyClient(
      keySource: keys.source,
      interaction: environment.interaction(SuppliedAnswers(name: .declined, pin: pin, account: arguments["--account"])),
      extensions: SecurityKeyClient.bridgeExtensions + passed, clock: Tape.current.clock, random: Tape.current.random)
    do throws(WebAuthnError) {
      return (try await client.authenticate(request, origin: origin, options: ceremony), delivery)
    } catch {
      throw failure(error, hasPIN: pin != nil, arguments, environment)
    }
  }
}
