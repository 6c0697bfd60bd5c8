import Attestation
import CBOR
import CTAPMessages
import FIDOCrypto
import JSONText
import Octets
import Testing

@testable import FIDOCrypto

/// A credential's key and the authenticator data that it is in.
struct MadeCredential {
  let key: SigningKey
  let authData: AuthenticatorData
  static let hash = Digest.sha256([1, 2, 3])
  static let model = AAGUID(Array(1...16)) ?? .zero

  init(_ algorithm: SignatureAlgorithm = .es256) throws {
    key = try SigningKey.generate(algorithm)
    let material: COSEKey.Material
    switch try key.publicKey() {
    case .elliptic(let curve, let x, let y):
      material = .ec2(curve: curve == .p256 ? 1 : curve == .p384 ? 2 : 3, x: x, y: y)
    case .ed25519(let x): material = .okp(curve: 6, x: x)
    case .ed448(let x): material = .okp(curve: 7, x: x)
    case .rsa(let n, let e): material = .rsa(n: n, e: e)
    }
    authData = try AuthenticatorData(
      rpIDHash: Digest.sha256(Array("example.org".utf8)), flags: .userPresent, signCount: 1,
      attestedCredential: AttestedCredential(
        aaguid: Self.model, credentialID: [9, 9], publicKey: COSEKey(material, alg: algorithm.rawValue)))
  }

  var signed: [UInt8] { authData.encoded() + Self.hash }

  func report(_ fmt: String, _ statement: CBORMap) -> AttestationReport {
    AttestationReport(
      AttestationObject(fmt: fmt, attStmt: statement, authData: authData), clientDataHash: Self.hash)
  }
}

extension Certificate {
  static let name = CertificateName(
    country: "AA", organization: "Maker", organizationalUnit: "Authenticator Attestation", commonName: "Key")

  /// A self-signed certificate with extensions of the test's choice.
  static func made(
    _ key: SigningKey, subject: CertificateName = name, _ extensions: [(oid: String, critical: Bool, value: [UInt8])]
  ) throws -> Certificate {
    try CertificateBuilder(
      key: key, subject: subject, serialNumber: [1], notBefore: 0, notAfter: 4_000_000_000,
      extensions: extensions.map { .init(oid: $0.oid, critical: $0.critical, value: $0.value) }
    ).sign(nil)
  }
}

/// DER of elements below 128 bytes.
func der(_ tag: [UInt8], _ content: [UInt8]...) -> [UInt8] {
  let content = content.flatMap { $0 }
  return tag + [UInt8(content.count)] + content
}

/// The reason of a verdict that something is wrong.
func reason(_ verdict: AttestationVerdict) -> String? {
  if case .wrong(let reason) = verdict { reason } else { nil }
}
