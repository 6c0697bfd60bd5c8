import COpenSSL

/// A curve of FIPS 186 for ECDSA and ECDH.
public enum EllipticCurve: Hashable, Sendable, CaseIterable {
  /// NIST P-256, also secp256r1 and prime256v1.
  case p256
  /// NIST P-384, also secp384r1.
  case p384
  /// NIST P-521, also secp521r1.
  case p521

  /// The length in bytes of a coordinate and of a private scalar.
  public var coordinateSize: Int {
    switch self {
    case .p256: 32
    case .p384: 48
    case .p521: 66
    }
  }

  /// The name that OpenSSL gives the curve.
  var groupName: String {
    switch self {
    case .p256: "prime256v1"
    case .p384: "secp384r1"
    case .p521: "secp521r1"
    }
  }

  /// The number that OpenSSL gives the curve.
  var groupNumber: Int32 {
    switch self {
    case .p256: NID_X9_62_prime256v1
    case .p384: NID_secp384r1
    case .p521: NID_secp521r1
    }
  }
}
