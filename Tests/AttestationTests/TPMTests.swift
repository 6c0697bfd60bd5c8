import Attestation
import CBOR
import CTAPMessages
import FIDOCrypto
import Octets
import Testing

@Suite("tpm attestation")
struct TPMTests {
  /// A TPM's statement in parts that a test can change before they are signed.
  struct Statement {
    let credential: MadeCredential
    let attester: SigningKey
    var magic: UInt32 = 0xff54_4347
    var type: UInt16 = 0x8017
    var extraData: [UInt8]
    var trailing: [UInt8] = []
    var nameAlgorithm: UInt16 = 0x000b
    var name: [UInt8]?
    /// A restricted key's symmetric algorithm and scheme: none.
    var parameters: [UInt8] = [0x00, 0x10, 0x00, 0x10]
    var areaTrailing: [UInt8] = []
    var areaKey: PublicKey
    var version: CBORValue = "2.0"
    var algorithm = -7

    init(_ algorithm: SignatureAlgorithm = .es256) throws {
      credential = try MadeCredential(algorithm)
      attester = try SigningKey.generate(.es256)
      extraData = Digest.sha256(credential.signed)
      areaKey = try credential.key.publicKey()
    }

    var area: [UInt8] {
      var area: [UInt8] = []
      func sized(_ bytes: [UInt8]) { area.append(bigEndian: UInt16(bytes.count)); area += bytes }
      let isRSA = if case .rsa = areaKey { true } else { false }
      area.append(bigEndian: isRSA ? 0x0001 : 0x0023 as UInt16)
      area.append(bigEndian: nameAlgorithm)
      area += [0, 4, 0, 0]
      sized([])
      area += parameters
      switch areaKey {
      case .elliptic(let curve, let x, let y):
        area += [0, curve == .p256 ? 3 : curve == .p384 ? 4 : 5, 0, 0x10]
        sized(Array(x.drop { $0 == 0 }))
        sized(y)
      case .rsa(let n, _):
        // An exponent of 0 stands for 65537.
        area += [8, 0, 0, 0, 0, 0]
        sized(n)
      default: break
      }
      return area + areaTrailing
    }

    func report(_ change: (inout CBORMap) -> Void = { _ in }) throws -> AttestationReport {
      var info: [UInt8] = []
      func sized(_ bytes: [UInt8]) { info.append(bigEndian: UInt16(bytes.count)); info += bytes }
      info.append(bigEndian: magic)
      info.append(bigEndian: type)
      sized([1, 2])
      sized(extraData)
      info += [UInt8](repeating: 0, count: 25)
      sized(name ?? [0, 0x0b] + Digest.sha256(area))
      sized([])
      info += trailing
      let leaf = try Certificate.made(attester, [])
      var statement: CBORMap = [
        "ver": version, "alg": .int(algorithm), "sig": .bytes(try attester.sign(info)),
        "x5c": .array([.bytes(leaf.der)]), "certInfo": .bytes(info), "pubArea": .bytes(area),
      ]
      change(&statement)
      return credential.report("tpm", statement)
    }
  }

  @Test("verifies keys of each kind that a TPM makes", arguments: [SignatureAlgorithm.es256, .es384, .es512, .rs256])
  func kinds(_ algorithm: SignatureAlgorithm) throws {
    #expect(try Statement(algorithm).report().binding == .verified)
  }

  @Test("reads schemes and symmetric algorithms with their details")
  func schemes() throws {
    var statement = try Statement()
    for parameters: [UInt8] in [
      [0, 0x10, 0, 0x18, 0, 0x0b], [0, 0x10, 0, 0x1a, 0, 0x0b, 0, 1], [0, 6, 0, 128, 0, 0x43, 0, 0x10],
      [0, 0x10, 0, 0x15],
    ] {
      statement.parameters = parameters
      #expect(try statement.report().binding == .verified, "\(parameters)")
    }
  }

  @Test(
    "finds a statement that lacks a member or has the wrong type in one",
    arguments: ["ver", "alg", "sig", "x5c", "certInfo", "pubArea"])
  func incomplete(_ member: String) throws {
    #expect(reason(try Statement().report { $0[.text(member)] = nil }.binding) != nil)
    #expect(reason(try Statement().report { $0[.text(member)] = .array([]) }.binding) != nil)
  }

