import COpenSSL

/// The owner of an OpenSSL certificate; the only code that reads one.
final class CertificateHandle: Sendable {
  // OpenSSL locks what it caches inside a finished certificate, so threads may share one.
  nonisolated(unsafe) let pointer: OpaquePointer

  /// More than any certificate of a security key needs.
  static let largest = 1 << 16

  init(der: [UInt8]) throws(CryptoError) {
    guard der.count <= Self.largest else { throw .invalidCertificate("\(der.count) bytes are too many") }
    ErrorQueue.clear()
    var left = 0
    let decoded = der.withUnsafeBufferPointer { buffer in
      var cursor = buffer.baseAddress
      let start = cursor
      let certificate = d2i_X509(nil, &cursor, buffer.count)
      if let start, let cursor { left = buffer.count - (cursor - start) }
      return certificate
    }
    guard let decoded else { throw .invalidCertificate(ErrorQueue.explain("not an X.509 certificate")) }
    pointer = decoded
    guard left == 0 else { throw .invalidCertificate("\(left) bytes after the certificate") }
  }

  deinit { X509_free(pointer) }

  var version: Int { X509_get_version(pointer) + 1 }

  var isCA: Bool {
    defer { ErrorQueue.clear() }
    return X509_get_extension_flags(pointer) & UInt32(EXFLAG_CA) != 0
  }

  func subject() -> [String: String] { Self.attributes(X509_get_subject_name(pointer)) }
  func issuer() -> [String: String] { Self.attributes(X509_get_issuer_name(pointer)) }
  func notBefore() throws(CryptoError) -> Int64 { try Self.seconds(X509_get0_notBefore(pointer)) }
  func notAfter() throws(CryptoError) -> Int64 { try Self.seconds(X509_get0_notAfter(pointer)) }

  func pkey() throws(CryptoError) -> PKey {
    ErrorQueue.clear()
    guard let key = X509_get_pubkey(pointer) else {
      throw .invalidKey(ErrorQueue.explain("the certificate's key cannot be read"))
    }
    return try PKey(taking: key, "read a certificate's key")
  }

  func extensionValue(oid: String) -> (value: [UInt8], critical: Bool)? {
    defer { ErrorQueue.clear() }
    guard let object = OBJ_txt2obj(oid, 1) else { return nil }
    defer { ASN1_OBJECT_free(object) }
    let index = X509_get_ext_by_OBJ(pointer, object, -1)
    guard index >= 0, let entry = X509_get_ext(pointer, index), let value = X509_EXTENSION_get_data(entry) else {
      return nil
    }
    return (Self.bytes(value), X509_EXTENSION_get_critical(entry) != 0)
  }

  /// Whether the other certificate's subject is this one's issuer and its key verifies this one's signature.
  func isIssued(by other: CertificateHandle) -> Bool {
    ErrorQueue.clear()
    defer { ErrorQueue.clear() }
    guard X509_NAME_cmp(X509_get_issuer_name(pointer), X509_get_subject_name(other.pointer)) == 0 else { return false }
    // Keys of other kinds or of absurd sizes are not worth the time.
    guard let key = try? other.pkey(), (try? key.publicKey()) != nil else { return false }
    return X509_verify(pointer, key.pointer) == 1
  }

  private static func attributes(_ name: OpaquePointer?) -> [String: String] {
    var attributes: [String: String] = [:]
    defer { ErrorQueue.clear() }
    for index in 0..<max(0, X509_NAME_entry_count(name)) {
      guard let entry = X509_NAME_get_entry(name, index) else { continue }
      let key = attributeName(X509_NAME_ENTRY_get_object(entry))
      var text: UnsafeMutablePointer<UInt8>?
      let length = ASN1_STRING_to_UTF8(&text, X509_NAME_ENTRY_get_data(entry))
      guard length >= 0, let text else { continue }
      defer { bridge_free(text) }
      guard attributes[key] == nil else { continue }
      attributes[key] = String(decoding: UnsafeBufferPointer(start: text, count: Int(length)), as: UTF8.self)
    }
    return attributes
  }

  private static func attributeName(_ object: OpaquePointer?) -> String {
    let number = OBJ_obj2nid(object)
    if number != NID_undef, let name = OBJ_nid2sn(number) { return String(cString: name) }
    var text = [CChar](repeating: 0, count: 128)
    let length = OBJ_obj2txt(&text, Int32(text.count), object, 1)
    let written = min(max(0, Int(length)), text.count - 1)
    return String(decoding: text.prefix(written).map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  private static func seconds(_ time: UnsafePointer<ASN1_TIME>?) throws(CryptoError) -> Int64 {
    ErrorQueue.clear()
    guard let epoch = ASN1_TIME_set(nil, 0) else { throw ErrorQueue.failure("make a time") }
    defer { ASN1_STRING_free(epoch) }
    var days: Int32 = 0
    var seconds: Int32 = 0
    guard ASN1_TIME_diff(&days, &seconds, epoch, time) == 1 else {
      ErrorQueue.clear()
      throw .invalidCertificate("a validity time is not a time")
    }
    return Int64(days) * 86400 + Int64(seconds)
  }

  private static func bytes(_ string: UnsafePointer<ASN1_STRING>) -> [UInt8] {
    Array(UnsafeBufferPointer(start: ASN1_STRING_get0_data(string), count: max(0, Int(ASN1_STRING_length(string)))))
  }
}
