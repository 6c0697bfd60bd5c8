import CTAPMessages
import FIDOCrypto
import Octets

extension SigningKey {
  /// Makes a key together with the bytes to keep it by; all but RSA keys are decided by the random source.
  static func make(
    _ algorithm: SignatureAlgorithm, _ random: any RandomSource
  ) throws(Refusal) -> (signing: SigningKey, stored: CredentialKey) {
    do {
      guard let count = algorithm.secretSize else {
        let key = try SigningKey.generate(algorithm)
        return (key, CredentialKey(algorithm: algorithm.rawValue, bytes: try key.pkcs8().exposed()))
      }
      var bytes = random.bytes(count)
      // Without its top bits no scalar reaches the order of its curve; P-521 has one bit in the first byte.
      if algorithm.curve != nil { bytes[0] &= algorithm.curve == .p521 ? 0 : 0x7f }
      let key = try SigningKey(rawPrivateKey: SecretBytes(bytes), algorithm: algorithm)
      return (key, CredentialKey(algorithm: algorithm.rawValue, bytes: bytes))
    } catch {
      throw Refusal(.other)
    }
  }

  /// Makes a kept key again.
  convenience init(_ stored: CredentialKey) throws(Refusal) {
    guard let algorithm = SignatureAlgorithm(rawValue: stored.algorithm) else { throw Refusal(.other) }
    let bytes = SecretBytes(stored.bytes)
    do throws(CryptoError) {
      if algorithm.secretSize == nil {
        try self.init(pkcs8: bytes, algorithm: algorithm)
      } else {
        try self.init(rawPrivateKey: bytes, algorithm: algorithm)
      }
    } catch {
      throw Refusal(.other)
    }
  }

  /// A signature, or the status of a key that cannot.
  func signature(_ message: [UInt8]) throws(Refusal) -> [UInt8] {
    do throws(CryptoError) {
      return try sign(message)
    } catch {
      throw Refusal(.other)
    }
  }
}

extension SignatureAlgorithm {
  /// The bytes of the bare secret; nil for RSA, whose keys have none.
  fileprivate var secretSize: Int? {
    switch self {
    case .eddsa: 32
    case .ed448: 57
    case .es256, .es384, .es512: curve?.coordinateSize
    case .rs256, .ps256: nil
    }
  }
}
