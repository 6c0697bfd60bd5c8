internal import FIDOCrypto

/// A statement format of WebAuthn L3 §8.
protocol AttestationFormat: Sendable {
  /// Whether the statement was made over exactly this answer; trusts the certificate without a look at it.
  static func binding(_ answer: AttestedAnswer) -> AttestationVerdict

  /// The rules of the format that the leaf certificate breaks, each in a few words.
  static func faults(of leaf: Certificate, _ answer: AttestedAnswer) -> [String]
}

/// The formats by the names that IANA registered.
enum AttestationFormats {
  static let all: [String: any AttestationFormat.Type] = [
    "packed": PackedFormat.self, "fido-u2f": U2FFormat.self, "none": NoneFormat.self, "tpm": TPMFormat.self,
    "android-key": AndroidKeyFormat.self, "apple": AppleFormat.self,
  ]

  /// Names that are registered and not handled: SafetyNet was shut down, and compound statements have no deployment.
  static let others: Set<String> = ["android-safetynet", "compound"]
}

/// No statement at all (WebAuthn L3 §8.7).
enum NoneFormat: AttestationFormat {
  /// A statement that should be empty and is not hurts nobody who passes it on; the report tells those who rely on it.
  static func binding(_ answer: AttestedAnswer) -> AttestationVerdict { .nothingToCheck }

  static func faults(of leaf: Certificate, _ answer: AttestedAnswer) -> [String] { [] }
}
