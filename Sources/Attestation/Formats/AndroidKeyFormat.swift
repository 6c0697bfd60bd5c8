internal import CBOR
internal import FIDOCrypto

/// `android-key` (WebAuthn L3 §8.4): a certificate of Android's key store for the credential's own key.
enum AndroidKeyFormat: AttestationFormat {
  /// The extension with the key store's description of the key.
  static let descriptionExtension = "1.3.6.1.4.1.11129.2.1.17"

  static func binding(_ answer: AttestedAnswer) -> AttestationVerdict {
    guard let number = answer.algorithm else { return .wrong("the statement has no algorithm") }
    guard let signature = answer.signature else { return .wrong("the statement has no signature") }
    guard let leaf = answer.chain?.first else { return .wrong("x5c holds no certificate") }
    return answer.withLeaf(leaf, algorithm: number) { leaf, key in
      let verdict = answer.verdict(signature, over: answer.signed, by: key, algorithm: number)
      guard verdict == .verified else { return verdict }
      if let fault = answer.fault(ofKey: key, in: "the certificate") { return fault }
      guard let description = KeyDescription(leaf) else {
        return .wrong("the certificate has no key description that can be read")
      }
      return description.challenge == answer.clientDataHash
        ? .verified : .wrong("the certificate's challenge is not the hash of the client data")
    }
  }

  /// WebAuthn L3 §8.4.1, for keys that software or hardware keeps.
  static func faults(of leaf: Certificate, _ answer: AttestedAnswer) -> [String] {
    guard let description = KeyDescription(leaf) else { return ["it has no key description that can be read"] }
    var faults: [String] = []
    if description.has(KeyDescription.allApplications) { faults.append("its key may be used by all applications") }
    if description.value(of: KeyDescription.origin) != [[DERTag.integer.byte, 1, 0]] {
      faults.append("its key was not generated in the key store")
    }
    if description.value(of: KeyDescription.purpose) != [[DERTag.set.byte, 3, DERTag.integer.byte, 1, 2]] {
      faults.append("its key is not for signing alone")
    }
    return faults
  }
}

/// `KeyDescription` of Android's key attestation, as far as WebAuthn looks at it.
private struct KeyDescription {
  static let purpose: UInt = 1
  static let allApplications: UInt = 600
  static let origin: UInt = 702

  let challenge: [UInt8]
  /// The fields of the software's list and of the hardware's, in this order.
  private let fields: [(tag: UInt, content: [UInt8])]

  init?(_ certificate: Certificate) {
    guard let value = certificate.extensionValue(oid: AndroidKeyFormat.descriptionExtension) else { return nil }
    var reader = DERReader(value)
    // attestationVersion, attestationSecurityLevel, keymasterVersion, keymasterSecurityLevel, attestationChallenge,
    // uniqueId, softwareEnforced, hardwareEnforced.
    let tags = [
      DERTag.integer, DERTag.enumerated, DERTag.integer, DERTag.enumerated, DERTag.octetString, DERTag.octetString,
      DERTag.sequence, DERTag.sequence,
    ]
    guard let members = reader.elements(in: DERTag.sequence), reader.isAtEnd, members.map(\.tag) == tags,
      let software = Self.fields(members[6].content), let hardware = Self.fields(members[7].content)
    else { return nil }
    challenge = members[4].content
    fields = software + hardware
  }

  private static func fields(_ list: [UInt8]) -> [(tag: UInt, content: [UInt8])]? {
    var reader = DERReader(list)
    var fields: [(tag: UInt, content: [UInt8])] = []
    while !reader.isAtEnd {
      guard let field = reader.element() else { return nil }
      fields.append((field.tag, Array(field.content)))
    }
    return fields
  }

  func has(_ number: UInt) -> Bool { !value(of: number).isEmpty }

  /// The content of a field in every list that has it.
  func value(of number: UInt) -> [[UInt8]] {
    fields.filter { $0.tag == DERTag.context(number) }.map(\.content)
  }
}

extension UInt {
  /// A tag of one byte as it is written.
  fileprivate var byte: UInt8 { UInt8(truncatingIfNeeded: self) }
}
