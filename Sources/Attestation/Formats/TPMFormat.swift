internal import CBOR
internal import CTAPMessages
internal import FIDOCrypto

/// `tpm` (WebAuthn L3 §8.3): a TPM certifies the credential's key with a key that only certifies.
enum TPMFormat: AttestationFormat {
  static func binding(_ answer: AttestedAnswer) -> AttestationVerdict {
    guard answer.statement["ver"]?.textValue == "2.0" else { return .wrong("the TPM's version is not \"2.0\"") }
    guard let number = answer.algorithm else { return .wrong("the statement has no algorithm") }
    guard let signature = answer.signature else { return .wrong("the statement has no signature") }
    guard let leaf = answer.chain?.first else { return .wrong("x5c holds no certificate") }
    guard let certInfo = answer.statement["certInfo"]?.bytesValue, let certified = TPMCertification(certInfo) else {
      return .wrong("certInfo is not a TPM's certification")
    }
    guard let pubArea = answer.statement["pubArea"]?.bytesValue, let area = TPMPublicArea(pubArea) else {
      return .wrong("pubArea is not a TPM's public area that can be read")
    }
    if let fault = answer.fault(ofKey: area.key, in: "pubArea") { return fault }
    guard let algorithm = SignatureAlgorithm(rawValue: number) else {
      return .notCheckable("algorithm \(number) is not known")
    }
    guard certified.extraData == algorithm.hash(answer.signed) else {
      return .wrong("the TPM certified another answer: its extraData is not the hash of this one")
    }
    guard let name = area.name(of: pubArea) else {
      return .notCheckable("the TPM names keys by a hash that is not supported")
    }
    guard certified.name == name else { return .wrong("the TPM certified another key than the one in pubArea") }
    return answer.withLeaf(leaf, algorithm: number) { _, key in
      answer.verdict(signature, over: certInfo, by: key, algorithm: number)
    }
  }

  /// WebAuthn L3 §8.3.1.
  static func faults(of leaf: Certificate, _ answer: AttestedAnswer) -> [String] {
    var faults = CertificateRules.common(leaf)
    if !leaf.subject.isEmpty { faults.append("its subject is not empty") }
    if !names(leaf) { faults.append("its subject alternative name does not name a TPM's maker, model and version") }
    if !isForAttestation(leaf) {
      faults.append("its extended key usage is not for TPM attestation keys (2.23.133.8.3)")
    }
    faults += CertificateRules.model(leaf, answer.authData.attestedCredential?.aaguid)
    return faults
  }

  /// Whether a directory name has tpmManufacturer, tpmModel and tpmVersion (2.23.133.2.1 to 3).
  private static func names(_ leaf: Certificate) -> Bool {
    guard let value = leaf.extensionValue(oid: CertificateRules.subjectAlternativeName) else { return false }
    var reader = DERReader(value)
    guard let names = reader.elements(in: DERTag.sequence), reader.isAtEnd else { return false }
    var found: Set<[UInt8]> = []
    for name in names where name.tag == DERTag.context(4) {
      var directory = DERReader(name.content)
      // A name is a sequence of sets of pairs.
      for set in directory.elements(in: DERTag.sequence) ?? [] where set.tag == DERTag.set {
        var pairs = DERReader(set.content)
        while let pair = pairs.next(DERTag.sequence) {
          var parts = DERReader(pair)
          guard let type = parts.next(DERTag.objectIdentifier), let text = parts.element(), !text.content.isEmpty
          else { continue }
          found.insert(type)
        }
      }
    }
    return found.isSuperset(of: [1, 2, 3].map { [0x67, 0x81, 0x05, 0x02, $0] })
  }

  private static func isForAttestation(_ leaf: Certificate) -> Bool {
    guard let value = leaf.extensionValue(oid: CertificateRules.extendedKeyUsage) else { return false }
    var reader = DERReader(value)
    let usages = reader.elements(in: DERTag.sequence) ?? []
    return usages.contains { $0.tag == DERTag.objectIdentifier && $0.content == [0x67, 0x81, 0x05, 0x08, 0x03] }
  }
}

extension SignatureAlgorithm {
  /// The hash that goes with the algorithm where it signs hashes.
  fileprivate func hash(_ bytes: [UInt8]) -> [UInt8] {
    switch self {
    case .es256, .rs256, .ps256, .eddsa: Digest.sha256(bytes)
    case .es384: Digest.sha384(bytes)
    case .es512, .ed448: Digest.sha512(bytes)
    }
  }
}
