import CTAP2
import CTAPMessages
import JSONText
import Octets
import WebAuthnClient

/// The commands about the fingerprints on a key.
enum FingerprintCommands {
  static let group = CommandGroup(
    name: "fingerprints",
    summary: "list, add, rename and remove the fingerprints on a key",
    discussion: """
      A key with a fingerprint sensor recognises its holder by the fingers that were enrolled. Looking after them needs the
      key's PIN, which has to be set first.
      """,
    commands: [
      FingerprintsListCommand.self, FingerprintsAddCommand.self, FingerprintsRenameCommand.self,
      FingerprintsRemoveCommand.self,
    ])

  /// What FINGERPRINT is, for the help texts.
  static let explanation = "FINGERPRINT is its ID as `fingerprints list` shows it, or its name, where no other has it."

  /// The one fingerprint that has a text as its ID or its name.
  static func one(_ text: String, among all: [FingerprintTemplate]) throws(WebAuthnError) -> FingerprintTemplate {
    if let exact = all.first(where: { Hex.encode($0.templateID) == text.lowercased() }) { return exact }
    let named = all.filter { $0.templateFriendlyName == text }
    if named.count == 1 { return named[0] }
    guard named.isEmpty else {
      throw WebAuthnError(
        .notAllowedError, .badRequest,
        "\(named.count) fingerprints have the name \(PlainText.quoted(text)); name one by its ID.")
    }
    throw WebAuthnError(
      .notAllowedError, .noCredential,
      "The key has no fingerprint with the ID or name \(PlainText.quoted(text)); `ctap-bridge fingerprints list` shows "
        + "what it has.")
  }

  /// A fingerprint for programs.
  static func json(_ fingerprint: FingerprintTemplate) -> JSONOutput {
    .object([
      ("id", .string(Hex.encode(fingerprint.templateID))),
      ("name", fingerprint.templateFriendlyName.map(JSONOutput.string) ?? .null),
    ])
  }

  /// A fingerprint for people.
  static func words(_ fingerprint: FingerprintTemplate) -> String {
    let name = fingerprint.templateFriendlyName ?? ""
    return Hex.encode(fingerprint.templateID) + "  " + (name.isEmpty ? "(no name)" : name)
  }

  /// A name for a fingerprint that the key can take.
  static func checkLength(_ name: String, _ sensor: FingerprintSensor) throws(CTAP2Error) {
    let limit = sensor.maximumNameLength ?? KeySession.standardFingerprintNameLength
    guard name.utf8.count <= limit else {
      throw .notOffered("names of fingerprints of \(name.utf8.count) bytes; it takes \(limit)")
    }
  }
}
