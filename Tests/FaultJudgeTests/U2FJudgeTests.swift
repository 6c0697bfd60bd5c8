import CBOR
import CTAPMessages
import FIDOCrypto
import FaultJudge
import Octets
import Testing
import Timing

@testable import VirtualKey

/// Runs over U2F, as the judge sees them.
struct U2FJudgeTests {
  private static let application = Digest.sha256(Array("bank.example".utf8))

  private static func name(_ commonName: String) -> CertificateName {
    CertificateName(country: "AA", organization: "Test", commonName: commonName)
  }

  private func registration(
    flags: AuthenticatorData.Flags = [.userPresent, .attestedCredential], signsOther: Bool = false
  ) throws -> GoodRun {
    var run = try GoodRun()
    run.task.isU2F = true
    run.log = [
      GoodRun.entry(.u2fCommand(1, GoodRun.channel, size: 73)), GoodRun.entry(.touchAsked(.makeCredential)),
      GoodRun.entry(.touched), made(), GoodRun.entry(.u2fAnswered(1, .noError, size: 300)),
    ]
    guard case .elliptic(_, let x, let y) = try run.key.publicKey() else { throw CryptoError.invalidKey("no point") }
    let credential = try AttestedCredential(
      aaguid: .zero, credentialID: run.id, publicKey: COSEKey(.ec2(curve: COSEKey.Curve.p256, x: x, y: y), alg: -7))
    var data = try AuthenticatorData(
      rpIDHash: Self.application, flags: .userPresent, signCount: 0, attestedCredential: credential)
    if flags.rawValue != data.flags.rawValue {
      var bytes = data.encoded()
      bytes[32] = flags.rawValue
      data = try AuthenticatorData.parse(bytes)
    }
    let (authority, leaf) = (try SigningKey.generate(.es256), try SigningKey.generate(.es256))
    let root = try Certificate.makeAuthority(
      key: authority, subject: Self.name("Root"), serialNumber: [1], notBefore: 0, notAfter: 2_000_000_000)
    let certificate = try Certificate.makeAttestation(
      key: leaf, subject: Self.name("Leaf"), aaguid: nil, serialNumber: [2], notBefore: 0, notAfter: 2_000_000_000,
      issuer: CertificateIssuer(certificate: root, key: authority)
    ).der
    let client = Array((signsOther ? "{}" : run.clientData).utf8)
    let signed = [0] + Self.application + Digest.sha256(client) + run.id + [4] + x + y
    let statement: CBORMap = ["sig": .bytes(try leaf.sign(signed)), "x5c": [.bytes(certificate)]]
    run.outcome = .registration(
      HostReport.Response(
        credentialID: run.id, clientDataJSON: Array(run.clientData.utf8),
        attestationObject: AttestationObject(fmt: "fido-u2f", attStmt: statement, authData: data).cbor().encoded(),
        transports: ["usb"]))
    return run
  }

  private func made(_ application: [UInt8] = application) -> VirtualKeyLogEntry {
    GoodRun.entry(.u2fRegistered(application: application, id: [7, 7, 7]))
  }

  @Test("a registration over U2F is right where it was to be one, and its signature and flags are")
  func right() throws {
    var run = try registration()
    #expect(try run.verdict() == Verdict(result: .right, violations: []))
    run.task.isU2F = false
    #expect(try run.verdict().violations == [.universalSecondFactor])
    #expect(
      try registration(signsOther: true).verdict().violations == [.wrongSuccess("the signature does not verify")])
    #expect(
      try registration(flags: [.userPresent, .userVerified, .attestedCredential]).verdict().violations
        == [.wrongSuccess("U2F has other flags, no model and no counter")])
  }

  @Test("credentials that U2F makes for the site are counted, and those that only ask for a touch are not")
  func counted() throws {
    var run = try registration()
    run.log.append(made())
    #expect(try run.verdict().violations == [.secondCredential(2)])
    run = try registration()
    run.log.append(made([UInt8](repeating: 1, count: 32)))
    #expect(try run.verdict().violations.isEmpty)
    run.outcome = .failure(HostReport.Failure(kind: "timedOut", text: "The time is up.", saysCredentialExists: false))
    #expect(try run.verdict().violations == [.unreportedCredential("The time is up.")])
  }
}
