import COpenSSL

/// The parts of a certificate that is to be made; the only code that writes one.
struct CertificateBuilder {
  struct Extension {
    let oid: String
    let critical: Bool
    let value: [UInt8]
  }

  let key: SigningKey
  let subject: CertificateName
  let serialNumber: [UInt8]
  let notBefore: Int64
  let notAfter: Int64
  let extensions: [Extension]

  /// Makes the certificate, signed by the issuer or by its own key.
  func sign(_ issuer: CertificateIssuer?) throws(CryptoError) -> Certificate {
    ErrorQueue.clear()
    let certificate = try Owned(X509_new(), "make a certificate") { X509_free($0) }
    let pointer = certificate.pointer
    // Version 3 is written as 2.
    try ErrorQueue.check(X509_set_version(pointer, 2), "set a version")
    try setSerialNumber(pointer)
    try setName(X509_get_subject_name(pointer))
    if let issuer {
      let name = X509_get_subject_name(issuer.certificate.handle.pointer)
      try ErrorQueue.check(X509_set_issuer_name(pointer, name), "set the issuer")
    } else {
      try setName(X509_get_issuer_name(pointer))
    }
    try ErrorQueue.check(
      ASN1_TIME_set(X509_getm_notBefore(pointer), time_t(clamping: notBefore)) != nil ? 1 : 0, "set a time")
    try ErrorQueue.check(
      ASN1_TIME_set(X509_getm_notAfter(pointer), time_t(clamping: notAfter)) != nil ? 1 : 0, "set a time")
    try ErrorQueue.check(X509_set_pubkey(pointer, key.key.pointer), "set the public key")
    for entry in extensions { try add(entry, to: pointer) }

    let signer = issuer?.key ?? key
    let context = try signer.key.signingContext(signer.algorithm)
    guard X509_sign_ctx(pointer, context.pointer) > 0 else { throw ErrorQueue.failure("sign a certificate") }
    return try Certificate(der: try Self.encode(pointer))
  }

  private func setSerialNumber(_ certificate: OpaquePointer) throws(CryptoError) {
    // RFC 5280 §4.1.2.2: positive, at most 20 bytes with the sign bit.
    let significant = serialNumber.drop { $0 == 0 }
    guard let first = significant.first else { throw .invalidLength(what: "serial number", expected: 1, found: 0) }
    let encoded = significant.count + (first >= 0x80 ? 1 : 0)
    guard encoded <= 20 else { throw .invalidLength(what: "serial number", expected: 20, found: encoded) }
    let number = try Owned.integer(Array(significant))
    try ErrorQueue.check(
      BN_to_ASN1_INTEGER(number.pointer, X509_get_serialNumber(certificate)) != nil ? 1 : 0, "set a serial number")
  }

  private func setName(_ name: OpaquePointer?) throws(CryptoError) {
    let entries = [
      ("C", subject.country), ("O", subject.organization), ("OU", subject.organizationalUnit),
      ("CN", subject.commonName),
    ]
    for (attribute, value) in entries {
      let utf8 = Array(value.utf8)
      let count = try Owned.length(utf8.count)
      // OpenSSL checks the length and the alphabet that each attribute allows.
      try ErrorQueue.check(
        X509_NAME_add_entry_by_txt(name, attribute, MBSTRING_FLAG, utf8, count, -1, 0), "set \(attribute)")
    }
  }

  private func add(_ entry: Extension, to certificate: OpaquePointer) throws(CryptoError) {
    guard let value = ASN1_OCTET_STRING_new() else { throw ErrorQueue.failure("make an extension") }
    defer { ASN1_OCTET_STRING_free(value) }
    try ErrorQueue.check(
      ASN1_OCTET_STRING_set(value, entry.value, try Owned.length(entry.value.count)), "make an extension")
    let object = try Owned(OBJ_txt2obj(entry.oid, 1), "make an extension") { ASN1_OBJECT_free($0) }
    let made = try Owned(
      X509_EXTENSION_create_by_OBJ(nil, object.pointer, entry.critical ? 1 : 0, value), "make an extension"
    ) { X509_EXTENSION_free($0) }
    try ErrorQueue.check(X509_add_ext(certificate, made.pointer, -1), "add an extension")
  }

  private static func encode(_ certificate: OpaquePointer) throws(CryptoError) -> [UInt8] {
    var encoding: UnsafeMutablePointer<UInt8>?
    let length = i2d_X509(certificate, &encoding)
    guard length > 0, let encoding else { throw ErrorQueue.failure("encode a certificate") }
    defer { bridge_free(encoding) }
    return Array(UnsafeBufferPointer(start: encoding, count: Int(length)))
  }
}
