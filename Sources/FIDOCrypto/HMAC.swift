import COpenSSL
public import Octets

/// The keyed hash of RFC 2104.
public enum HMAC {
  /// The 32-byte HMAC-SHA-256 of `message`.
  public static func sha256(key: SecretBytes, _ message: [UInt8]) -> [UInt8] {
    ErrorQueue.clear()
    var code = [UInt8](repeating: 0, count: 32)
    var written = 0
    let result = key.withBytes { key in
      EVP_Q_mac(
        nil, "HMAC", nil, "SHA256", nil, key.baseAddress, key.count, message, message.count, &code, 32, &written)
    }
    // As for digests: no key and no message makes it fail.
    guard result != nil, written == 32 else { fatalError("\(ErrorQueue.failure("compute HMAC-SHA-256"))") }
    return code
  }
}
