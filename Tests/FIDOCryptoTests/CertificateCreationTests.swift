import FIDOCrypto
import Octets
import Testing

@Suite("Making certificates and verifying chains")
struct CertificateCreationTests {
  static let start: Int64 = 1_767_225_600
  static let end: Int64 = 4_102_444_800
  static let aaguid = [UInt8](0..<16)
  static let subject = CertificateName(country: "FR", organization: "Example", commonName: "Example Key")

  /// An authority and a leaf that it issued.
  struct Pair {
    let authority: Certificate
    let authorityKey: SigningKey
    let leaf: Certificate
    let leafKey: SigningKey

    init(end: Int64 = CertificateCreationTests.end, algorithm: SignatureAlgorithm = .es256) throws {
      authorityKey = try TestKeys.key(algorithm)
      leafKey = try SigningKey.generate(.es256)
      authority = try Certificate.makeAuthority(
        key: authorityKey,
        subject: CertificateName(
          country: "FR", organization: "Example", organizationalUnit: "Authority", commonName: "Example Root"),
        serialNumber: [1], notBefore: CertificateCreationTests.start, notAfter: CertificateCreationTests.end)
      leaf = try Certificate.makeAttestation(
        key: leafKey, subject: CertificateCreationTests.subject, aaguid: CertificateCreationTests.aaguid,
        serialNumber: [2], notBefore: CertificateCreationTests.start, notAfter: end,
        issuer: CertificateIssuer(certificate: authority, key: authorityKey))
    }
  }

