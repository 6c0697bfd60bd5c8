internal import CBOR
public import CTAPMessages
public import FIDOCrypto

/// All that can be said of an attestation without a server: whose it is, by which rules, and where its chain leads.
public struct AttestationReport: Sendable {
  /// What kind of attestation it is (WebAuthn L3 §6.5.3).
  public enum Kind: String, Hashable, Sendable {
    /// None.
    case none
    /// The credential signed for itself.
    case selfSigned = "self"
    /// A key that a certificate belongs to signed; basic and attestation CA cannot be told apart from outside.
    case certified
    /// A format that is not known.
    case unknown
  }

  /// The kind.
  public let kind: Kind
  /// Whether the statement was made over exactly this answer.
  public let binding: AttestationVerdict
  /// Whether the leaf certificate keeps the rules of its format.
  public let certificate: AttestationVerdict

  private let chain: [[UInt8]]

  /// Looks at an attestation.
  /// - Parameter clientDataHash: the SHA-256 hash of the client data, 32 bytes.
  public init(_ object: AttestationObject, clientDataHash: [UInt8]) {
    let answer = AttestedAnswer(object.attStmt, object.authData, clientDataHash)
    if object.fmt == "none", !object.attStmt.isEmpty {
      binding = .wrong("the format is \"none\", and the statement is not empty")
    } else {
      binding = AttestationCheck.verify(
        fmt: object.fmt, attStmt: object.attStmt, authData: object.authData, clientDataHash: clientDataHash)
    }
    guard let format = AttestationFormats.all[object.fmt] else {
      (kind, certificate, chain) = (.unknown, .nothingToCheck, [])
      return
    }
    guard let chain = answer.chain, let leaf = chain.first else {
      kind = object.fmt == "none" ? .none : .selfSigned
      (certificate, self.chain) = (.nothingToCheck, [])
      return
    }
    (kind, self.chain) = (.certified, chain)
    do throws(CryptoError) {
      let faults = format.faults(of: try Certificate(der: leaf), answer)
      certificate = faults.isEmpty ? .verified : .wrong(faults.joined(separator: "; "))
    } catch {
      certificate = .notCheckable("it cannot be read: \(error)")
    }
  }

  /// Whether the certificates lead to a trust anchor at a time in seconds since 1970 UTC; revocation is not looked at.
  public func trust(anchors: [Certificate], at seconds: Int64) -> AttestationVerdict {
    guard !chain.isEmpty else { return .nothingToCheck }
    do throws(CryptoError) {
      var certificates: [Certificate] = []
      // A longer chain is refused below.
      for der in chain.prefix(Certificate.longestChain + 1) { certificates.append(try Certificate(der: der)) }
      try Certificate.verifyChain(certificates, anchors: anchors, at: seconds)
      return .verified
    } catch {
      return .wrong("\(error)")
    }
  }
}
