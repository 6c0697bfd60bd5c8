import CBOR
import CTAPMessages
import FIDOCrypto

extension Authenticator {
  /// Authenticator data (WebAuthn L3 §6.1) with the configured backup flags; an empty map of outputs is left out.
  func authenticatorData(
    _ rpID: String, _ counter: UInt32, present: Bool, verified: Bool, attested: AttestedCredential? = nil,
    _ outputs: CBORMap
  ) throws(Refusal) -> AuthenticatorData {
    var flags = configuration.backup.flags
    if present { flags.insert(.userPresent) }
    if verified { flags.insert(.userVerified) }
    do throws(MessageError) {
      return try AuthenticatorData(
        rpIDHash: Digest.sha256(Array(rpID.utf8)), flags: flags, signCount: counter, attestedCredential: attested,
        extensions: outputs.isEmpty ? nil : outputs)
    } catch {
      throw Refusal(.other)
    }
  }

  /// Holds a list of credentials against the profile's limits.
  func checkList(_ list: [CredentialDescriptor]) throws(Refusal) {
    if let most = profile.maxListCount, list.count > most { throw Refusal(.limitExceeded) }
    if list.contains(where: { $0.id.count > profile.maxCredentialIDLength }) { throw Refusal(.limitExceeded) }
  }
}

extension COSEKey {
  /// A credential's public key in the form of WebAuthn L3 §5.8.5.
  init(_ key: PublicKey, algorithm: SignatureAlgorithm) {
    let material: Material =
      switch key {
      case .elliptic(.p256, let x, let y): .ec2(curve: Curve.p256, x: x, y: y)
      case .elliptic(.p384, let x, let y): .ec2(curve: Curve.p384, x: x, y: y)
      case .elliptic(.p521, let x, let y): .ec2(curve: Curve.p521, x: x, y: y)
      case .ed25519(let x): .okp(curve: Curve.ed25519, x: x)
      case .ed448(let x): .okp(curve: Curve.ed448, x: x)
      case .rsa(let modulus, let exponent): .rsa(n: modulus, e: exponent)
      }
    self.init(material, alg: algorithm.rawValue)
  }
}
