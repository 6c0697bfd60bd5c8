import COpenSSL
import Octets

extension PKey {
  /// Makes a new key for an algorithm.
  static func generate(_ algorithm: SignatureAlgorithm) throws(CryptoError) -> PKey {
    let type =
      switch algorithm {
      case .es256, .es384, .es512: "EC"
      case .eddsa: "ED25519"
      case .ed448: "ED448"
      case .rs256, .ps256: "RSA"
      }
    let context = try Owned.keyContext(type: type)
    try ErrorQueue.check(EVP_PKEY_keygen_init(context.pointer), "prepare a new key")
    if let curve = algorithm.curve {
      try ErrorQueue.check(EVP_PKEY_CTX_set_group_name(context.pointer, curve.groupName), "choose a curve")
    } else if type == "RSA" {
      try ErrorQueue.check(EVP_PKEY_CTX_set_rsa_keygen_bits(context.pointer, 2048), "choose the size of an RSA key")
    }
    var key: OpaquePointer?
    try ErrorQueue.check(EVP_PKEY_generate(context.pointer, &key), "make a new key")
    return try PKey(taking: key, "make a new key")
  }

  /// Makes an Ed25519 or Ed448 key from its seed.
  static func edwards(_ type: String, seed: SecretBytes, size: Int) throws(CryptoError) -> PKey {
    guard seed.count == size else { throw .invalidLength(what: "\(type) seed", expected: size, found: seed.count) }
    ErrorQueue.clear()
    let key = seed.withBytes {
      EVP_PKEY_new_raw_private_key_ex(
        nil, type, nil, $0.baseAddress?.assumingMemoryBound(to: UInt8.self), $0.count)
    }
    return try PKey(taking: key, "read an \(type) seed")
  }

  /// Reads a PKCS #8 PrivateKeyInfo that is the whole of `pkcs8`.
  static func decode(pkcs8: SecretBytes) throws(CryptoError) -> PKey {
    guard pkcs8.count <= 16384 else { throw .unsupported("a private key of \(pkcs8.count) bytes") }
    ErrorQueue.clear()
    var left = 0
    let decoded = pkcs8.withBytes { bytes in
      var cursor = bytes.baseAddress?.assumingMemoryBound(to: UInt8.self)
      let start = cursor
      let info = d2i_PKCS8_PRIV_KEY_INFO(nil, &cursor, bytes.count)
      if let start, let cursor { left = bytes.count - (cursor - start) }
      return info
    }
    guard let decoded else { throw .invalidKey(ErrorQueue.explain("not a PKCS #8 private key")) }
    // Freeing wipes the key inside.
    let info = try Owned(decoded, "read a private key") { PKCS8_PRIV_KEY_INFO_free($0) }
    guard left == 0 else { throw .invalidKey("\(left) bytes after the PKCS #8 private key") }
    guard let key = EVP_PKCS82PKEY(info.pointer) else {
      throw .invalidKey(ErrorQueue.explain("not a private key that OpenSSL takes"))
    }
    return try PKey(taking: key, "read a private key")
  }

  /// Refuses a private key whose public half belongs to another, by signing and verifying once.
  func checkPair(_ algorithm: SignatureAlgorithm) throws(CryptoError) {
    _ = try publicKey()
    let message = Array("pair".utf8)
    let signature: [UInt8]
    do throws(CryptoError) {
      signature = try sign(message, algorithm: algorithm)
    } catch {
      throw .invalidKey("it does not sign: \(error)")
    }
    guard try verifies(signature, of: message, algorithm: algorithm) else {
      throw .invalidKey("its private and public halves do not fit")
    }
  }

  /// The key as a PKCS #8 PrivateKeyInfo.
  func encodePKCS8() throws(CryptoError) -> SecretBytes {
    ErrorQueue.clear()
    let info = try Owned(EVP_PKEY2PKCS8(pointer), "encode a private key") { PKCS8_PRIV_KEY_INFO_free($0) }
    let length = i2d_PKCS8_PRIV_KEY_INFO(info.pointer, nil)
    guard length > 0 else { throw ErrorQueue.failure("encode a private key") }
    return try SecretBytes(count: Int(length)) { (output) throws(CryptoError) in
      var cursor = output.baseAddress?.assumingMemoryBound(to: UInt8.self)
      let written = i2d_PKCS8_PRIV_KEY_INFO(info.pointer, &cursor)
      try ErrorQueue.check(written == length ? 1 : 0, "encode a private key")
    }
  }
}
