public import CTAPMessages
public import FIDOCrypto

extension COSEKey {
  /// The key's numbers as a public key that can verify.
  ///
  /// The algorithm and the curve have to fit each other (WebAuthn L3 §5.8.5): -7 goes with P-256, -35 with P-384,
  /// -36 with P-521, -8 with Ed25519, -53 with Ed448, -257 and the other RSA numbers with RSA keys.
  ///
  /// - Throws: `unsupported` for an algorithm or a curve that is not known, `invalidKey` where they don't fit or the
  ///   point is off its curve, `invalidLength` for coordinates of another length.
  public func publicKey() throws(CryptoError) -> PublicKey {
    guard let alg else { throw .invalidKey("it names no algorithm") }
    guard let algorithm = SignatureAlgorithm(rawValue: alg) else { throw .unsupported("COSE algorithm \(alg)") }
    switch (material, algorithm) {
    case (.ec2(let curve, let x, let y), .es256), (.ec2(let curve, let x, let y), .es384),
      (.ec2(let curve, let x, let y), .es512):
      guard let expected = algorithm.curve, curve == Curve.number(of: expected) else {
        throw .invalidKey("algorithm \(alg) does not go with curve \(curve)")
      }
      let key = PublicKey.elliptic(expected, x: x, y: y)
      // Encoding checks the lengths and that the point is on the curve.
      _ = try key.subjectPublicKeyInfo()
      return key
    case (.okp(Curve.ed25519, let x), .eddsa):
      guard x.count == 32 else { throw .invalidLength(what: "Ed25519 key", expected: 32, found: x.count) }
      return .ed25519(x)
    case (.okp(Curve.ed448, let x), .ed448):
      guard x.count == 57 else { throw .invalidLength(what: "Ed448 key", expected: 57, found: x.count) }
      return .ed448(x)
    case (.rsa(let n, let e), .rs256), (.rsa(let n, let e), .ps256):
      return .rsa(modulus: n, exponent: e)
    default:
      throw .invalidKey("algorithm \(alg) does not go with key type \(kty)" + (crv.map { " and curve \($0)" } ?? ""))
    }
  }
}

extension COSEKey.Curve {
  /// The COSE number of a curve.
  fileprivate static func number(of curve: EllipticCurve) -> Int {
    switch curve {
    case .p256: p256
    case .p384: p384
    case .p521: p521
    }
  }
}
