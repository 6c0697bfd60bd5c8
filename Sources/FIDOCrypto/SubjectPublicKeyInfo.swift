import COpenSSL

extension PublicKey {
  /// The DER SubjectPublicKeyInfo of RFC 5280 §4.1.2.7, points uncompressed, as `getPublicKey()` of WebAuthn returns it.
  ///
  /// - Throws: Why the key cannot be used.
  public func subjectPublicKeyInfo() throws(CryptoError) -> [UInt8] {
    let key = try pkey()
    ErrorQueue.clear()
    var encoding: UnsafeMutablePointer<UInt8>?
    let length = i2d_PUBKEY(key.pointer, &encoding)
    guard length > 0, let encoding else { throw ErrorQueue.failure("encode a public key") }
    defer { bridge_free(encoding) }
    return Array(UnsafeBufferPointer(start: encoding, count: Int(length)))
  }

  /// Reads a DER SubjectPublicKeyInfo; the whole of `bytes` must be one, in the form that `subjectPublicKeyInfo()` writes.
  ///
  /// - Throws: `invalidKey` for anything that is not such an encoding, `unsupported` for other kinds of keys.
  public init(subjectPublicKeyInfo bytes: [UInt8]) throws(CryptoError) {
    // Far more than the largest key that is accepted needs.
    guard bytes.count <= 4096 else { throw .unsupported("a public key of \(bytes.count) bytes") }
    ErrorQueue.clear()
    let pointer = bytes.withUnsafeBufferPointer { buffer in
      var cursor = buffer.baseAddress
      return d2i_PUBKEY(nil, &cursor, buffer.count)
    }
    guard let pointer else { throw .invalidKey(ErrorQueue.explain("not a SubjectPublicKeyInfo")) }
    let key = try PKey(taking: pointer, "read a public key").publicKey()
    // This refuses trailing bytes, compressed points and BER at once.
    guard try key.subjectPublicKeyInfo() == bytes else {
      throw .invalidKey("the SubjectPublicKeyInfo is not in its one DER form")
    }
    self = key
  }
}