  @Test("finds what does not come from a TPM or is not for this answer, though it is signed")
  func faults() throws {
    let notCertification = "certInfo is not a TPM's certification"
    let notArea = "pubArea is not a TPM's public area that can be read"
    let cases: [(String, (inout Statement) throws -> Void)] = [
      (notCertification, { $0.magic = 0xff54_4348 }), (notCertification, { $0.type = 0x8018 }),
      (notCertification, { $0.trailing = [0] }), (notArea, { $0.areaTrailing = [0] }),
      (notArea, { $0.areaKey = .ed25519([UInt8](repeating: 1, count: 32)) }),
      (notArea, { $0.areaKey = .elliptic(.p256, x: [UInt8](repeating: 1, count: 33), y: [1]) }),
      ("the TPM certified another answer: its extraData is not the hash of this one", { $0.extraData = [1] }),
      ("the TPM certified another key than the one in pubArea", { $0.name = [0, 0x0b] + Digest.sha256([1]) }),
      ("the key in pubArea is not the credential's", { $0.areaKey = try SigningKey.generate(.es256).publicKey() }),
      ("the TPM's version is not \"2.0\"", { $0.version = "1.2" }),
    ]
    for (words, change) in cases {
      var statement = try Statement()
      try change(&statement)
      #expect(try statement.report().binding == .wrong(words))
    }
    let other = try SigningKey.generate(.es256).sign([1])
    #expect(
      try Statement().report { $0["sig"] = .bytes(other) }.binding
        == .wrong("the attestation signature does not verify"))
  }

  @Test("finds a certification and a public area that end anywhere before their end")
  func truncated() throws {
    for member: CBORValue in ["certInfo", "pubArea"] {
      var whole: [UInt8] = []
      _ = try Statement().report { whole = $0[member]?.bytesValue ?? [] }
      for count in whole.indices {
        let found = try Statement().report { $0[member] = .bytes(Array(whole.prefix(count))) }.binding
        #expect(reason(found) != nil, "\(member) of \(count) bytes")
      }
    }
  }

  @Test("says that it cannot check SHA-1 and algorithms that are not known")
  func notCheckable() throws {
    var statement = try Statement()
    statement.algorithm = -65535
    #expect(try statement.report().binding == .notCheckable("algorithm -65535 is not known"))
    statement = try Statement()
    statement.nameAlgorithm = 0x0004
    #expect(
      try statement.report().binding == .notCheckable("the TPM names keys by a hash that is not supported"))
  }

  @Test("finds a certificate that is not for TPM attestation keys, part by part")
  func certificate() throws {
    let vector = try AttestationCheckTests.w3c("tpm-es256")
    let statement = try #require(vector.statement)
    let leaf = try #require(statement["x5c"]?.arrayValue?.first?.bytesValue)
    func faults(_ old: [UInt8], _ new: [UInt8]) throws -> String? {
      var changed = statement
      let start = try #require(leaf.indices.first { leaf[$0...].starts(with: old) })
      changed["x5c"] = .array([.bytes(Array(leaf[..<start]) + new + leaf[(start + new.count)...])])
      let object = AttestationObject(fmt: "tpm", attStmt: changed, authData: vector.authData)
      return reason(AttestationReport(object, clientDataHash: vector.clientDataHash).certificate)
    }
    #expect(try faults([0x67, 0x81, 0x05, 0x02, 0x01], [0x67, 0x81, 0x05, 0x02, 0x01]) == nil)
    for part: UInt8 in 1...3 {
      #expect(
        try faults([0x67, 0x81, 0x05, 0x02, part], [0x67, 0x81, 0x05, 0x02, 0x09])
          == "its subject alternative name does not name a TPM's maker, model and version")
    }
    #expect(
      try faults([0x67, 0x81, 0x05, 0x08, 0x03], [0x67, 0x81, 0x05, 0x08, 0x01])
        == "its extended key usage is not for TPM attestation keys (2.23.133.8.3)")
    let made = try Statement().report().certificate
    #expect(reason(made)?.contains("its subject is not empty") == true)
    #expect(reason(made)?.contains("it has no basic constraints") == true)
  }
}
