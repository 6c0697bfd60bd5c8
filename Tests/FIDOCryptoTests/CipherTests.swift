import FIDOCrypto
import Octets
import Testing

@Suite("AES")
struct CipherTests {
  struct CBCCase: Decodable, Sendable {
    let key: String
    let iv: String
    let plaintext: String
    let ciphertext: String
  }

  @Test("CBC encrypts and decrypts as SP 800-38A", arguments: vectors("aes-cbc", as: Cases<CBCCase>.self).cases)
  func cbc(_ vector: CBCCase) throws {
    let key = secret(vector.key)
    let ciphertext = try AESCBC.encrypt(secret(vector.plaintext), key: key, iv: hex(vector.iv))
    #expect(Hex.encode(ciphertext) == vector.ciphertext)
    #expect(try AESCBC.decrypt(ciphertext, key: key, iv: hex(vector.iv)).exposed() == hex(vector.plaintext))
  }

  /// SP 800-38A appendix F.2.1 and F.2.2 (CBC-AES128).
  @Test("CBC with a key of 16 bytes encrypts and decrypts as SP 800-38A")
  func cbc128() throws {
    let key = secret("2b7e151628aed2a6abf7158809cf4f3c")
    let iv = hex("000102030405060708090a0b0c0d0e0f")
    let plaintext = "6bc1bee22e409f96e93d7e117393172aae2d8a571e03ac9c9eb76fac45af8e51"
    let ciphertext = try AESCBC.encrypt(secret(plaintext), key: key, iv: iv, size: .bits128)
    #expect(Hex.encode(ciphertext) == "7649abac8119b246cee98e9b12e9197d5086cb9b507219ee95db113a917678b2")
    #expect(try AESCBC.decrypt(ciphertext, key: key, iv: iv, size: .bits128).exposed() == hex(plaintext))
    #expect(throws: CryptoError.invalidLength(what: "AES-128 key", expected: 16, found: 32)) {
      _ = try AESCBC.decrypt(ciphertext, key: SecretBytes([UInt8](repeating: 7, count: 32)), iv: iv, size: .bits128)
    }
  }

  @Test("CBC without padding keeps the length, also of nothing", arguments: [0, 16, 32, 64, 4096])
  func cbcLengths(_ count: Int) throws {
    let key = SecretBytes([UInt8](repeating: 7, count: 32))
    let iv = [UInt8](repeating: 9, count: 16)
    let plaintext = SystemRandom().bytes(count)
    let ciphertext = try AESCBC.encrypt(SecretBytes(plaintext), key: key, iv: iv)
    #expect(ciphertext.count == count)
    #expect(try AESCBC.decrypt(ciphertext, key: key, iv: iv).exposed() == plaintext)
  }

  @Test("CBC refuses a part of a block in both directions", arguments: [1, 15, 17, 31, 33])
  func cbcParts(_ count: Int) {
    let key = SecretBytes([UInt8](repeating: 7, count: 32))
    let iv = [UInt8](repeating: 9, count: 16)
    let bytes = [UInt8](repeating: 0, count: count)
    let next = (count / 16 + 1) * 16
    #expect(throws: CryptoError.invalidLength(what: "plaintext", expected: next, found: count)) {
      _ = try AESCBC.encrypt(SecretBytes(bytes), key: key, iv: iv)
    }
    #expect(throws: CryptoError.invalidLength(what: "ciphertext", expected: next, found: count)) {
      _ = try AESCBC.decrypt(bytes, key: key, iv: iv)
    }
  }

  @Test("keys that are not 32 bytes are refused", arguments: [0, 16, 24, 31, 33])
  func keyLengths(_ count: Int) {
    let key = SecretBytes([UInt8](repeating: 7, count: count))
    let refusal = CryptoError.invalidLength(what: "AES-256 key", expected: 32, found: count)
    let iv = [UInt8](repeating: 0, count: 16)
    let nonce = [UInt8](repeating: 0, count: 12)
    #expect(throws: refusal) { _ = try AESCBC.encrypt(SecretBytes(iv), key: key, iv: iv) }
    #expect(throws: refusal) { _ = try AESCBC.decrypt(iv, key: key, iv: iv) }
    #expect(throws: refusal) { _ = try AESGCM.seal([], key: key, nonce: nonce, additionalData: []) }
    #expect(throws: refusal) { _ = try AESGCM.open(iv, key: key, nonce: nonce, additionalData: []) }
  }

  @Test("IVs and nonces of other lengths are refused", arguments: [0, 8, 11, 13, 15, 17])
  func nonceLengths(_ count: Int) {
    let key = SecretBytes([UInt8](repeating: 7, count: 32))
    let nonce = [UInt8](repeating: 0, count: count)
    let block = [UInt8](repeating: 0, count: 16)
    #expect(throws: CryptoError.invalidLength(what: "AES-CBC IV", expected: 16, found: count)) {
      _ = try AESCBC.encrypt(SecretBytes(block), key: key, iv: nonce)
    }
    #expect(throws: CryptoError.invalidLength(what: "AES-GCM nonce", expected: 12, found: count)) {
      _ = try AESGCM.seal(block, key: key, nonce: nonce, additionalData: [])
    }
  }

  struct GCMCase: Decodable, Sendable, CustomTestStringConvertible {
    let name: String
    let key: String
    let nonce: String
    let plaintext: String
    let additionalData: String
    let ciphertext: String
    let tag: String
    let valid: Bool
    var testDescription: String { name }
  }

  @Test("GCM agrees with the published cases", arguments: vectors("aes-gcm", as: Cases<GCMCase>.self).cases)
  func gcm(_ vector: GCMCase) throws {
    let key = secret(vector.key)
    let sealed = hex(vector.ciphertext + vector.tag)
    let data = hex(vector.additionalData)
    if vector.valid {
      #expect(
        try AESGCM.seal(hex(vector.plaintext), key: key, nonce: hex(vector.nonce), additionalData: data) == sealed)
      #expect(
        try AESGCM.open(sealed, key: key, nonce: hex(vector.nonce), additionalData: data) == hex(vector.plaintext))
    } else {
      #expect(throws: CryptoError.authenticationFailed) {
        _ = try AESGCM.open(sealed, key: key, nonce: hex(vector.nonce), additionalData: data)
      }
    }
  }

  @Test("GCM notices every flipped bit of ciphertext, tag, nonce and additional data")
  func gcmFlips() throws {
    let key = SecretBytes([UInt8](repeating: 7, count: 32))
    let nonce = [UInt8](repeating: 3, count: 12)
    let sealed = try AESGCM.seal([1, 2, 3], key: key, nonce: nonce, additionalData: [4, 5])
    for bit in 0..<sealed.count * 8 {
      #expect(throws: CryptoError.authenticationFailed) {
        _ = try AESGCM.open(flipping(bit, of: sealed), key: key, nonce: nonce, additionalData: [4, 5])
      }
    }
    for bit in 0..<96 {
      #expect(throws: CryptoError.authenticationFailed) {
        _ = try AESGCM.open(sealed, key: key, nonce: flipping(bit, of: nonce), additionalData: [4, 5])
      }
    }
    for bit in 0..<16 {
      #expect(throws: CryptoError.authenticationFailed) {
        _ = try AESGCM.open(sealed, key: key, nonce: nonce, additionalData: flipping(bit, of: [4, 5]))
      }
    }
  }

  @Test("GCM refuses every truncation")
  func gcmTruncation() throws {
    let key = SecretBytes([UInt8](repeating: 7, count: 32))
    let nonce = [UInt8](repeating: 3, count: 12)
    let sealed = try AESGCM.seal([1, 2, 3, 4], key: key, nonce: nonce, additionalData: [])
    #expect(sealed.count == 20)
    for count in 0..<sealed.count {
      #expect(throws: CryptoError.authenticationFailed) {
        _ = try AESGCM.open(Array(sealed.prefix(count)), key: key, nonce: nonce, additionalData: [])
      }
    }
  }
}
