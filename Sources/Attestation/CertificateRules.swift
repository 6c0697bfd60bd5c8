internal import CTAPMessages
internal import FIDOCrypto

/// Rules for attestation certificates that formats share (WebAuthn L3 §8.2.1, §8.3.1).
enum CertificateRules {
  static let basicConstraints = "2.5.29.19"
  static let subjectAlternativeName = "2.5.29.17"
  static let extendedKeyUsage = "2.5.29.37"

  /// Version 3, and no authority.
  static func common(_ leaf: Certificate) -> [String] {
    var faults: [String] = []
    if leaf.version != 3 { faults.append("its version is \(leaf.version) and must be 3") }
    if leaf.isCA {
      faults.append("it is an authority's, by its basic constraints")
    } else if leaf.extensionValue(oid: basicConstraints) == nil {
      faults.append("it has no basic constraints")
    }
    return faults
  }

  /// Where the certificate names a model, it is the credential's, in an extension that is not critical.
  static func model(_ leaf: Certificate, _ model: AAGUID?) -> [String] {
    guard let value = leaf.extensionValue(oid: Certificate.aaguidExtension) else { return [] }
    var faults: [String] = []
    if leaf.extensionIsCritical(oid: Certificate.aaguidExtension) == true {
      faults.append("its AAGUID extension is critical")
    }
    var reader = DERReader(value)
    guard let content = reader.next(DERTag.octetString), reader.isAtEnd, let found = AAGUID(content) else {
      return faults + ["its AAGUID extension does not hold 16 bytes"]
    }
    if found != model { faults.append("it is for the model \(found), not for the credential's") }
    return faults
  }
}