  @Test("an attestation certificate meets the rules of WebAuthn 8.2.1", arguments: SignatureAlgorithm.allCases)
  func rules(_ algorithm: SignatureAlgorithm) throws {
    let key = try TestKeys.key(algorithm)
    let certificate = try Certificate.makeAttestation(
      key: key, subject: Self.subject, aaguid: Self.aaguid, serialNumber: SystemRandom().bytes(16),
      notBefore: Self.start, notAfter: Self.end)
    #expect(certificate.version == 3)
    #expect(
      certificate.subject == ["C": "FR", "O": "Example", "OU": "Authenticator Attestation", "CN": "Example Key"])
    #expect(certificate.issuer == certificate.subject)
    #expect(!certificate.isCA)
    #expect(certificate.extensionValue(oid: "2.5.29.19") == [0x30, 0x00])
    #expect(certificate.extensionValue(oid: "1.3.6.1.4.1.45724.1.1.4") == [0x04, 0x10] + Self.aaguid)
    #expect(certificate.extensionIsCritical(oid: "1.3.6.1.4.1.45724.1.1.4") == false)
    #expect(certificate.notBefore == Self.start)
    #expect(certificate.notAfter == Self.end)
    #expect(try certificate.publicKey() == key.publicKey())
    #expect(certificate.issuedBy(certificate))
  }

  @Test("without an AAGUID the extension is left out")
  func withoutAAGUID() throws {
    let certificate = try Certificate.makeAttestation(
      key: TestKeys.key(.es256), subject: Self.subject, aaguid: nil, serialNumber: [1], notBefore: Self.start,
      notAfter: Self.end)
    #expect(certificate.extensionValue(oid: Certificate.aaguidExtension) == nil)
  }

  @Test("an authority issues leaves that verify", arguments: SignatureAlgorithm.allCases)
  func issued(_ algorithm: SignatureAlgorithm) throws {
    let pair = try Pair(algorithm: algorithm)
    #expect(pair.authority.isCA)
    #expect(pair.leaf.issuedBy(pair.authority))
    #expect(pair.leaf.issuer == pair.authority.subject)
    #expect(throws: Never.self) {
      try Certificate.verifyChain([pair.leaf], anchors: [pair.authority], at: Self.start)
    }
  }

  @Test(
    "times from before 1970 and after 2050 are kept", arguments: [-1, 0, 2_524_608_000, 253_402_300_799] as [Int64])
  func times(_ seconds: Int64) throws {
    let certificate = try Certificate.makeAttestation(
      key: TestKeys.key(.es256), subject: Self.subject, aaguid: nil, serialNumber: [1], notBefore: min(seconds, 0),
      notAfter: seconds)
    #expect(certificate.notBefore == min(seconds, 0))
    #expect(certificate.notAfter == seconds)
  }

  @Test("what a certificate cannot hold is refused")
  func refused() throws {
    let key = try TestKeys.key(.es256)
    func make(
      _ subject: CertificateName = Self.subject, aaguid: [UInt8]? = nil, serial: [UInt8] = [1], end: Int64 = Self.end
    ) throws {
      _ = try Certificate.makeAttestation(
        key: key, subject: subject, aaguid: aaguid, serialNumber: serial, notBefore: Self.start, notAfter: end)
    }
    #expect(throws: CryptoError.invalidLength(what: "AAGUID", expected: 16, found: 15)) {
      try make(aaguid: [UInt8](repeating: 0, count: 15))
    }
    #expect(throws: CryptoError.invalidLength(what: "serial number", expected: 1, found: 0)) { try make(serial: []) }
    #expect(throws: CryptoError.invalidLength(what: "serial number", expected: 1, found: 0)) {
      try make(serial: [0, 0])
    }
    #expect(throws: CryptoError.invalidLength(what: "serial number", expected: 20, found: 21)) {
      try make(serial: [0x80] + [UInt8](repeating: 0, count: 19))
    }
    #expect(throws: Never.self) { try make(serial: [0x7f] + [UInt8](repeating: 0, count: 19)) }
    for country in ["", "F", "FRA"] {
      #expect(throws: CryptoError.self) {
        try make(CertificateName(country: country, organization: "Example", commonName: "Key"))
      }
    }
    #expect(throws: CryptoError.self) {
      try make(CertificateName(country: "FR", organization: String(repeating: "x", count: 65), commonName: "Key"))
    }
    #expect(throws: CryptoError.self) { try make(end: Int64.max) }
  }

  @Test("a failure inside OpenSSL arrives with its operation and its reasons")
  func reasons() throws {
    let error = #expect(throws: CryptoError.self) {
      _ = try Certificate.makeAttestation(
        key: TestKeys.key(.es256),
        subject: CertificateName(country: "FRA", organization: "Example", commonName: "Key"), aaguid: nil,
        serialNumber: [1], notBefore: Self.start, notAfter: Self.end)
    }
    #expect(error == .openSSL(operation: "set C", reasons: ["string too long"]))
  }

  @Test("a chain over an intermediate verifies, without it not")
  func intermediate() throws {
    let root = try Pair()
    let middleKey = try SigningKey.generate(.es384)
    // The leaf of a chain of three is issued by an authority that the root issued.
    let middle = try Certificate.makeAuthority(
      key: middleKey,
      subject: CertificateName(
        country: "FR", organization: "Example", organizationalUnit: "Middle", commonName: "Example Middle"),
      serialNumber: [3], notBefore: Self.start, notAfter: Self.end,
      issuer: CertificateIssuer(certificate: root.authority, key: root.authorityKey))
    let leaf = try Certificate.makeAttestation(
      key: TestKeys.key(.eddsa), subject: Self.subject, aaguid: nil, serialNumber: [4], notBefore: Self.start,
      notAfter: Self.end, issuer: CertificateIssuer(certificate: middle, key: middleKey))
    #expect(middle.isCA)
    #expect(throws: Never.self) {
      try Certificate.verifyChain([leaf, middle], anchors: [root.authority], at: Self.start)
    }
    #expect(throws: Never.self) { try Certificate.verifyChain([leaf], anchors: [middle], at: Self.start) }
    #expect(throws: CryptoError.self) {
      try Certificate.verifyChain([leaf], anchors: [root.authority], at: Self.start)
    }
  }

  @Test("a leaf that is itself the anchor is trusted")
  func leafAsAnchor() throws {
    let pair = try Pair()
    #expect(throws: Never.self) { try Certificate.verifyChain([pair.leaf], anchors: [pair.leaf], at: Self.start) }
  }

  @Test("a chain is valid from its first to its last second and not beyond")
  func validity() throws {
    let pair = try Pair(end: Self.start + 100)
    func verify(at seconds: Int64) throws {
      try Certificate.verifyChain([pair.leaf], anchors: [pair.authority], at: seconds)
    }
    #expect(throws: Never.self) { try verify(at: Self.start + 99) }
    #expect(throws: CryptoError.invalidCertificate("certificate has expired")) { try verify(at: Self.start + 101) }
    #expect(throws: CryptoError.invalidCertificate("certificate is not yet valid")) { try verify(at: Self.start - 1) }
  }

  @Test("unrelated, empty, too long and forged chains are refused")
  func refusedChains() throws {
    let pair = try Pair()
    let stranger = try Certificate.makeAuthority(
      key: SigningKey.generate(.es256),
      subject: CertificateName(
        country: "FR", organization: "Example", organizationalUnit: "Authority", commonName: "Example Root"),
      serialNumber: [1], notBefore: Self.start, notAfter: Self.end)
    #expect(!pair.leaf.issuedBy(stranger), "the name fits but not the key")
    #expect(throws: CryptoError.self) {
      try Certificate.verifyChain([pair.leaf], anchors: [stranger], at: Self.start)
    }
    #expect(throws: CryptoError.self) { try Certificate.verifyChain([pair.leaf], anchors: [], at: Self.start) }
    #expect(throws: CryptoError.self) {
      // Sending the authority along does not make it trusted.
      try Certificate.verifyChain([pair.leaf, pair.authority], anchors: [], at: Self.start)
    }
    #expect(throws: CryptoError.invalidCertificate("the chain is empty")) {
      try Certificate.verifyChain([], anchors: [pair.authority], at: Self.start)
    }
    #expect(throws: CryptoError.invalidCertificate("a chain of 9 certificates is too long")) {
      try Certificate.verifyChain(
        [Certificate](repeating: pair.leaf, count: 9), anchors: [pair.authority], at: Self.start)
    }
  }

  @Test("a leaf that is no authority cannot issue")
  func leafAsIssuer() throws {
    let pair = try Pair()
    let forged = try Certificate.makeAttestation(
      key: TestKeys.key(.eddsa), subject: Self.subject, aaguid: nil, serialNumber: [9], notBefore: Self.start,
      notAfter: Self.end, issuer: CertificateIssuer(certificate: pair.leaf, key: pair.leafKey))
    #expect(forged.issuedBy(pair.leaf), "the signature itself is right")
    #expect(throws: CryptoError.self) {
      try Certificate.verifyChain([forged, pair.leaf], anchors: [pair.authority], at: Self.start)
    }
  }
}
