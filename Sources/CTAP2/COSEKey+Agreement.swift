internal import CTAPMessages
internal import FIDOCrypto

extension COSEKey {
  /// The coordinates of a key's key-agreement key: a point on P-256, whose `alg` is -25 or, on some keys, missing.
  func agreementPoint() throws(CryptoError) -> (x: [UInt8], y: [UInt8]) {
    guard case .ec2(Curve.p256, let x, let y) = material else {
      throw .invalidKey("the key agreement key is not on P-256")
    }
    guard alg == nil || alg == Self.keyAgreementAlgorithm else {
      throw .invalidKey("the key agreement key names algorithm \(alg ?? 0)")
    }
    return (x, y)
  }
}
