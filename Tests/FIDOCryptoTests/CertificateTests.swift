import FIDOCrypto
import Octets
import Testing

/// What the WebAuthn vectors hold of keys, certificates and signatures.
struct WebAuthnVectors: Decodable, Sendable {
  struct Key: Decodable, Sendable {
    let x: String?
    let y: String?
    let raw: String?
    let modulus: String?
    let exponent: String?
  }

  struct Signed: Decodable, Sendable {
    let algorithm: String
    let message: String
    let signature: String
  }

  struct Case: Decodable, Sendable, CustomTestStringConvertible {
    let id: String
    let format: String
    let algorithm: String
    let publicKey: Key
    let aaguid: String
    let x5c: [String]
    let privateKey: String?
    let attestationPrivateKey: String?
    let attestation: Signed?
    let assertion: Signed?
    var testDescription: String { id }

    /// The credential's public key.
    func key() throws -> PublicKey {
      switch SignatureAlgorithm(named: algorithm) {
      case .eddsa: .ed25519(hex(try #require(publicKey.raw)))
      case .ed448: .ed448(hex(try #require(publicKey.raw)))
      case .rs256, .ps256:
        .rsa(modulus: hex(try #require(publicKey.modulus)), exponent: hex(try #require(publicKey.exponent)))
      case let other:
        .elliptic(try #require(other.curve), x: hex(try #require(publicKey.x)), y: hex(try #require(publicKey.y)))
      }
    }
  }

  let authority: String
  let cases: [Case]

  static let all: WebAuthnVectors = vectors("webauthn-l3")
  static let withCertificates = all.cases.filter { !$0.x5c.isEmpty }
}

@Suite("Certificates")
struct CertificateTests {
  /// 2024-01-01T00:00:00Z and 3024-01-01T00:00:00Z, the validity of all certificates of the vectors.
  static let start: Int64 = 1_704_067_200
  static let end: Int64 = 33_260_976_000

  @Test("the vectors hold all fifteen attestations")
  func complete() {
    #expect(WebAuthnVectors.all.cases.count == 15)
    #expect(
      Set(WebAuthnVectors.withCertificates.map(\.format)) == ["packed", "tpm", "android-key", "apple", "fido-u2f"])
  }

  @Test("the vectors' private keys have the credentials' public keys", arguments: WebAuthnVectors.all.cases)
  func privateKeys(_ vector: WebAuthnVectors.Case) throws {
    guard let raw = vector.privateKey else {
      #expect(vector.algorithm == "rs256")
      return
    }
    let key = try SigningKey(rawPrivateKey: secret(raw), algorithm: SignatureAlgorithm(named: vector.algorithm))
    #expect(try key.publicKey() == vector.key())
  }

  @Test("the vectors' assertions verify with the credentials' keys", arguments: WebAuthnVectors.all.cases)
  func assertions(_ vector: WebAuthnVectors.Case) throws {
    let signed = try #require(vector.assertion)
    let algorithm = SignatureAlgorithm(named: signed.algorithm)
    let key = try vector.key()
    #expect(try key.verifies(hex(signed.signature), of: hex(signed.message), algorithm: algorithm))
    #expect(try !key.verifies(hex(signed.signature), of: flipping(0, of: hex(signed.message)), algorithm: algorithm))
    #expect(try PublicKey(subjectPublicKeyInfo: key.subjectPublicKeyInfo()) == key)
  }

  @Test("attestation certificates are read and lead to the authority", arguments: WebAuthnVectors.withCertificates)
  func chains(_ vector: WebAuthnVectors.Case) throws {
    let authority = try Certificate(der: hex(WebAuthnVectors.all.authority))
    let leaf = try Certificate(der: hex(try #require(vector.x5c.first)))
    #expect(leaf.version == 3)
    #expect(!leaf.isCA)
    #expect(leaf.notBefore == Self.start)
    #expect(leaf.notAfter == Self.end)
    #expect(leaf.issuer == authority.subject)
    #expect(leaf.issuedBy(authority))
    #expect(!leaf.issuedBy(leaf))
    #expect(!authority.issuedBy(leaf))
    #expect(throws: Never.self) {
      try Certificate.verifyChain([leaf], anchors: [authority], at: Self.start)
    }
    if vector.format == "tpm" {
      #expect(leaf.subject.isEmpty)
    } else {
      #expect(
        leaf.subject == [
          "C": "AA", "O": "W3C", "OU": "Authenticator Attestation", "CN": "WebAuthn test vectors",
        ])
    }
    if let raw = vector.attestationPrivateKey {
      let key = try SigningKey(rawPrivateKey: secret(raw), algorithm: .es256)
      #expect(try leaf.publicKey() == key.publicKey())
    }
    if let aaguid = leaf.extensionValue(oid: Certificate.aaguidExtension) {
      #expect(Hex.encode(aaguid) == "0410" + vector.aaguid)
      #expect(leaf.extensionIsCritical(oid: Certificate.aaguidExtension) == false)
    }
  }

  @Test("attestation signatures verify with the certificate's key", arguments: WebAuthnVectors.all.cases)
  func attestations(_ vector: WebAuthnVectors.Case) throws {
    guard let signed = vector.attestation else {
      #expect(["none", "apple"].contains(vector.format))
      return
    }
    let key = try vector.x5c.first.map { try Certificate(der: hex($0)).publicKey() } ?? vector.key()
    let algorithm = SignatureAlgorithm(named: signed.algorithm)
    #expect(try key.verifies(hex(signed.signature), of: hex(signed.message), algorithm: algorithm))
    #expect(try !key.verifies(hex(signed.signature), of: hex(signed.message) + [0], algorithm: algorithm))
  }

  @Test("the authority's certificate is read")
  func authority() throws {
    let authority = try Certificate(der: hex(WebAuthnVectors.all.authority))
    #expect(authority.isCA)
    #expect(authority.subject["OU"] == "Authenticator Attestation CA")
    #expect(authority.issuedBy(authority))
    #expect(authority.extensionValue(oid: "2.5.29.19") == hex("30030101ff"))
    #expect(authority.extensionIsCritical(oid: "2.5.29.19") == true)
    #expect(authority.extensionValue(oid: "1.2.3.4") == nil)
    #expect(authority.extensionIsCritical(oid: "1.2.3.4") == nil)
    #expect(authority.extensionValue(oid: "not a number") == nil)
    #expect(authority == (try Certificate(der: authority.der)))
    #expect(Set([authority, try Certificate(der: authority.der)]).count == 1)
  }

  @Test("a certificate cut at any byte is refused, and so is one with a byte after it")
  func truncated() throws {
    let der = hex(WebAuthnVectors.all.authority)
    for count in 0..<der.count {
      let error = #expect(throws: CryptoError.self) { _ = try Certificate(der: Array(der.prefix(count))) }
      guard case .invalidCertificate = error else {
        Issue.record("\(count): \(String(describing: error))")
        return
      }
    }
    #expect(throws: CryptoError.invalidCertificate("1 bytes after the certificate")) {
      _ = try Certificate(der: der + [0])
    }
    #expect(throws: CryptoError.invalidCertificate("65537 bytes are too many")) {
      _ = try Certificate(der: [UInt8](repeating: 0, count: 65537))
    }
  }

  @Test("no changed byte of a certificate crashes, and none stays issued by the authority")
  func mutated() throws {
    let authority = try Certificate(der: hex(WebAuthnVectors.all.authority))
    let der = hex(try #require(WebAuthnVectors.withCertificates.first?.x5c.first))
    for position in der.indices {
      for value in [0x00, 0x7f, 0x80, 0xff, der[position] ^ 1] as [UInt8] where value != der[position] {
        var changed = der
        changed[position] = value
        guard let certificate = try? Certificate(der: changed) else { continue }
        _ = try? certificate.publicKey()
        #expect(!certificate.issuedBy(authority), "byte \(position) as \(value)")
      }
    }
  }

  struct Odd: Decodable, Sendable, CustomTestStringConvertible {
    let name: String
    let der: String
    let keyIsHandled: Bool
    var testDescription: String { name }
  }

  struct OddFile: Decodable {
    let signedWithSHA1: String
    let itsAuthority: String
    let certificates: [Odd]
  }

  @Test("odd certificates are read", arguments: vectors("odd-certificates", as: OddFile.self).certificates)
  func odd(_ vector: Odd) throws {
    let certificate = try Certificate(der: hex(vector.der))
    #expect(certificate.version == 3)
    // They are self-signed; a key that is not handled verifies nothing.
    #expect(certificate.issuedBy(certificate) == vector.keyIsHandled)
    if vector.keyIsHandled {
      #expect(throws: Never.self) { _ = try certificate.publicKey() }
    } else {
      #expect(throws: CryptoError.self) { _ = try certificate.publicKey() }
      #expect(throws: CryptoError.self) {
        try Certificate.verifyChain([certificate], anchors: [certificate], at: certificate.notBefore)
      }
    }
  }

  @Test("a chain with a signature by SHA-1 is refused")
  func sha1() throws {
    let file = vectors("odd-certificates", as: OddFile.self)
    let leaf = try Certificate(der: hex(file.signedWithSHA1))
    let authority = try Certificate(der: hex(file.itsAuthority))
    #expect(leaf.issuedBy(authority))
    #expect(throws: CryptoError.invalidCertificate("CA signature digest algorithm too weak")) {
      try Certificate.verifyChain([leaf], anchors: [authority], at: leaf.notBefore)
    }
  }

  @Test("of several alike attributes the first counts")
  func firstAttribute() throws {
    let vector = try #require(
      vectors("odd-certificates", as: OddFile.self).certificates.first { $0.name.contains("two common names") })
    #expect(try Certificate(der: hex(vector.der)).subject == ["CN": "first"])
  }
}
