internal import CBOR
internal import CTAPMessages
internal import FIDOCrypto

/// `apple` (WebAuthn L3 §8.8): a certificate made for this very ceremony, and no signature beside it.
enum AppleFormat: AttestationFormat {
  /// The extension that holds the nonce.
  static let nonceExtension = "1.2.840.113635.100.8.2"

  static func binding(_ answer: AttestedAnswer) -> AttestationVerdict {
    guard let leaf = answer.chain?.first else { return .wrong("x5c holds no certificate") }
    return answer.withLeaf(leaf, algorithm: answer.authData.attestedCredential?.publicKey.alg ?? 0) { leaf, key in
      guard let value = leaf.extensionValue(oid: nonceExtension) else {
        return .wrong("the certificate has no nonce")
      }
      guard nonce(value) == Digest.sha256(answer.signed) else {
        return .wrong("the certificate was made for another answer: its nonce is not the hash of this one")
      }
      return answer.fault(ofKey: key, in: "the certificate") ?? .verified
    }
  }

  /// No rules beyond those that bind the certificate to the answer.
  static func faults(of leaf: Certificate, _ answer: AttestedAnswer) -> [String] { [] }

  /// SEQUENCE { [1] { OCTET STRING } }.
  private static func nonce(_ value: [UInt8]) -> [UInt8]? {
    var outer = DERReader(value)
    guard let sequence = outer.next(DERTag.sequence), outer.isAtEnd else { return nil }
    var middle = DERReader(sequence)
    guard let field = middle.next(DERTag.context(1)), middle.isAtEnd else { return nil }
    var inner = DERReader(field)
    guard let nonce = inner.next(DERTag.octetString), inner.isAtEnd else { return nil }
    return nonce
  }
}
