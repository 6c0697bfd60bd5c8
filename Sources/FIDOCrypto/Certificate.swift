import COpenSSL

/// An X.509 certificate (RFC 5280), read from DER and never changed.
///
/// Whatever OpenSSL can read is accepted, odd serial numbers among it, because attestation certificates in the field
/// break many rules; the checks that matter are made by who uses it. Equality is equality of the DER.
public struct Certificate: Sendable {
  let handle: CertificateHandle

  /// The encoding that was read.
  public let der: [UInt8]
  /// The version as people count it: 3 for a certificate with extensions.
  public let version: Int
  /// The subject's attributes by short name (C, O, OU, CN) or dotted number; of several alike, the first.
  public let subject: [String: String]
  /// The issuer's attributes, as in `subject`.
  public let issuer: [String: String]
  /// Whether basic constraints are present and say that this is a certificate authority.
  public let isCA: Bool
  /// When the certificate becomes valid, in seconds since 1970 UTC.
  public let notBefore: Int64
  /// When the certificate stops being valid, in seconds since 1970 UTC.
  public let notAfter: Int64

  /// Reads a certificate that is the whole of `der`.
  ///
  /// - Throws: `invalidCertificate`.
  public init(der: [UInt8]) throws(CryptoError) {
    handle = try CertificateHandle(der: der)
    self.der = der
    version = handle.version
    subject = handle.subject()
    issuer = handle.issuer()
    isCA = handle.isCA
    notBefore = try handle.notBefore()
    notAfter = try handle.notAfter()
  }

  /// The key that the certificate is for.
  ///
  /// - Throws: `invalidKey` or `unsupported` for a key that is not one of `PublicKey`.
  public func publicKey() throws(CryptoError) -> PublicKey { try handle.pkey().publicKey() }

  /// The content of an extension by its dotted number, without the OCTET STRING around it; nil where there is none.
  public func extensionValue(oid: String) -> [UInt8]? { handle.extensionValue(oid: oid)?.value }

  /// Whether an extension is marked critical; nil where there is none.
  public func extensionIsCritical(oid: String) -> Bool? { handle.extensionValue(oid: oid)?.critical }

  /// Whether `other` is named as the issuer and its key signed this certificate; validity times are not looked at.
  public func issuedBy(_ other: Certificate) -> Bool { handle.isIssued(by: other.handle) }
}

extension Certificate: Hashable {
  /// Whether both are the same bytes.
  public static func == (left: Certificate, right: Certificate) -> Bool { left.der == right.der }

  /// Hashes the bytes.
  public func hash(into hasher: inout Hasher) { hasher.combine(der) }
}
