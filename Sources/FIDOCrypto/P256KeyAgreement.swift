import COpenSSL
public import Octets

/// A key pair for elliptic curve Diffie-Hellman on P-256 (SP 800-56A §5.7.1.2).
public final class P256KeyAgreement: Sendable {
  private let key: PKey

  /// The x coordinate of the public key, 32 bytes big-endian.
  public let x: [UInt8]
  /// The y coordinate of the public key, 32 bytes big-endian.
  public let y: [UInt8]

  /// Makes a new key pair.
  public convenience init() throws(CryptoError) {
    try self.init(key: try PKey.generate(.es256))
  }

  /// Makes the key pair of a private scalar, 32 bytes big-endian.
  ///
  /// - Throws: `invalidLength`, or `invalidKey` for zero and for the curve's order or more.
  public convenience init(privateScalar: SecretBytes) throws(CryptoError) {
    guard privateScalar.count == 32 else {
      throw .invalidLength(what: "private scalar", expected: 32, found: privateScalar.count)
    }
    try self.init(key: try PKey.elliptic(.p256, scalar: privateScalar))
  }

  private init(key: PKey) throws(CryptoError) {
    guard case .elliptic(_, let x, let y) = try key.publicKey() else { throw .invalidKey("not on P-256") }
    self.key = key
    self.x = x
    self.y = y
  }

  /// The x coordinate, 32 bytes big-endian, of the point shared with a peer's public key.
  ///
  /// - Throws: `invalidLength` for coordinates that are not 32 bytes, `invalidKey` for a point off the curve.
  public func sharedX(withX peerX: [UInt8], y peerY: [UInt8]) throws(CryptoError) -> SecretBytes {
    let peer = try PublicKey.elliptic(.p256, x: peerX, y: peerY).pkey()
    let context = try Owned.keyContext(key)
    try ErrorQueue.check(EVP_PKEY_derive_init(context.pointer), "prepare a key agreement")
    try ErrorQueue.check(EVP_PKEY_derive_set_peer(context.pointer, peer.pointer), "take the peer's key")
    return try SecretBytes(count: 32) { (output) throws(CryptoError) in
      var length = output.count
      let status = EVP_PKEY_derive(context.pointer, output.baseAddress?.assumingMemoryBound(to: UInt8.self), &length)
      try ErrorQueue.check(status == 1 && length == 32 ? 1 : 0, "agree on a key")
    }
  }
}
