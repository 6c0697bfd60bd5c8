import FIDOCrypto

/// What a virtual key remembers without power.
///
/// It is opaque outside of this module: stores keep it as a value or as its bytes.
public struct VirtualKeyState: Hashable, Sendable {
  /// The secret that credential ids are sealed with; reset draws another one.
  var masterSecret: [UInt8]
  /// The number of signatures given, for all credentials together.
  var signatureCounter: UInt32 = 0
  /// The PIN, where one is set.
  var pin: StoredPIN?
  /// The PIN tries that are left before the key blocks for good.
  var pinRetries = Self.fullPINRetries
  /// The tries of the built-in sensor that are left.
  var uvRetries = Self.fullUVRetries
  /// The minimum PIN length in code points; nil while it is the profile's.
  var minimumPINLength: Int?
  /// The RP IDs that may read the minimum PIN length.
  var minimumPINLengthRPIDs: [String] = []
  /// Whether the PIN must be changed before it gets a token.
  var mustChangePIN = false
  /// Whether user verification is always required; nil while it is as the profile says.
  var alwaysUV: Bool?
  /// Whether enterprise attestation is on; nil while it is as the profile says.
  var enterpriseAttestation: Bool?
  /// The resident credentials, and the others whose ids are too short to hold them, oldest first.
  var credentials: [StoredCredential] = []
  /// The fingerprints that are enrolled.
  var fingerprints: [StoredFingerprint] = []
  /// Whether PINs have to be more than long; nil while it is as the profile says.
  var pinComplexityPolicy: Bool?
  /// Whether a reset takes a long touch; nil while it is as the profile says.
  var longTouchForReset: Bool?
  /// The persistent token and what goes with it; nil until one was asked for.
  var persistent: PersistentState?
  /// The serialised large-blob array; nil while it is empty, as it was in the factory.
  var largeBlobArray: [UInt8]?
  /// The key and certificate of attestation, made when first needed; they outlive a reset.
  var attestation: AttestationIdentity?

  /// CTAP 2.1 §6.5.2: PIN tries after a right PIN.
  static let fullPINRetries = 8
  /// Tries of the built-in sensor after a success.
  static let fullUVRetries = 5
}

extension VirtualKeyState {
  /// Gives a resident credential a large blob in place of the one it has.
  mutating func setLargeBlob(_ blob: StoredLargeBlob, of id: [UInt8]) {
    for index in credentials.indices where credentials[index].id == id { credentials[index].largeBlob = blob }
  }
}

/// A PIN as the key keeps it (CTAP 2.1 §6.5.5.5).
struct StoredPIN: Hashable, Sendable {
  /// The first 16 bytes of the SHA-256 of the PIN.
  var hash: [UInt8]
  /// The PIN's length in code points.
  var length: Int
}

/// A credential as the key keeps it.
struct StoredCredential: Hashable, Sendable {
  var id: [UInt8]
  /// Empty where only the application is known.
  var rpID: String
  /// The RP ID's hash where the RP ID itself was never told, as with U2F.
  var application: [UInt8]? = nil
  var rpName: String? = nil
  var userID: [UInt8]
  var userName: String? = nil
  var userDisplayName: String? = nil
  var key: CredentialKey
  /// The credProtect level: 1 optional, 2 optional with a list of ids, 3 required.
  var protection: Int
  /// What the hmac-secret secrets are derived from.
  var secret: [UInt8]
  var blob: [UInt8]? = nil
  var largeBlobKey: [UInt8]? = nil
  /// The blob that came by the extension largeBlob.
  var largeBlob: StoredLargeBlob? = nil
  /// Whether sites other than the RP may use it for payments (thirdPartyPayment, CTAP 2.2 §12.9).
  var isForPayment = false
  var isResident: Bool

  /// What authenticator data says of the RP.
  var rpIDHash: [UInt8] { application ?? Digest.sha256(Array(rpID.utf8)) }
}

/// A large blob that the key keeps with its credential, compressed by the host.
struct StoredLargeBlob: Hashable, Sendable {
  /// The most bytes of one.
  static let capacity = 2048

  var bytes: [UInt8]
  /// The size before it was compressed.
  var originalSize: UInt64
}

/// A credential's private key: its algorithm's COSE number, and the bytes it is rebuilt from.
struct CredentialKey: Hashable, Sendable {
  var algorithm: Int
  var bytes: [UInt8]
}

/// What attestation is signed with, and who vouches for it.
struct AttestationIdentity: Hashable, Sendable {
  var aaguid: [UInt8]
  var key: CredentialKey
  var certificate: [UInt8]
  /// The certificate of the authority, whose key was thrown away after it signed this one.
  var authority: [UInt8]
}
