import CTAP2
import CTAPMessages
import JSONText
import Octets
import WebAuthnClient

/// `ctap-bridge fingerprints remove`: takes a fingerprint off a key.
enum FingerprintsRemoveCommand: BridgeCommand {
  static let specification = CommandSpecification(
    "fingerprints remove",
    summary: "remove a fingerprint",
    discussion: """
      Removes a fingerprint from the key. It is asked about first; where nobody can be asked, --yes says that it is meant.
      Needs the key's PIN.
      \(FingerprintCommands.explanation)
      """,
    positionals: ["FINGERPRINT"], options: [ManagementOptions.yes] + ManagementOptions.common)

  static func run(_ arguments: ParsedArguments, _ environment: CommandEnvironment) async throws(CommandFailure) {
    let text = try required(arguments, 0)
    let removed = try await manage(arguments, environment) { (key) throws(WebAuthnError) in
      let token = try await key.fingerprintToken()
      let all = try await key.run { (session, wait) throws(CTAP2Error) in try session.fingerprints(token, wait) }
      let fingerprint = try FingerprintCommands.one(text, among: all)
      try await key.confirm(
        ConfirmationRequest(
          authenticator: key.authenticator, deed: .removeFingerprint,
          consequences: "The fingerprint \(FingerprintCommands.words(fingerprint)) will be removed."))
      let id = fingerprint.templateID
      try await key.run { (session, wait) throws(CTAP2Error) in try session.removeFingerprint(id, token, wait) }
      return fingerprint
    }
    try reportDone(
      ["removed": .string(Hex.encode(removed.templateID))],
      "The fingerprint was removed: \(FingerprintCommands.words(removed)).", arguments, environment)
  }
}
