import COpenSSL

/// A public key by its numbers, as COSE and X.509 carry them.
///
/// A value can hold anything; every use checks it, so a point off its curve or a coordinate of the wrong length is
/// refused with `invalidKey` or `invalidLength` and never used. Ed25519 and Ed448 keys are checked for their length
/// alone: OpenSSL finds out that they are no points when it verifies, which then gives `false`.
public enum PublicKey: Hashable, Sendable {
  /// A point on a curve, both coordinates big-endian and of the curve's `coordinateSize`.
  case elliptic(EllipticCurve, x: [UInt8], y: [UInt8])
  /// The 32 bytes of an Ed25519 key (RFC 8032 §5.1.5).
  case ed25519([UInt8])
  /// The 57 bytes of an Ed448 key (RFC 8032 §5.2.5).
  case ed448([UInt8])
  /// An RSA key: big-endian modulus of 1024 to 8192 bits and exponent of at most 64 bits.
  case rsa(modulus: [UInt8], exponent: [UInt8])

  /// Whether `signature` is this key's signature of `message`; a malformed signature is just not one.
  ///
  /// ECDSA signatures are DER (WebAuthn §6.5.5).
  ///
  /// - Throws: `unsupported` when the algorithm does not go with the key, or why the key cannot be used.
  public func verifies(
    _ signature: [UInt8], of message: [UInt8], algorithm: SignatureAlgorithm
  ) throws(CryptoError) -> Bool {
    try pkey().verifies(signature, of: message, algorithm: algorithm)
  }

  /// Refuses numbers of the wrong length, and RSA keys so large that using them would stall.
  func checkSizes() throws(CryptoError) {
    switch self {
    case .elliptic(let curve, let x, let y):
      try Self.check(x, "x coordinate", curve.coordinateSize)
      try Self.check(y, "y coordinate", curve.coordinateSize)
    case .ed25519(let bytes): try Self.check(bytes, "Ed25519 key", 32)
    case .ed448(let bytes): try Self.check(bytes, "Ed448 key", 57)
    case .rsa(let modulus, let exponent):
      let bits = Self.bits(modulus)
      guard (1024...8192).contains(bits) else { throw .unsupported("an RSA modulus of \(bits) bits") }
      guard modulus.last.map({ $0 & 1 == 1 }) ?? false else { throw .invalidKey("the RSA modulus is even") }
      let exponentBits = Self.bits(exponent)
      guard exponentBits <= 64 else { throw .unsupported("an RSA exponent of \(exponentBits) bits") }
      guard exponentBits >= 2, exponent.last.map({ $0 & 1 == 1 }) ?? false else {
        throw .invalidKey("the RSA exponent is even or 1")
      }
    }
  }

  private static func check(_ bytes: [UInt8], _ what: String, _ count: Int) throws(CryptoError) {
    guard bytes.count == count else { throw .invalidLength(what: what, expected: count, found: bytes.count) }
  }

  /// The number of bits of a big-endian number without its leading zeros.
  private static func bits(_ number: [UInt8]) -> Int {
    let significant = number.drop { $0 == 0 }
    guard let first = significant.first else { return 0 }
    return significant.count * 8 - first.leadingZeroBitCount
  }

  /// The key as OpenSSL's, checked.
  func pkey() throws(CryptoError) -> PKey {
    try checkSizes()
    let parameters = Parameters()
    switch self {
    case .elliptic(let curve, let x, let y):
      parameters.text("group", curve.groupName)
      // OpenSSL refuses a point off the curve here; the curves have cofactor 1, so being on it is enough.
      parameters.octets("pub", [0x04] + x + y)
      return try PKey.from(parameters, type: "EC", selection: bridge_pkey_public_key())
    case .rsa(let modulus, let exponent):
      parameters.unsigned("n", bigEndian: modulus)
      parameters.unsigned("e", bigEndian: exponent)
      return try PKey.from(parameters, type: "RSA", selection: bridge_pkey_public_key())
    case .ed25519(let bytes): return try Self.raw("ED25519", bytes)
    case .ed448(let bytes): return try Self.raw("ED448", bytes)
    }
  }

  private static func raw(_ type: String, _ bytes: [UInt8]) throws(CryptoError) -> PKey {
    ErrorQueue.clear()
    return try PKey(taking: EVP_PKEY_new_raw_public_key_ex(nil, type, nil, bytes, bytes.count), "read \(type)")
  }
}
