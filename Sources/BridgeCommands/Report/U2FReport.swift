import JSONText
import WebAuthnClient

/// What there is to tell about a key that speaks U2F alone: it says nothing of itself but its version.
struct U2FReport: KeyReport {
  let versions: [String]

  /// The version under getInfo's name, and what follows from it.
  var json: JSONOutput {
    .object([
      ("versions", .strings(versions)),
      ("usableFor", .strings(["register", "authenticate"])),
      ("algorithms", .array([.object([("type", .string("public-key")), ("alg", .int(-7))])])),
      ("discoverableCredentials", .bool(false)),
      ("userVerification", .bool(false)),
    ])
  }

  /// The same in words.
  var lines: [String] {
    [
      Self.line("Version", versions.map(PlainText.shown).joined(separator: ", ") + " (U2F, which is CTAP1)"),
      Self.line("Registers", "credentials that are not discoverable, for ES256 (-7), after a touch"),
      Self.line("Signs in", "with a credential that the request names, after a touch"),
      Self.line("Has not", "discoverable credentials, a PIN or other user verification, extensions, settings"),
    ]
  }

  private static func line(_ label: String, _ value: String) -> String { label.padded(to: 12) + value }
}
