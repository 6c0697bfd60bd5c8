import CTAPBridge

/// `ctap-bridge register`: creation options in, registration response out.
enum RegisterCommand: BridgeCommand {
  static let specification = CommandSpecification(
    "register",
    summary: "register a credential on a key and print the response",
    discussion: """
      Reads PublicKeyCredentialCreationOptionsJSON from REQUEST (a file, or - for stdin, the default), bare or inside
      `publicKey` or `fido2` or a server's status envelope, creates the credential on a security key, and prints
      RegistrationResponseJSON with the client extension results, those of Thales included.

      The origin is the caller's word and never taken from the request. Where /etc/ctap-bridge/origins exists, only the
      origins in it are accepted.

      An enterprise attestation, which names the very key, is asked for only where /etc/ctap-bridge/enterprise-sites has
      the RP ID on a line of its own; with `vendor-facilitated` behind it, the key's own list must have it too.
      """,
    positionals: ["[REQUEST]"],
    options: [
      OptionSpecification(
        "--origin", "ORIGIN", help: "The web origin that the request is for, such as https://example.org."),
      KeyOption.specification,
      OptionSpecification(
        "--name", "NAME", help: "The friendly name, where the request asks for one (thalesgroup_ext_v1)."),
      OptionSpecification("--no-name", help: "Decline to give a friendly name."),
      OptionSpecification("--pin-file", "FILE", help: "The key's PIN, in the file's first line."),
      OptionSpecification("--pin-fd", "N", help: "The key's PIN, in the first line that descriptor N gives."),
      OptionSpecification(
        "--timeout", "SECONDS", help: "The time for all of it, once input was read; wins over the request's."),
      OptionSpecification("--no-wait", help: "Don't wait for a key to be plugged in."),
      OptionSpecification("--output", "FILE", help: "Write the response to FILE, whole or not at all."),
      OptionSpecification(
        "--syncable", "AAGUID", repeatable: true, help: "A model whose credentials can be synced (repeatable)."),
      OptionSpecification(
        "--metadata", "FILE", help: "FIDO metadata: a statement, or the payload of a BLOB, for names\nand syncability."),
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
  ) async throws(CommandFailure) -> (RegistrationResponse, ResponseDelivery) {
    let command = specification.name
    let name = try nameChoice(arguments)
    let options = try ceremonyOptions(arguments)
    let passed = try PassedExtensions.named(arguments, command: command)
    let origin = try AllowedOrigins.decide(
      given: arguments["--origin"], command: command, path: environment.allowedOrigins)
    var policy = try ModelOptions.policy(arguments, command: command)
    policy.enterpriseAttestation = try EnterpriseSites.read(environment.enterpriseSites)
    let pin = try PINOptions.pin(arguments, requestIsStdin: requestPath(arguments) == "-", command: command)
    // The request is read, and refused where it is malformed, before any key is looked for.
    let request = try await request(arguments, environment) { (bytes) throws(WebAuthnError) in
      try CreationOptions(parsing: bytes)
    }
    let delivery = try ResponseDelivery(path: arguments["--output"], environment)
    let keys = try ChosenSource(arguments, command: command, environment)
    announce("Registering \(PlainText.quoted(request.userName))", at: request.relyingPartyID, origin, environment)
    var ceremony = options
    ceremony.key = keys.choice

    let client = SecurityKeyClient(
      keySource: keys.source,
      interaction: environment.interaction(SuppliedAnswers(name: name, pin: pin)),
      extensions: SecurityKeyClient.bridgeExtensions + passed,
      policy: policy, clock: Tape.current.clock, random: Tape.current.random)
    do throws(WebAuthnError) {
      return (try await client.register(request, origin: origin, options: ceremony), delivery)
    } catch {
      throw failure(error, hasPIN: pin != nil, arguments, environment)
    }
  }

  private static func nameChoice(_ arguments: ParsedArguments) throws(CommandFailure) -> SuppliedAnswers.Name {
    guard let name = arguments["--name"] else { return arguments.has("--no-name") ? .declined : .ask }
    if arguments.has("--no-name") {
      throw .usage(UsageError("--name and --no-name contradict each other.", command: specification.name))
    }
    if let objection = AuthenticatorDescriptor.objection(to: name) {
      throw .usage(UsageError("--name cannot be used. \(objection)", command: specification.name))
    }
    return .given(name)
  }
}
