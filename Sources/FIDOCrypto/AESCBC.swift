import COpenSSL
public import Octets

/// AES in cipher block chaining mode without padding, as the CTAP PIN/UV protocols use it (SP 800-38A §6.2).
public enum AESCBC {
  /// How long the key is.
  public enum KeySize: Int, Sendable {
    /// AES-128, with which keys hide their identifier in getInfo.
    case bits128 = 16
    /// AES-256, with which the PIN/UV protocols hide everything else.
    case bits256 = 32
  }

  private static let block = 16

  /// Encrypts whole blocks.
  ///
  /// - Throws: `invalidLength` for a key of another size, an IV that is not 16 bytes, or a part of a block.
  public static func encrypt(
    _ plaintext: SecretBytes, key: SecretBytes, iv: [UInt8], size: KeySize = .bits256
  ) throws(CryptoError) -> [UInt8] {
    try check(key: key, size, iv: iv, "plaintext", plaintext.count)
    let context = try start(key: key, size, iv: iv, encrypting: 1)
    let length = try Owned.length(plaintext.count)
    var output = [UInt8](repeating: 0, count: plaintext.count)
    var written: Int32 = 0
    let status = plaintext.withBytes {
      EVP_CipherUpdate(
        context.pointer, &output, &written, $0.baseAddress?.assumingMemoryBound(to: UInt8.self), length)
    }
    try ErrorQueue.check(status, "encrypt with AES-CBC")
    return output
  }

  /// Decrypts whole blocks.
  ///
  /// - Throws: `invalidLength` for a key of another size, an IV that is not 16 bytes, or a part of a block.
  public static func decrypt(
    _ ciphertext: [UInt8], key: SecretBytes, iv: [UInt8], size: KeySize = .bits256
  ) throws(CryptoError) -> SecretBytes {
    try check(key: key, size, iv: iv, "ciphertext", ciphertext.count)
    let context = try start(key: key, size, iv: iv, encrypting: 0)
    let length = try Owned.length(ciphertext.count)
    return try SecretBytes(count: ciphertext.count) { (output) throws(CryptoError) in
      var written: Int32 = 0
      let status = EVP_CipherUpdate(
        context.pointer, output.baseAddress?.assumingMemoryBound(to: UInt8.self), &written, ciphertext, length)
      try ErrorQueue.check(status, "decrypt with AES-CBC")
    }
  }

  private static func check(
    key: SecretBytes, _ size: KeySize, iv: [UInt8], _ what: String, _ count: Int
  ) throws(CryptoError) {
    guard key.count == size.rawValue else {
      throw .invalidLength(what: "AES-\(size.rawValue * 8) key", expected: size.rawValue, found: key.count)
    }
    guard iv.count == block else { throw .invalidLength(what: "AES-CBC IV", expected: block, found: iv.count) }
    let excess = count % block
    guard excess == 0 else { throw .invalidLength(what: what, expected: count - excess + block, found: count) }
  }

  private static func start(
    key: SecretBytes, _ size: KeySize, iv: [UInt8], encrypting: Int32
  ) throws(CryptoError) -> Owned {
    let context = try Owned.cipherContext()
    let cipher = size == .bits128 ? EVP_aes_128_cbc() : EVP_aes_256_cbc()
    let status = key.withBytes {
      EVP_CipherInit_ex2(
        context.pointer, cipher, $0.baseAddress?.assumingMemoryBound(to: UInt8.self), iv, encrypting, nil)
    }
    try ErrorQueue.check(status, "start AES-CBC")
    // With padding off, whole blocks come out of the update and the final call has nothing to add.
    try ErrorQueue.check(EVP_CIPHER_CTX_set_padding(context.pointer, 0), "start AES-CBC without padding")
    return context
  }
}
