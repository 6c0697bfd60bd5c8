import CBOR
import CTAPMessages
import FIDOCrypto
import Testing

@testable import VirtualKey

@Suite("attestation")
struct AttestationTests {
  @Test("packed comes with a certificate that its authority vouches for, with the AAGUID, kept in the store")
  func packed() throws {
    let key = try TestKey()
    let made = try key.make(.sample(algorithms: [-8]))
    #expect(made.fmt == "packed")
    let statement = try #require(made.attStmt)
    let leaf = try Certificate(der: try #require(statement["x5c"]?.arrayValue?.first?.bytesValue))
    #expect(statement["alg"] == -7)
    #expect(statement["x5c"]?.arrayValue?.count == 1)
    let signature = try #require(statement["sig"]?.bytesValue)
    #expect(
      try leaf.publicKey().verifies(signature, of: made.authData.encoded() + testHash, algorithm: .es256))
    #expect(leaf.version == 3)
    #expect(!leaf.isCA)
    #expect(leaf.subject["OU"] == "Authenticator Attestation")
    let aaguid = VirtualKeyProfile.standardAAGUID.bytes
    #expect(leaf.extensionValue(oid: Certificate.aaguidExtension) == [0x04, 0x10] + aaguid)
    let identity = try #require(try key.store.load()?.attestation)
    #expect(leaf.issuedBy(try Certificate(der: identity.authority)))
    // The next credential, and the next life of the key, have the same certificate; a reset does not touch it either.
    #expect(try key.status(.reset) == .ok)
    let later = try TestKey(store: key.store, seed: 99)
    #expect(try later.make(.sample()).attStmt?["x5c"] == statement["x5c"])
  }

  @Test("a store that is used with another profile gets a certificate for the other AAGUID")
  func otherModel() throws {
    let store = MemoryStore()
    let first = try TestKey(store: store).make(.sample())
    let other = try TestKey(.with { $0.aaguid = .zero }, store: store).make(.sample())
    #expect(other.attStmt?["x5c"] != first.attStmt?["x5c"])
    let leaf = try Certificate(der: try #require(other.attStmt?["x5c"]?.arrayValue?.first?.bytesValue))
    #expect(leaf.extensionValue(oid: Certificate.aaguidExtension)?.suffix(16) == AAGUID.zero.bytes[...])
  }

  @Test("self attestation is signed by the credential", arguments: [-7, -8, -257])
  func selfSigned(_ algorithm: Int) throws {
    var configuration = VirtualKeyConfiguration()
    configuration.attestation = .selfSigned
    let made = try TestKey(configuration).make(.sample(algorithms: [algorithm]))
    #expect(made.fmt == "packed")
    #expect(made.attStmt?["x5c"] == nil)
    #expect(made.attStmt?["alg"] == .int(algorithm))
    #expect(
      try made.coseKey?.cryptoKey().verifies(
        try #require(made.attStmt?["sig"]?.bytesValue), of: made.authData.encoded() + testHash,
        algorithm: try #require(SignatureAlgorithm(rawValue: algorithm))) == true)
  }

  @Test("none has an empty statement")
  func none() throws {
    var configuration = VirtualKeyConfiguration()
    configuration.attestation = .none
    let made = try TestKey(configuration).make(.sample())
    #expect(made.fmt == "none")
    #expect(made.attStmt == CBORMap())
  }

  @Test(
    "the first format that the key has among those preferred decides",
    arguments: [
      ([], "packed"), (["none"], "none"), (["tpm", "none", "packed"], "none"), (["packed", "none"], "packed"),
      (["tpm"], "packed"),
    ])
  func preference(_ formats: [String], _ expected: String) throws {
    var request = MakeCredentialRequest.sample()
    request.attestationFormatsPreference = formats
    #expect(try TestKey().make(request).fmt == expected)
    // A key from before preferences does not look at them.
    #expect(try TestKey(.with { $0.attestationFormats = nil }).make(request).fmt == "packed")
  }

  @Test("a key whose messages cannot hold the certificate attests by itself")
  func small() throws {
    let key = try TestKey(.with { $0.maxMsgSize = 510 })
    let (status, value) = try key.raw(CTAPRequest.encode(.makeCredential, MakeCredentialRequest.sample()))
    #expect(status == .ok)
    let made = try MakeCredentialResponse(cbor: try #require(value))
    #expect(made.attStmt?["x5c"] == nil)
    #expect(1 + made.encoded().count <= 510)
  }

  @Test("enterprise attestation goes to whom vendor or platform decided on, where it is on")
  func enterprise() throws {
    var configuration = VirtualKeyConfiguration.with(options: ["ep": true])
    configuration.enterpriseRPIDs = ["example.org"]
    let key = try TestKey(configuration)
    var request = MakeCredentialRequest.sample()
    #expect(try key.make(request).epAtt == nil)
    request.enterpriseAttestation = .vendorFacilitated
    #expect(try key.make(request).epAtt == true)
    request.rp.id = "example.com"
    #expect(try key.make(request).epAtt == nil)
    request.enterpriseAttestation = .platformManaged
    #expect(try key.make(request).epAtt == true)
    request.enterpriseAttestation = EnterpriseAttestation(rawValue: 3)
    #expect(try key.makeStatus(request) == .invalidOption)
    request.enterpriseAttestation = .platformManaged
    request.attestationFormatsPreference = ["none"]
    for policy in AttestationPolicy.allCases {
      configuration.attestation = policy
      let made = try TestKey(configuration).make(request)
      #expect(made.epAtt == true)
      #expect(made.attStmt?["x5c"]?.arrayValue?.count == 1)
    }
    let off = try TestKey(.with(options: ["ep": false]))
    #expect(try off.makeStatus(request) == .invalidParameter)
    #expect(try off.info().options?[.ep] == false)
  }
}
