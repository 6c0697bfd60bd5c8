import COpenSSL

/// The SHA-2 digests of FIPS 180-4.
public enum Digest {
  /// The 32-byte SHA-256 of `bytes`.
  public static func sha256(_ bytes: [UInt8]) -> [UInt8] { compute("SHA256", bytes, count: 32) }

  /// The 48-byte SHA-384 of `bytes`.
  public static func sha384(_ bytes: [UInt8]) -> [UInt8] { compute("SHA384", bytes, count: 48) }

  /// The 64-byte SHA-512 of `bytes`.
  public static func sha512(_ bytes: [UInt8]) -> [UInt8] { compute("SHA512", bytes, count: 64) }

  private static func compute(_ name: String, _ bytes: [UInt8], count: Int) -> [UInt8] {
    ErrorQueue.clear()
    var digest = [UInt8](repeating: 0, count: count)
    var written = 0
    let status = EVP_Q_digest(nil, name, nil, bytes, bytes.count, &digest, &written)
    // No input makes a digest fail, only a machine without memory or an OpenSSL without SHA-2: as with Swift's own
    // allocations there is no way on.
    guard status == 1, written == count else { fatalError("\(ErrorQueue.failure("compute \(name)"))") }
    return digest
  }
}
