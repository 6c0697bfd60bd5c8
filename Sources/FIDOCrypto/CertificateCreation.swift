import COpenSSL

/// The name of a certificate's subject.
public struct CertificateName: Hashable, Sendable {
  /// C: an ISO 3166 code of two letters.
  public var country: String
  /// O: the legal name of the organisation.
  public var organization: String
  /// OU, fixed by WebAuthn for attestation certificates.
  public var organizationalUnit: String
  /// CN: a name of the maker's choice.
  public var commonName: String

  /// Creates a name; the unit is the one that WebAuthn §8.2.1 asks of attestation certificates.
  public init(
    country: String, organization: String, organizationalUnit: String = "Authenticator Attestation", commonName: String
  ) {
    self.country = country
    self.organization = organization
    self.organizationalUnit = organizationalUnit
    self.commonName = commonName
  }
}

/// Who signs a certificate: the authority's certificate and its key.
public struct CertificateIssuer: Sendable {
  /// The authority's certificate.
  public let certificate: Certificate
  /// The key that the certificate is for.
  public let key: SigningKey

  /// Creates an issuer.
  public init(certificate: Certificate, key: SigningKey) {
    self.certificate = certificate
    self.key = key
  }
}

extension Certificate {
  /// The dotted number of id-fido-gen-ce-aaguid, whose value is an OCTET STRING of the AAGUID (WebAuthn §8.2.1).
  public static let aaguidExtension = "1.3.6.1.4.1.45724.1.1.4"

  /// Makes a certificate for packed attestation (WebAuthn §8.2.1): version 3, no authority, with the AAGUID if given.
  ///
  /// - Parameters:
  ///   - key: The attestation key, which also signs where there is no issuer.
  ///   - subject: The subject's name.
  ///   - aaguid: The model's 16 bytes, or nil to leave the extension out.
  ///   - serialNumber: A positive big-endian number of at most 20 bytes once encoded.
  ///   - notBefore: The first valid second, since 1970 UTC.
  ///   - notAfter: The last valid second, since 1970 UTC.
  ///   - issuer: The authority; nil makes a self-signed certificate.
  /// - Throws: `invalidLength` for an AAGUID or serial number of the wrong size, else OpenSSL's reasons.
  public static func makeAttestation(
    key: SigningKey, subject: CertificateName, aaguid: [UInt8]?, serialNumber: [UInt8], notBefore: Int64,
    notAfter: Int64, issuer: CertificateIssuer? = nil
  ) throws(CryptoError) -> Certificate {
    var extensions = [CertificateBuilder.Extension(oid: "2.5.29.19", critical: true, value: [0x30, 0x00])]
    if let aaguid {
      guard aaguid.count == 16 else { throw .invalidLength(what: "AAGUID", expected: 16, found: aaguid.count) }
      extensions.append(.init(oid: aaguidExtension, critical: false, value: [0x04, 0x10] + aaguid))
    }
    let builder = CertificateBuilder(
      key: key, subject: subject, serialNumber: serialNumber, notBefore: notBefore, notAfter: notAfter,
      extensions: extensions)
    return try builder.sign(issuer)
  }

  /// Makes the certificate of an authority that can issue attestation certificates, itself self-signed or issued.
  ///
  /// Parameters and errors are as for `makeAttestation`.
  public static func makeAuthority(
    key: SigningKey, subject: CertificateName, serialNumber: [UInt8], notBefore: Int64, notAfter: Int64,
    issuer: CertificateIssuer? = nil
  ) throws(CryptoError) -> Certificate {
    // The identifier is the first 160 bits of SHA-256 over the key (RFC 7093 §2).
    let identifier = Digest.sha256(try key.publicKey().subjectPublicKeyInfo()).prefix(20)
    let builder = CertificateBuilder(
      key: key, subject: subject, serialNumber: serialNumber, notBefore: notBefore, notAfter: notAfter,
      extensions: [
        .init(oid: "2.5.29.19", critical: true, value: [0x30, 0x03, 0x01, 0x01, 0xff]),
        // Key usage: certificates and revocation lists may be signed.
        .init(oid: "2.5.29.15", critical: true, value: [0x03, 0x02, 0x01, 0x06]),
        .init(oid: "2.5.29.14", critical: false, value: [0x04, 0x14] + identifier),
      ])
    return try builder.sign(issuer)
  }
}
