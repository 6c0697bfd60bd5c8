import COpenSSL
public import Octets

/// AES-256 in Galois/counter mode with 96-bit nonces and 128-bit tags (SP 800-38D).
public enum AESGCM {
  private static let tagSize = 16
  private static let nonceSize = 12

  /// Encrypts and authenticates; the result is the ciphertext followed by its 16-byte tag.
  ///
  /// - Throws: `invalidLength` for a key that is not 32 bytes or a nonce that is not 12.
  public static func seal(
    _ plaintext: [UInt8], key: SecretBytes, nonce: [UInt8], additionalData: [UInt8]
  ) throws(CryptoError) -> [UInt8] {
    let context = try start(key: key, nonce: nonce, additionalData: additionalData, encrypting: 1)
    var output = [UInt8](repeating: 0, count: plaintext.count)
    var written: Int32 = 0
    let length = try Owned.length(plaintext.count)
    try ErrorQueue.check(
      EVP_CipherUpdate(context.pointer, &output, &written, plaintext, length), "encrypt with AES-GCM")
    var tag = [UInt8](repeating: 0, count: tagSize)
    try ErrorQueue.check(EVP_CipherFinal_ex(context.pointer, &tag, &written), "finish AES-GCM")
    try ErrorQueue.check(
      EVP_CIPHER_CTX_ctrl(context.pointer, EVP_CTRL_AEAD_GET_TAG, Int32(tagSize), &tag), "read the AES-GCM tag")
    return output + tag
  }

  /// Checks and decrypts what `seal` made; nothing of the plaintext is released when the check fails.
  ///
  /// - Throws: `authenticationFailed`, or `invalidLength` as `seal`.
  public static func open(
    _ sealed: [UInt8], key: SecretBytes, nonce: [UInt8], additionalData: [UInt8]
  ) throws(CryptoError) -> [UInt8] {
    let context = try start(key: key, nonce: nonce, additionalData: additionalData, encrypting: 0)
    guard sealed.count >= tagSize else { throw .authenticationFailed }
    let count = sealed.count - tagSize
    let length = try Owned.length(count)
    var tag = Array(sealed[count...])
    var plaintext = [UInt8](repeating: 0, count: count)
    var written: Int32 = 0
    try ErrorQueue.check(
      EVP_CipherUpdate(context.pointer, &plaintext, &written, sealed, length), "decrypt with AES-GCM")
    let authentic =
      EVP_CIPHER_CTX_ctrl(context.pointer, EVP_CTRL_AEAD_SET_TAG, Int32(tagSize), &tag) == 1
      && EVP_CipherFinal_ex(context.pointer, &tag, &written) == 1
    guard authentic else {
      plaintext.wipe()
      ErrorQueue.clear()
      throw .authenticationFailed
    }
    return plaintext
  }

  private static func start(
    key: SecretBytes, nonce: [UInt8], additionalData: [UInt8], encrypting: Int32
  ) throws(CryptoError) -> Owned {
    guard key.count == 32 else { throw .invalidLength(what: "AES-256 key", expected: 32, found: key.count) }
    guard nonce.count == nonceSize else {
      throw .invalidLength(what: "AES-GCM nonce", expected: nonceSize, found: nonce.count)
    }
    let context = try Owned.cipherContext()
    let status = key.withBytes {
      EVP_CipherInit_ex2(
        context.pointer, EVP_aes_256_gcm(), $0.baseAddress?.assumingMemoryBound(to: UInt8.self), nonce, encrypting, nil)
    }
    try ErrorQueue.check(status, "start AES-GCM")
    var written: Int32 = 0
    let length = try Owned.length(additionalData.count)
    try ErrorQueue.check(
      EVP_CipherUpdate(context.pointer, nil, &written, additionalData, length), "add data to AES-GCM")
    return context
  }
}
