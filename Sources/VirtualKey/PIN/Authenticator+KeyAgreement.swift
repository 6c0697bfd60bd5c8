import CTAPMessages
import FIDOCrypto
import Octets

extension Authenticator {
  /// The key's agreement key of a protocol, made when it is first asked for.
  func agreement(_ version: Int) throws(Refusal) -> P256KeyAgreement {
    if let made = agreements[version] { return made }
    var scalar = random.bytes(32)
    // Below 2^255 no number reaches the curve's order.
    scalar[0] &= 0x7f
    do throws(CryptoError) {
      let made = try P256KeyAgreement(privateScalar: SecretBytes(taking: &scalar))
      agreements[version] = made
      return made
    } catch {
      throw Refusal(.other)
    }
  }

  /// Draws another agreement key after a wrong PIN, so that what was overheard is worth nothing (CTAP 2.1 §6.5.5.6).
  func regenerateAgreement(_ version: Int) { agreements[version] = nil }

  /// The secret shared with the host's public key.
  func sharedSecret(_ version: Int, _ peer: COSEKey) throws(Refusal) -> SharedSecret {
    try requireProtocol(version)
    guard peer.kty == COSEKey.KeyType.ec2, peer.crv == COSEKey.Curve.p256, let x = peer.x, let y = peer.y,
      peer.alg == nil || peer.alg == COSEKey.keyAgreementAlgorithm,
      let point = try? agreement(version).sharedX(withX: x, y: y),
      let secret = SharedSecret(version: version, sharedX: point)
    else { throw Refusal(.invalidParameter) }
    return secret
  }

  func requireProtocol(_ version: Int) throws(Refusal) {
    guard profile.pinProtocols.contains(version) else { throw Refusal(.invalidParameter) }
  }
}
