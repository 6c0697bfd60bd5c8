import CTAPMessages
import FIDOCrypto

// What a profile means for the commands: each rule in one place.
extension VirtualKeyProfile {
  func option(_ option: AuthenticatorOption) -> Bool? { info.options?[option] }

  func has(extension identifier: String) -> Bool { info.supports(extension: identifier) }

  /// Whether the key speaks CTAP2; one whose only version is U2F's does not, and has no getInfo to say so.
  var speaksCTAP2: Bool { info.versions != [Self.u2fVersion] }

  /// Whether the key speaks CTAP1/U2F.
  var speaksU2F: Bool { info.versions.contains(Self.u2fVersion) }

  /// The version by which getInfo announces U2F, and with which U2F names itself.
  static let u2fVersion = "U2F_V2"

  /// Whether the key knows what CTAP 2.1 brought, such as selection.
  var isCTAP21: Bool { info.versions.contains { $0.hasPrefix("FIDO_2_") && $0 != "FIDO_2_0" && $0 != "FIDO_2_1_PRE" } }

  /// Gives the key a fingerprint sensor, with no finger enrolled; one that the profile has stays as it is.
  public mutating func addFingerprintSensor() {
    guard !enrolsFingerprints else { return }
    info.options?[.bioEnroll] = false
    info.options?[.uv] = false
    info.options?[.uvBioEnroll] = true
    info.uvModality = .fingerprintInternal
    info.preferredPlatformUvAttempts = 3
  }

  /// Whether fingerprints can be enrolled, by the final command or its preview.
  var enrolsFingerprints: Bool { option(.bioEnroll) != nil || option(.userVerificationMgmtPreview) != nil }

  /// Whether tokens have permissions and run out; else they are the pinToken of CTAP 2.0.
  var hasPermissions: Bool { info.isOn(.pinUvAuthToken) }

  /// The PIN/UV protocols; a CTAP 2.0 key with a PIN or hmac-secret that names none has the first.
  var pinProtocols: [Int] {
    let needed = option(.clientPin) != nil || has(extension: "hmac-secret")
    return (info.pinUvAuthProtocols ?? (needed ? [1] : [])).filter { $0 == 1 || $0 == 2 }
  }

  var hasPINProtocols: Bool { !pinProtocols.isEmpty }

  var maxMsgSize: Int { info.effectiveMaxMsgSize }

  var minimumPINLength: Int { info.effectiveMinPINLength }

  var maximumPINLength: Int { info.effectiveMaxPINLength }

  /// The most bytes of a credential id: the format's own limit where the profile has none.
  var maxCredentialIDLength: Int {
    min(info.maxCredentialIdLength ?? .max, AttestedCredential.maximumCredentialIDLength)
  }

  /// The most credentials in a list, nil where the profile does not limit them.
  var maxListCount: Int? { info.maxCredentialCountInList }

  /// The room for resident credentials on a new key.
  var residentCapacity: Int { info.remainingDiscoverableCredentials ?? 50 }

  /// The room for a credBlob; CTAP 2.1 §12.2 asks for at least 32 bytes.
  var maxCredBlobLength: Int { info.maxCredBlobLength ?? 32 }

  /// Whether the key has the large-blob array, of which a profile may announce the size or the option alone.
  var hasLargeBlobs: Bool { info.isOn(.largeBlobs) }

  /// The room for the serialised large-blob array; CTAP 2.1 §6.10 asks for at least 1024 bytes.
  var largeBlobCapacity: Int { max(info.maxSerializedLargeBlobArray ?? 1024, 1024) }

  /// The most bytes of the array in one message, which has to hold some more (CTAP 2.1 §6.10.2).
  var maxLargeBlobFragment: Int { max(maxMsgSize - 64, 0) }

  /// The algorithm of the first entry that the key announces and can do; ES256 is announced where nothing is.
  func algorithm(for parameters: [CredentialParameters]) -> SignatureAlgorithm? {
    let announced = info.algorithms?.map(\.algorithm) ?? [SignatureAlgorithm.es256.rawValue]
    for entry in parameters where entry.type == CredentialParameters.publicKey && announced.contains(entry.algorithm) {
      if let algorithm = SignatureAlgorithm(rawValue: entry.algorithm) { return algorithm }
    }
    return nil
  }
}
