public import CBOR

/// A public key in COSE form (RFC 9052 §7, RFC 9053 §7).
///
/// Only the shape is checked here. Whether numbers have the right length and a point lies on its curve is for the
/// code that computes with the key.
public struct COSEKey: Hashable, Sendable {
  /// What the key is made of, by its type.
  public enum Material: Hashable, Sendable {
    /// A point on an elliptic curve in two coordinates, big-endian (key type 2).
    case ec2(curve: Int, x: [UInt8], y: [UInt8])
    /// A point in one octet string, as EdDSA has it (key type 1).
    case okp(curve: Int, x: [UInt8])
    /// An RSA modulus and exponent, big-endian (key type 3).
    case rsa(n: [UInt8], e: [UInt8])
    /// A key of a type that is not known, with the members besides its type and algorithm.
    case unknown(keyType: Int, parameters: CBORMap)
  }

  /// What the key is made of.
  public var material: Material
  /// The COSE number of the algorithm; some keys leave it out of their key agreement key.
  public var alg: Int?
  /// Members that are not known; always empty for a key of an unknown type.
  public var additional: CBORMap

  /// Creates a key.
  public init(_ material: Material, alg: Int?, additional: CBORMap = CBORMap()) {
    self.material = material
    self.alg = alg
    self.additional = additional
  }

  /// The key that a platform or a key offers for key agreement: P-256 with the algorithm number -25.
  ///
  /// The number stands for an algorithm that is not the one used, and CTAP requires it (CTAP 2.3 §6.5.6).
  public static func keyAgreement(x: [UInt8], y: [UInt8]) -> COSEKey {
    COSEKey(.ec2(curve: Curve.p256, x: x, y: y), alg: keyAgreementAlgorithm)
  }

  /// The algorithm number of key agreement keys, ECDH-ES + HKDF-256.
  public static let keyAgreementAlgorithm = -25

  /// The COSE numbers of curves (RFC 9053 §7.1).
  public enum Curve {
    /// NIST P-256.
    public static let p256 = 1
    /// NIST P-384.
    public static let p384 = 2
    /// NIST P-521.
    public static let p521 = 3
    /// Ed25519.
    public static let ed25519 = 6
    /// Ed448.
    public static let ed448 = 7
  }

  /// The COSE numbers of key types.
  public enum KeyType {
    /// Octet key pair.
    public static let okp = 1
    /// Elliptic curve with two coordinates.
    public static let ec2 = 2
    /// RSA.
    public static let rsa = 3
  }
}

extension COSEKey {
  /// The key type.
  public var kty: Int {
    switch material {
    case .ec2: KeyType.ec2
    case .okp: KeyType.okp
    case .rsa: KeyType.rsa
    case .unknown(let keyType, _): keyType
    }
  }

  /// The curve, for keys that have one.
  public var crv: Int? {
    switch material {
    case .ec2(let curve, _, _), .okp(let curve, _): curve
    case .rsa, .unknown: nil
    }
  }

  /// The x coordinate, or the octet string of an octet key pair.
  public var x: [UInt8]? {
    switch material {
    case .ec2(_, let x, _), .okp(_, let x): x
    case .rsa, .unknown: nil
    }
  }

  /// The y coordinate.
  public var y: [UInt8]? {
    if case .ec2(_, _, let y) = material { y } else { nil }
  }

  /// The RSA modulus.
  public var n: [UInt8]? {
    if case .rsa(let n, _) = material { n } else { nil }
  }

  /// The RSA exponent.
  public var e: [UInt8]? {
    if case .rsa(_, let e) = material { e } else { nil }
  }
}
