import CTAPMessages
import FIDOCrypto
import Octets

/// The secret that a key shares with a host under a PIN/UV auth protocol, as the key uses it (CTAP 2.1 §6.5.6, §6.5.7).
///
/// Protocol one has one key for everything, a zero IV and MACs cut to 16 bytes. Protocol two has a key for each
/// purpose, a random IV before each ciphertext and whole MACs.
struct SharedSecret {
  let version: Int
  private let macKey: SecretBytes
  private let cipherKey: SecretBytes

  /// Derives the keys from the x coordinate of the shared point; nil for a protocol that does not exist.
  init?(version: Int, sharedX: SecretBytes) {
    switch version {
    case 1:
      var point = sharedX.exposed()
      var digest = Digest.sha256(point)
      point.wipe()
      let key = SecretBytes(taking: &digest)
      (macKey, cipherKey) = (key, key)
    case 2:
      let salt = [UInt8](repeating: 0, count: 32)
      guard
        let mac = try? HKDF.sha256(secret: sharedX, salt: salt, info: Array("CTAP2 HMAC key".utf8), count: 32),
        let cipher = try? HKDF.sha256(secret: sharedX, salt: salt, info: Array("CTAP2 AES key".utf8), count: 32)
      else { return nil }
      (macKey, cipherKey) = (mac, cipher)
    default: return nil
    }
    self.version = version
  }

  /// Encrypts whole blocks; nil for anything else.
  func encrypt(_ plaintext: SecretBytes, _ random: any RandomSource) -> [UInt8]? {
    let iv = version == 1 ? [UInt8](repeating: 0, count: 16) : random.bytes(16)
    guard let ciphertext = try? AESCBC.encrypt(plaintext, key: cipherKey, iv: iv) else { return nil }
    return version == 1 ? ciphertext : iv + ciphertext
  }

  /// Decrypts; nil where the length cannot be that of a ciphertext.
  func decrypt(_ ciphertext: [UInt8]) -> SecretBytes? {
    if version == 1 {
      return try? AESCBC.decrypt(ciphertext, key: cipherKey, iv: [UInt8](repeating: 0, count: 16))
    }
    guard ciphertext.count >= 16 else { return nil }
    return try? AESCBC.decrypt(Array(ciphertext[16...]), key: cipherKey, iv: Array(ciphertext[..<16]))
  }

  /// Whether a MAC is this secret's over a message.
  func verifies(_ mac: [UInt8], of message: [UInt8]) -> Bool {
    Self.verifies(mac, of: message, key: macKey, version: version)
  }

  /// Whether a MAC is that of `key` over a message under a protocol; a token is such a key too.
  static func verifies(_ mac: [UInt8], of message: [UInt8], key: SecretBytes, version: Int) -> Bool {
    let right = HMAC.sha256(key: key, message)
    return ConstantTime.equal(mac, version == 1 ? Array(right.prefix(16)) : right)
  }
}
