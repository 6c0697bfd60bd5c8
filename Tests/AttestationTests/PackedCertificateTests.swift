import Attestation
import CBOR
import CTAPMessages
import FIDOCrypto
import Testing

@Suite("The rules for packed attestation certificates")
struct PackedCertificateTests {
  static let notAuthority = (oid: "2.5.29.19", critical: true, value: [0x30, 0x00] as [UInt8])
  static let aaguid = "1.3.6.1.4.1.45724.1.1.4"

  private static func report(
    subject: CertificateName = Certificate.name, _ extensions: [(oid: String, critical: Bool, value: [UInt8])]
  ) throws -> AttestationReport {
    let credential = try MadeCredential()
    let key = try SigningKey.generate(.es256)
    let leaf = try Certificate.made(key, subject: subject, extensions)
    let report = credential.report(
      "packed", ["alg": -7, "sig": .bytes(try key.sign(credential.signed)), "x5c": .array([.bytes(leaf.der)])])
    #expect(report.binding == .verified)
    #expect(report.kind == .certified)
    return report
  }

  @Test("pass a certificate that keeps them, with its model and without")
  func whole() throws {
    #expect(try Self.report([Self.notAuthority]).certificate == .verified)
    let model = (oid: Self.aaguid, critical: false, value: [0x04, 0x10] + MadeCredential.model.bytes)
    #expect(try Self.report([Self.notAuthority, model]).certificate == .verified)
  }

  @Test("find another model, a critical one and one that is no model")
  func model() throws {
    let values: [(critical: Bool, value: [UInt8], words: String)] = [
      (false, [0x04, 0x10] + [UInt8](repeating: 7, count: 16), "it is for the model 07070707"),
      (true, [0x04, 0x10] + MadeCredential.model.bytes, "its AAGUID extension is critical"),
      (false, MadeCredential.model.bytes, "does not hold 16 bytes"),
      (false, [0x04, 0x0f] + [UInt8](repeating: 7, count: 15), "does not hold 16 bytes"),
      (false, [0x04, 0x10] + MadeCredential.model.bytes + [0], "does not hold 16 bytes"),
    ]
    for value in values {
      let found = try Self.report([Self.notAuthority, (Self.aaguid, value.critical, value.value)]).certificate
      #expect(reason(found)?.contains(value.words) == true, "\(found)")
    }
  }

  @Test("find an authority, and a certificate that does not say that it is none")
  func authority() throws {
    let authority = try Self.report([("2.5.29.19", true, [0x30, 0x03, 0x01, 0x01, 0xff])]).certificate
    #expect(authority == .wrong("it is an authority's, by its basic constraints"))
    #expect(try Self.report([]).certificate == .wrong("it has no basic constraints"))
  }

  @Test("find a subject without what it must have")
  func subject() throws {
    let unit = CertificateName(
      country: "AA", organization: "Maker", organizationalUnit: "Attestation", commonName: "Key")
    #expect(
      try Self.report(subject: unit, [Self.notAuthority]).certificate
        == .wrong("its subject's OU is not \"Authenticator Attestation\""))
    let country = CertificateName(
      country: "a1", organization: "Maker", organizationalUnit: "Authenticator Attestation", commonName: "Key")
    #expect(
      try Self.report(subject: country, [Self.notAuthority]).certificate
        == .wrong("its subject's C is not a country's two letters"))
  }

  @Test("find all that is wrong at once")
  func several() throws {
    let unit = CertificateName(country: "AA", organization: "Maker", organizationalUnit: "x", commonName: "Key")
    let found = try Self.report(subject: unit, []).certificate
    #expect(reason(found)?.contains("; ") == true, "\(found)")
  }

  @Test("have nothing to say of self attestation, of none and of formats that are not known")
  func others() throws {
    let credential = try MadeCredential()
    let own = credential.report("packed", ["alg": -7, "sig": .bytes(try credential.key.sign(credential.signed))])
    #expect(own.kind == .selfSigned && own.binding == .verified && own.certificate == .nothingToCheck)
    #expect(own.trust(anchors: [], at: 0) == .nothingToCheck)
    #expect(credential.report("none", [:]).kind == .none)
    #expect(
      reason(credential.report("none", ["alg": -7]).binding) == "the format is \"none\", and the statement is not empty"
    )
    #expect(credential.report("vendor-2031", [:]).kind == .unknown)
  }

  @Test("say that a certificate cannot be read")
  func unreadable() throws {
    let report = try MadeCredential().report(
      "packed", ["alg": -7, "sig": .bytes([1]), "x5c": .array([.bytes([0x30, 0x00])])])
    guard case .notCheckable = report.certificate else {
      Issue.record("\(report.certificate)")
      return
    }
    #expect(reason(report.trust(anchors: [], at: 0)) != nil)
  }

  @Test("refuse a chain that is too long before reading all of it")
  func longChain() throws {
    let key = try SigningKey.generate(.es256)
    let leaf = try Certificate.made(key, [Self.notAuthority])
    let report = try MadeCredential().report(
      "packed", ["alg": -7, "sig": .bytes([1]), "x5c": .array(Array(repeating: .bytes(leaf.der), count: 5000))])
    #expect(reason(report.trust(anchors: [leaf], at: 1))?.contains("too long") == true)
  }
}
