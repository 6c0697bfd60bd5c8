public import CTAPMessages
public import FIDOCrypto
public import Octets

/// What a platform and a key share after a key agreement: it encrypts and authenticates for one of the protocols.
///
/// The keys are zeroed when the last copy goes.
public struct SharedSecret: Sendable {
  /// The protocol that it is for.
  public let version: PINUVAuthProtocol
  /// The platform's public key, which goes to the key as `keyAgreement`.
  public let platformKey: COSEKey

  private let encryptionKey: SecretBytes
  private let authenticationKey: SecretBytes

  /// Agrees on a secret with the key's public key, which must lie on P-256 and may lack its `alg`.
  public init(
    version: PINUVAuthProtocol, with keys: COSEKey, platform: P256KeyAgreement
  ) throws(CryptoError) {
    let (x, y) = try keys.agreementPoint()
    let shared = try platform.sharedX(withX: x, y: y)
    self.version = version
    platformKey = COSEKey.keyAgreement(x: platform.x, y: platform.y)
    switch version {
    case .one:
      var point = shared.exposed()
      var secret = Digest.sha256(point)
      point.wipe()
      encryptionKey = SecretBytes(taking: &secret)
      authenticationKey = encryptionKey
    case .two:
      let salt = [UInt8](repeating: 0, count: 32)
      authenticationKey = try HKDF.sha256(secret: shared, salt: salt, info: Array("CTAP2 HMAC key".utf8), count: 32)
      encryptionKey = try HKDF.sha256(secret: shared, salt: salt, info: Array("CTAP2 AES key".utf8), count: 32)
    }
  }

  /// Encrypts whole blocks of 16 bytes; protocol two puts a random initialisation vector in front.
  public func encrypt(_ plaintext: SecretBytes, random: any RandomSource) throws(CryptoError) -> [UInt8] {
    switch version {
    case .one: return try AESCBC.encrypt(plaintext, key: encryptionKey, iv: Self.zeroVector)
    case .two:
      let vector = random.bytes(16)
      return vector + (try AESCBC.encrypt(plaintext, key: encryptionKey, iv: vector))
    }
  }

  /// Decrypts what the key sent: whole blocks of 16 bytes, with protocol two behind their vector.
  public func decrypt(_ ciphertext: [UInt8]) throws(CryptoError) -> SecretBytes {
    switch version {
    case .one: return try AESCBC.decrypt(ciphertext, key: encryptionKey, iv: Self.zeroVector)
    case .two:
      guard ciphertext.count > 16 else {
        throw .invalidLength(what: "encrypted answer", expected: 32, found: ciphertext.count)
      }
      return try AESCBC.decrypt(Array(ciphertext[16...]), key: encryptionKey, iv: Array(ciphertext[..<16]))
    }
  }

  /// The parameter that proves to the key that `message` comes from who holds this secret.
  public func authenticate(_ message: [UInt8]) -> [UInt8] {
    Array(HMAC.sha256(key: authenticationKey, message).prefix(version.parameterSize))
  }

  private static let zeroVector = [UInt8](repeating: 0, count: 16)
}
