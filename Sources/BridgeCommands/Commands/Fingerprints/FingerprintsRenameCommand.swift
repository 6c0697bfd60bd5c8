import CTAP2
import CTAPMessages
import JSONText
import WebAuthnClient

/// `ctap-bridge fingerprints rename`: another name for a fingerprint.
enum FingerprintsRenameCommand: BridgeCommand {
  static let specification = CommandSpecification(
    "fingerprints rename",
    summary: "give a fingerprint another name",
    discussion: """
      Replaces the name of a fingerprint. Needs the key's PIN.
      \(FingerprintCommands.explanation)
      """,
    positionals: ["FINGERPRINT", "NAME"], options: ManagementOptions.common)

  static func run(_ arguments: ParsedArguments, _ environment: CommandEnvironment) async throws(CommandFailure) {
    let text = try required(arguments, 0)
    let name = try Self.name(try required(arguments, 1), option: "NAME")
    let renamed = try await manage(arguments, environment) { (key) throws(WebAuthnError) in
      let token = try await key.fingerprintToken()
      let all = try await key.run { (session, wait) throws(CTAP2Error) in
        try FingerprintCommands.checkLength(name, try session.fingerprintSensor(wait))
        return try session.fingerprints(token, wait)
      }
      var fingerprint = try FingerprintCommands.one(text, among: all)
      let id = fingerprint.templateID
      try await key.run { (session, wait) throws(CTAP2Error) in
        try session.nameFingerprint(id, name, token, wait)
      }
      fingerprint.templateFriendlyName = name
      return fingerprint
    }
    try reportDone(
      FingerprintCommands.json(renamed), "The fingerprint was renamed: \(FingerprintCommands.words(renamed)).",
      arguments, environment)
  }
}
