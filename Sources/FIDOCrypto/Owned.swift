import COpenSSL
import Octets

/// The one owner of an OpenSSL object, which it frees.
struct Owned: ~Copyable {
  let pointer: OpaquePointer
  private let release: (OpaquePointer) -> Void

  /// Takes over a pointer that a C call returned; nil is that call's failure.
  init(
    _ pointer: OpaquePointer?, _ operation: String, release: @escaping (OpaquePointer) -> Void
  ) throws(CryptoError) {
    guard let pointer else { throw ErrorQueue.failure(operation) }
    self.pointer = pointer
    self.release = release
  }

  deinit { release(pointer) }

  /// A context to make or use keys of a type by its provider name.
  static func keyContext(type: String) throws(CryptoError) -> Owned {
    ErrorQueue.clear()
    return try Owned(EVP_PKEY_CTX_new_from_name(nil, type, nil), "find \(type)") { EVP_PKEY_CTX_free($0) }
  }

  /// A context to use a key.
  static func keyContext(_ key: PKey) throws(CryptoError) -> Owned {
    ErrorQueue.clear()
    return try Owned(EVP_PKEY_CTX_new_from_pkey(nil, key.pointer, nil), "use a key") { EVP_PKEY_CTX_free($0) }
  }

  /// A context for a signature.
  static func digestContext() throws(CryptoError) -> Owned {
    ErrorQueue.clear()
    return try Owned(EVP_MD_CTX_new(), "prepare a signature") { EVP_MD_CTX_free($0) }
  }

  /// A context for a cipher.
  static func cipherContext() throws(CryptoError) -> Owned {
    ErrorQueue.clear()
    return try Owned(EVP_CIPHER_CTX_new(), "prepare a cipher") { EVP_CIPHER_CTX_free($0) }
  }

  /// A non-negative integer from big-endian bytes; wiped when freed.
  static func integer(_ secret: SecretBytes) throws(CryptoError) -> Owned {
    ErrorQueue.clear()
    let count = try length(secret.count)
    let number = secret.withBytes { BN_bin2bn($0.baseAddress?.assumingMemoryBound(to: UInt8.self), count, nil) }
    return try Owned(number, "read an integer") { BN_clear_free($0) }
  }

  /// A non-negative integer from big-endian bytes.
  static func integer(_ bytes: [UInt8]) throws(CryptoError) -> Owned {
    ErrorQueue.clear()
    return try Owned(BN_bin2bn(bytes, try length(bytes.count), nil), "read an integer") { BN_clear_free($0) }
  }

  /// A length as the C `int` that most of OpenSSL's calls take.
  static func length(_ count: Int) throws(CryptoError) -> Int32 {
    guard let length = Int32(exactly: count) else { throw .unsupported("an input of \(count) bytes") }
    return length
  }
}
