internal import CBOR
internal import CTAPMessages
internal import FIDOCrypto

/// `packed` (WebAuthn L3 §8.2), signed by an attestation key or by the credential itself.
enum PackedFormat: AttestationFormat {
  static func binding(_ answer: AttestedAnswer) -> AttestationVerdict {
    guard let number = answer.algorithm else { return .wrong("the statement has no algorithm") }
    guard let signature = answer.signature else { return .wrong("the statement has no signature") }
    if answer.statement["ecdaaKeyId"] != nil { return .notCheckable("ECDAA signatures are not supported") }
    if answer.statement["x5c"] != nil {
      guard let leaf = answer.chain?.first else { return .wrong("x5c holds no certificate") }
      return answer.withLeaf(leaf, algorithm: number) { _, key in
        answer.verdict(signature, over: answer.signed, by: key, algorithm: number)
      }
    }
    guard let credential = answer.authData.attestedCredential?.publicKey else {
      return .wrong("the authenticator data holds no credential")
    }
    guard credential.alg == number else {
      return .wrong("self attestation names algorithm \(number), and the credential another")
    }
    do throws(CryptoError) {
      return answer.verdict(signature, over: answer.signed, by: try credential.publicKey(), algorithm: number)
    } catch {
      return .notCheckable("the credential's public key cannot be read: \(error)")
    }
  }

  /// WebAuthn L3 §8.2.1.
  static func faults(of leaf: Certificate, _ answer: AttestedAnswer) -> [String] {
    var faults = CertificateRules.common(leaf)
    let subject = leaf.subject
    if subject["OU"] != "Authenticator Attestation" {
      faults.append("its subject's OU is not \"Authenticator Attestation\"")
    }
    let letters = subject["C"]?.utf8.allSatisfy { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) } ?? false
    if !letters || subject["C"]?.utf8.count != 2 { faults.append("its subject's C is not a country's two letters") }
    if (subject["O"] ?? "").isEmpty { faults.append("its subject has no O, the vendor's name") }
    if (subject["CN"] ?? "").isEmpty { faults.append("its subject has no CN") }
    faults += CertificateRules.model(leaf, answer.authData.attestedCredential?.aaguid)
    return faults
  }
}
