import COpenSSL
public import Octets

/// A private key for one signature algorithm.
public final class SigningKey: Sendable {
  let key: PKey

  /// The algorithm that the key signs with.
  public let algorithm: SignatureAlgorithm

  private init(key: PKey, algorithm: SignatureAlgorithm) {
    self.key = key
    self.algorithm = algorithm
  }

  /// Makes a new key; RSA keys have 2048 bits.
  public static func generate(_ algorithm: SignatureAlgorithm) throws(CryptoError) -> SigningKey {
    SigningKey(key: try PKey.generate(algorithm), algorithm: algorithm)
  }

  /// Reads an unencrypted PKCS #8 PrivateKeyInfo (RFC 5208 §5), the whole of `pkcs8`.
  ///
  /// - Throws: `invalidKey` for bytes that are none, or whose public half does not fit; `unsupported` when the
  ///   algorithm does not go with the key.
  public convenience init(pkcs8: SecretBytes, algorithm: SignatureAlgorithm) throws(CryptoError) {
    let key = try PKey.decode(pkcs8: pkcs8)
    guard algorithm.fits(try key.type()) else { throw .unsupported("this kind of key with \(algorithm)") }
    try key.checkPair(algorithm)
    self.init(key: key, algorithm: algorithm)
  }

  /// Makes the key of a bare secret: an ECDSA scalar (big-endian, at most the curve's size) or an EdDSA seed.
  ///
  /// - Throws: `invalidLength`; `invalidKey` for a scalar out of range; `unsupported` for RSA.
  public convenience init(rawPrivateKey raw: SecretBytes, algorithm: SignatureAlgorithm) throws(CryptoError) {
    let key: PKey
    switch algorithm {
    case .es256: key = try PKey.elliptic(.p256, scalar: raw)
    case .es384: key = try PKey.elliptic(.p384, scalar: raw)
    case .es512: key = try PKey.elliptic(.p521, scalar: raw)
    case .eddsa: key = try PKey.edwards("ED25519", seed: raw, size: 32)
    case .ed448: key = try PKey.edwards("ED448", seed: raw, size: 57)
    case .rs256, .ps256: throw .unsupported("an RSA key from bare bytes")
    }
    self.init(key: key, algorithm: algorithm)
  }

  /// The key as an unencrypted PKCS #8 PrivateKeyInfo.
  public func pkcs8() throws(CryptoError) -> SecretBytes { try key.encodePKCS8() }

  /// The public half.
  public func publicKey() throws(CryptoError) -> PublicKey { try key.publicKey() }

  /// Signs `message`; ECDSA signatures are DER (WebAuthn §6.5.5).
  public func sign(_ message: [UInt8]) throws(CryptoError) -> [UInt8] { try key.sign(message, algorithm: algorithm) }
}
