internal import CBOR
internal import CTAPMessages
internal import FIDOCrypto

/// `fido-u2f` (WebAuthn L3 §8.6), whose signature covers neither flags, counter nor AAGUID.
enum U2FFormat: AttestationFormat {
  static func binding(_ answer: AttestedAnswer) -> AttestationVerdict {
    guard let signature = answer.signature else { return .wrong("the statement has no signature") }
    guard let chain = answer.chain, chain.count == 1, let first = chain.first else {
      return .wrong("x5c does not hold one certificate")
    }
    guard let credential = answer.authData.attestedCredential else {
      return .wrong("the authenticator data holds no credential")
    }
    guard case .elliptic(.p256, let x, let y) = try? credential.publicKey.publicKey() else {
      return .wrong("the credential's public key is not on P-256")
    }
    let signed =
      [0] + answer.authData.rpIDHash + answer.clientDataHash + credential.credentialID + [4] + x + y
    let algorithm = SignatureAlgorithm.es256.rawValue
    return answer.withLeaf(first, algorithm: algorithm) { _, key in
      guard case .elliptic(.p256, _, _) = key else { return .wrong("the certificate's key is not on P-256") }
      return answer.verdict(signature, over: signed, by: key, algorithm: algorithm)
    }
  }

  /// The format's one rule for certificates, the curve, goes with the signature.
  static func faults(of leaf: Certificate, _ answer: AttestedAnswer) -> [String] { [] }
}
