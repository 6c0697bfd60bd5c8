/// Why a cryptographic operation gave no result.
public enum CryptoError: Error, Hashable, Sendable {
  /// OpenSSL refused an operation; the reasons are its whole error queue, oldest first.
  case openSSL(operation: String, reasons: [String])
  /// A key that cannot be used: off its curve, out of range, of another type or not decodable.
  case invalidKey(String)
  /// An input of the wrong length, both lengths in bytes.
  case invalidLength(what: String, expected: Int, found: Int)
  /// A ciphertext whose tag does not match its content, its nonce or its additional data.
  case authenticationFailed
  /// A certificate that cannot be decoded, or a chain that does not lead to a trust anchor.
  case invalidCertificate(String)
  /// An algorithm, key type or size that is valid elsewhere and not handled here.
  case unsupported(String)
}

extension CryptoError: CustomStringConvertible {
  /// A sentence for people.
  public var description: String {
    switch self {
    case .openSSL(let operation, let reasons):
      reasons.isEmpty
        ? "OpenSSL could not \(operation)." : "OpenSSL could not \(operation): \(reasons.joined(separator: "; "))."
    case .invalidKey(let reason): "The key is not usable: \(reason)."
    case .invalidLength(let what, let expected, let found):
      "The \(what) has \(found) bytes where \(expected) are needed."
    case .authenticationFailed: "The encrypted data does not authenticate."
    case .invalidCertificate(let reason): "The certificate is not usable: \(reason)."
    case .unsupported(let what): "Not supported: \(what)."
    }
  }
}
