import COpenSSL

extension Certificate {
  /// The most certificates that a chain may have.
  public static let longestChain = 8

  /// Checks that `chain`, leaf first, leads to one of `anchors` at a time in seconds since 1970 UTC (RFC 5280 §6).
  ///
  /// Signatures, validity times, CA flags, path lengths and critical extensions are checked. An anchor needs not be
  /// self-signed: FIDO metadata also names intermediate and leaf certificates. Signatures by SHA-1 or MD5 are refused,
  /// since others can forge them. Revocation is not looked at.
  ///
  /// - Throws: `invalidCertificate` with OpenSSL's reason.
  public static func verifyChain(
    _ chain: [Certificate], anchors: [Certificate], at seconds: Int64
  ) throws(CryptoError) {
    guard let leaf = chain.first else { throw .invalidCertificate("the chain is empty") }
    guard chain.count <= longestChain else {
      throw .invalidCertificate("a chain of \(chain.count) certificates is too long")
    }
    // Keys of other kinds or of absurd sizes are refused before any of them is used.
    for certificate in chain { _ = try certificate.publicKey() }
    ErrorQueue.clear()
    let store = try Owned(X509_STORE_new(), "make a certificate store") { X509_STORE_free($0) }
    for anchor in anchors {
      try ErrorQueue.check(X509_STORE_add_cert(store.pointer, anchor.handle.pointer), "take a trust anchor")
    }
    // The stack borrows: the certificates are kept alive by `chain`.
    let others = try Owned(OPENSSL_sk_new_null(), "make a list") { OPENSSL_sk_free($0) }
    for certificate in chain.dropFirst() {
      let count = OPENSSL_sk_push(others.pointer, UnsafeRawPointer(certificate.handle.pointer))
      guard count > 0 else { throw ErrorQueue.failure("make a list") }
    }
    let context = try Owned(X509_STORE_CTX_new(), "prepare a chain") { X509_STORE_CTX_free($0) }
    try ErrorQueue.check(
      X509_STORE_CTX_init(context.pointer, store.pointer, leaf.handle.pointer, others.pointer), "prepare a chain")
    X509_STORE_CTX_set_time(context.pointer, 0, time_t(clamping: seconds))
    // Level 1 asks for 80 bits of security, which keeps SHA-1 and MD5 out.
    X509_VERIFY_PARAM_set_auth_level(X509_STORE_CTX_get0_param(context.pointer), 1)
    X509_STORE_CTX_set_flags(context.pointer, UInt(X509_V_FLAG_PARTIAL_CHAIN))
    let verified = withExtendedLifetime((chain, anchors)) { X509_verify_cert(context.pointer) == 1 }
    ErrorQueue.clear()
    guard verified else {
      let reason = X509_verify_cert_error_string(Int(X509_STORE_CTX_get_error(context.pointer)))
      throw .invalidCertificate(reason.map { String(cString: $0) } ?? "the chain does not verify")
    }
  }
}
