import COpenSSL

/// A signature algorithm by its COSE number (IANA COSE Algorithms).
public enum SignatureAlgorithm: Int, Sendable, CaseIterable {
  /// ECDSA on P-256 with SHA-256.
  case es256 = -7
  /// EdDSA on Ed25519; WebAuthn allows no other curve for this number.
  case eddsa = -8
  /// ECDSA on P-384 with SHA-384.
  case es384 = -35
  /// ECDSA on P-521 with SHA-512.
  case es512 = -36
  /// RSASSA-PSS with SHA-256, MGF1 with SHA-256 and a salt of 32 bytes.
  case ps256 = -37
  /// EdDSA on Ed448.
  case ed448 = -53
  /// RSASSA-PKCS1-v1_5 with SHA-256.
  case rs256 = -257

  /// The curve that ECDSA goes with in WebAuthn (§5.8.5), nil for other algorithms.
  public var curve: EllipticCurve? {
    switch self {
    case .es256: .p256
    case .es384: .p384
    case .es512: .p521
    case .eddsa, .ps256, .ed448, .rs256: nil
    }
  }

  /// The digest of the message; EdDSA takes the message whole.
  var digest: OpaquePointer? {
    switch self {
    case .es256, .rs256, .ps256: EVP_sha256()
    case .es384: EVP_sha384()
    case .es512: EVP_sha512()
    case .eddsa, .ed448: nil
    }
  }

  /// Whether keys of `type` make this algorithm's signatures.
  func fits(_ type: KeyType) -> Bool {
    switch self {
    case .es256, .es384, .es512: curve.map { type == .elliptic($0) } ?? false
    case .eddsa: type == .ed25519
    case .ed448: type == .ed448
    case .rs256, .ps256: type == .rsa
    }
  }
}

/// What kind of key an OpenSSL key is, among the kinds handled here.
enum KeyType: Hashable {
  case elliptic(EllipticCurve)
  case ed25519
  case ed448
  case rsa
}
