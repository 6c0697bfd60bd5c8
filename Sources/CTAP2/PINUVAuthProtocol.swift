/// The two ways in which a platform and a key hide PINs and tokens on the wire (CTAP 2.2 §6.5.6, §6.5.7).
public enum PINUVAuthProtocol: Int, Hashable, Sendable, CaseIterable {
  /// The protocol of CTAP 2.0: one key for everything, no initialisation vector, 16-byte parameters.
  case one = 1
  /// The protocol of CTAP 2.1: two derived keys, a random initialisation vector, 32-byte parameters.
  case two = 2

  /// The best protocol that both sides speak, two before one; nil where the key lists only unknown ones.
  ///
  /// A key that lists nothing is taken for one of CTAP 2.0, which had just the one.
  public static func preferred(among listed: [Int]?) -> PINUVAuthProtocol? {
    guard let listed, !listed.isEmpty else { return .one }
    return listed.contains(two.rawValue) ? .two : listed.contains(one.rawValue) ? .one : nil
  }

  /// The size in bytes of a `pinUvAuthParam`.
  public var parameterSize: Int { self == .one ? 16 : 32 }

  /// Whether a decrypted token may have `count` bytes: 16 or 32 with protocol one, 32 with two.
  func allowsToken(count: Int) -> Bool { count == 32 || self == .one && count == 16 }
}
