import COpenSSL
public import Octets

/// The key derivation of RFC 5869.
public enum HKDF {
  /// Extracts from `secret` with `salt` and expands with `info` to `count` bytes, 1 to 8160.
  ///
  /// - Throws: `invalidLength` for another count or an empty secret.
  public static func sha256(
    secret: SecretBytes, salt: [UInt8], info: [UInt8], count: Int
  ) throws(CryptoError) -> SecretBytes {
    guard (1...255 * 32).contains(count) else {
      throw .invalidLength(what: "derived key", expected: min(max(count, 1), 255 * 32), found: count)
    }
    guard secret.count > 0 else { throw .invalidLength(what: "secret", expected: 1, found: 0) }
    ErrorQueue.clear()
    let algorithm = try Owned(EVP_KDF_fetch(nil, "HKDF", nil), "find HKDF") { EVP_KDF_free($0) }
    let context = try Owned(EVP_KDF_CTX_new(algorithm.pointer), "prepare HKDF") { EVP_KDF_CTX_free($0) }
    let parameters = Parameters()
    parameters.text("digest", "SHA256")
    secret.withBytes { parameters.octets("key", $0) }
    parameters.octets("salt", salt)
    parameters.octets("info", info)
    return try SecretBytes(count: count) { (output) throws(CryptoError) in
      let status = parameters.withPointer { EVP_KDF_derive(context.pointer, output.baseAddress, count, $0) }
      try ErrorQueue.check(status, "derive a key with HKDF")
    }
  }
}
