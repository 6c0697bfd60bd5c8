import COpenSSL

extension PKey {
  /// Signs `message`; ECDSA signatures are DER.
  func sign(_ message: [UInt8], algorithm: SignatureAlgorithm) throws(CryptoError) -> [UInt8] {
    let context = try signingContext(algorithm)
    var length = 0
    try ErrorQueue.check(EVP_DigestSign(context.pointer, nil, &length, message, message.count), "size a signature")
    var signature = [UInt8](repeating: 0, count: length)
    try ErrorQueue.check(EVP_DigestSign(context.pointer, &signature, &length, message, message.count), "sign")
    // The first length is the largest that ECDSA can need.
    signature.removeLast(signature.count - length)
    return signature
  }

  /// Whether `signature` is this key's.
  func verifies(
    _ signature: [UInt8], of message: [UInt8], algorithm: SignatureAlgorithm
  ) throws(CryptoError) -> Bool {
    try require(algorithm)
    let context = try Owned.digestContext()
    var options: OpaquePointer?
    try ErrorQueue.check(
      EVP_DigestVerifyInit(context.pointer, &options, algorithm.digest, nil, pointer), "prepare a verification")
    try Self.setPadding(options, algorithm)
    let status = EVP_DigestVerify(context.pointer, signature, signature.count, message, message.count)
    // Zero is a wrong signature, a negative number one that could not be read: neither is this key's.
    ErrorQueue.clear()
    return status == 1
  }

  /// A context that is ready to sign.
  func signingContext(_ algorithm: SignatureAlgorithm) throws(CryptoError) -> Owned {
    try require(algorithm)
    let context = try Owned.digestContext()
    var options: OpaquePointer?
    try ErrorQueue.check(
      EVP_DigestSignInit(context.pointer, &options, algorithm.digest, nil, pointer), "prepare a signature")
    try Self.setPadding(options, algorithm)
    return context
  }

  private func require(_ algorithm: SignatureAlgorithm) throws(CryptoError) {
    guard algorithm.fits(try type()) else { throw .unsupported("this kind of key with \(algorithm)") }
  }

  private static func setPadding(_ options: OpaquePointer?, _ algorithm: SignatureAlgorithm) throws(CryptoError) {
    guard algorithm == .ps256 else { return }
    try ErrorQueue.check(EVP_PKEY_CTX_set_rsa_padding(options, RSA_PKCS1_PSS_PADDING), "choose RSA-PSS")
    try ErrorQueue.check(
      EVP_PKEY_CTX_set_rsa_pss_saltlen(options, RSA_PSS_SALTLEN_DIGEST), "choose the salt length of RSA-PSS")
  }
}
