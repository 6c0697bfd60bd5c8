import CTAP2
import CTAPHID
import CTAPMessages
import JSONText
import WebAuthnClient

/// The commands about a key's settings.
enum ConfigCommands {
  static let group = CommandGroup(
    name: "config",
    summary: "change a key's settings",
    discussion: """
      Settings of the key itself, for every site and every program. Changing them needs the key's PIN, where it has one,
      and a key that can be configured, as those of CTAP 2.1 and later often can. What they are now, `info` shows.
      """,
    commands: [
      ConfigAlwaysUvCommand.self, ConfigEnterpriseAttestationCommand.self, ConfigLongTouchResetCommand.self,
    ])
}

/// `ctap-bridge config always-uv`: whether the key verifies its user for everything.
enum ConfigAlwaysUvCommand: BridgeCommand {
  static let specification = CommandSpecification(
    "config always-uv",
    summary: "have a key always verify its user, or not",
    discussion: """
      With `on` the key verifies its user, by PIN or by its own means, even for sites that don't ask for it, and stops
      speaking U2F, which can't; with `off` it does so where a site asks. Keys know only how to switch, so the present
      state is read first, and nothing is done where it is right already.
      """,
    positionals: ["on|off"], options: ManagementOptions.common)

  static func run(_ arguments: ParsedArguments, _ environment: CommandEnvironment) async throws(CommandFailure) {
    let text = try required(arguments, 0)
    guard text == "on" || text == "off" else {
      throw .usage(UsageError("It is on or off, not \(PlainText.quoted(text)).", command: specification.name))
    }
    let isOn = text == "on"
    let changed = try await manage(arguments, environment) { (key) throws(WebAuthnError) in
      // Nobody is asked for a PIN where there is nothing to do, or nothing can be done.
      switch key.authenticator.abilities.options?[.alwaysUv] {
      case isOn?: return false
      case nil: throw key.notOffered("the setting \"always verify\"")
      default: break
      }
      let token = try await key.tokenIfProtected(.authenticatorConfiguration)
      return try await key.run { (session, wait) throws(CTAP2Error) in try session.setAlwaysUv(isOn, token, wait) }
    }
    let state = isOn ? "The key always verifies its user" : "The key verifies its user where a site wants it"
    try reportDone(
      ["alwaysUv": .bool(isOn), "changed": .bool(changed)], changed ? "\(state) now." : "\(state) already.", arguments,
      environment)
  }
}

/// `ctap-bridge config enterprise-attestation`: lets a key name itself to its company's sites.
enum ConfigEnterpriseAttestationCommand: BridgeCommand {
  static let specification = CommandSpecification(
    "config enterprise-attestation",
    summary: "let a key identify itself to enterprise sites",
    discussion: """
      Allows enterprise attestation: sites that the vendor or the platform permits may then see which one of all keys of
      its model this is. Only a reset, which erases the key, takes it back, so it is asked about first; where nobody can
      be asked, --yes says that it is meant.
      """,
    options: [ManagementOptions.yes] + ManagementOptions.common)

  static func run(_ arguments: ParsedArguments, _ environment: CommandEnvironment) async throws(CommandFailure) {
    let changed = try await manage(arguments, environment) { (key) throws(WebAuthnError) in
      try await key.switchOn(
        key.authenticator.abilities.options?[.ep], "enterprise attestation",
        "Certain sites will be able to tell this key from all others of its model."
      ) { (session, token, wait) throws(CTAP2Error) in try session.enableEnterpriseAttestation(token, wait) }
    }
    try reportDone(
      ["enterpriseAttestation": true, "changed": .bool(changed)],
      "Enterprise attestation is on\(changed ? " now" : " already").", arguments, environment)
  }
}

/// `ctap-bridge config long-touch-reset`: makes erasing a key harder.
enum ConfigLongTouchResetCommand: BridgeCommand {
  static let specification = CommandSpecification(
    "config long-touch-reset",
    summary: "have a key want a long touch before it is erased",
    discussion: """
      From now on a reset needs a touch of some seconds, so that nobody erases the key by accident. Only a reset takes it
      back, so it is asked about first; where nobody can be asked, --yes says that it is meant.
      """,
    options: [ManagementOptions.yes] + ManagementOptions.common)

  static func run(_ arguments: ParsedArguments, _ environment: CommandEnvironment) async throws(CommandFailure) {
    let changed = try await manage(arguments, environment) { (key) throws(WebAuthnError) in
      try await key.switchOn(
        key.authenticator.abilities.longTouchForReset, "a long touch for a reset",
        "A reset of this key will need a touch of some seconds."
      ) { (session, token, wait) throws(CTAP2Error) in try session.enableLongTouchForReset(token, wait) }
    }
    try reportDone(
      ["longTouchForReset": true, "changed": .bool(changed)],
      "A reset needs a long touch\(changed ? " now" : " already").", arguments, environment)
  }
}

extension ManagedKey {
  /// The error for something that the key does not have.
  func notOffered(_ what: String) -> WebAuthnError {
    WebAuthnError(.notAllowedError, .noSuitableKey, "\(authenticator.key.label) does not offer \(what).")
  }

  /// Switches something on that only a reset switches off; false where it is on already.
  fileprivate func switchOn(
    _ present: Bool?, _ what: String, _ consequences: String,
    _ change: @Sendable @escaping (KeySession, PINUVAuthToken?, Wait) throws(CTAP2Error) -> Bool
  ) async throws(WebAuthnError) -> Bool {
    guard let present else { throw notOffered(what) }
    if present { return false }
    try await confirm(
      ConfirmationRequest(
        authenticator: authenticator, deed: .lastingSetting,
        consequences: "\(consequences) Only a reset, which erases the key, takes this back."))
    let token = try await tokenIfProtected(.authenticatorConfiguration)
    return try await run { (session, wait) throws(CTAP2Error) in try change(session, token, wait) }
  }
}
