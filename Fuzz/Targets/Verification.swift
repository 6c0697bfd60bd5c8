import Attestation
import CBOR
import CTAPMessages
import FIDOCrypto
import JSONText
import Octets
import RelyingParty

extension FuzzTarget {
  /// What a relying party looks at.
  static let verification = [
    FuzzTarget("attestation", attestation), FuzzTarget("certificate", certificate),
    FuzzTarget("trust-anchors", trustAnchors), FuzzTarget("verify-registration", registration),
    FuzzTarget("verify-sign-in", signIn),
  ]

  private static let policy = RelyingPartyPolicy(
    origins: ["https://example.org"], topOrigins: ["https://example.com"], time: 1_767_225_600)

  private static func attestation(_ bytes: [UInt8]) {
    guard let value = try? CBORDecoder.decode(bytes), let object = try? AttestationObject(cbor: value) else { return }
    let report = AttestationReport(object, clientDataHash: Digest.sha256([]))
    _ = report.trust(anchors: [], at: 1_767_225_600)
    mustHold(
      AttestationCheck.verify(
        fmt: object.fmt, attStmt: object.attStmt, authData: object.authData, clientDataHash: Digest.sha256([]))
        == report.binding || object.fmt == "none", "two looks at one statement differ")
  }

  private static func certificate(_ bytes: [UInt8]) {
    _ = try? PublicKey(subjectPublicKeyInfo: bytes)
    guard let certificate = try? Certificate(der: bytes) else { return }
    mustHold(certificate.der == bytes, "its encoding changed")
    _ = try? certificate.publicKey()
    for oid in ["2.5.29.17", "2.5.29.19", "2.5.29.37", Certificate.aaguidExtension] {
      _ = certificate.extensionValue(oid: oid)
    }
    _ = certificate.issuedBy(certificate)
    try? Certificate.verifyChain([certificate], anchors: [certificate], at: 1_767_225_600)
  }

  private static func trustAnchors(_ bytes: [UInt8]) { _ = try? TrustAnchors.read(bytes) }

  /// A registration's response, whose client data's challenge is of one byte.
  private static func registration(_ bytes: [UInt8]) {
    _ = try? CredentialRecord(parsing: bytes)
    _ = try? RegistrationRequest(parsing: bytes)
    guard let response = try? ReceivedRegistration(parsing: bytes) else { return }
    let request = RegistrationRequest(
      challenge: [1], relyingPartyID: "example.org", userID: [1], algorithms: [-7, -8, -257],
      requiresUserVerification: false)
    let found = response.verify(request, policy)
    mustHold(found.passed == (found.credential != nil), "a credential without passing, or the other way round")
    _ = found.json.serialized(pretty: true)
  }

  private static func signIn(_ bytes: [UInt8]) {
    _ = try? AuthenticationRequest(parsing: bytes)
    guard let response = try? ReceivedAuthentication(parsing: bytes), let credential else { return }
    let request = AuthenticationRequest(
      challenge: [1], relyingPartyID: "example.org", requiresUserVerification: false)
    mustHold(!response.verify(request, policy, credential: credential).passed, "a signature was forged")
  }

  private static let credential = try? CredentialRecord(
    parsing: Array(
      #"{"credential":{"id":"AQ","publicKey":"pQECAyYgASFYIGsX0fLhLEJH-Lzm5WOkQPJ3A32BLeszoPShOUXYmMKWIlggT-NC4v4af5uO5-tKfA-eFivOM1drMV7Oy7ZAaDe_UfU","signCount":0,"backupEligible":false,"backedUp":false}}"#
        .utf8))
}
