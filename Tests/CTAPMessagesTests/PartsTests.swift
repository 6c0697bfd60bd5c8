import CBOR
import CTAPMessages
import Testing

@Suite("Parts of messages")
struct PartsTests {
  @Test("a key agreement key has the algorithm number -25 and curve P-256")
  func keyAgreement() throws {
    let key = COSEKey.keyAgreement(x: [1], y: [2])
    #expect(key.cbor() == [1: 2, 3: -25, -1: 1, -2: .bytes([1]), -3: .bytes([2])])
    // Canonical order: 1, 3, -1, -2, -3.
    #expect(key.encoded() == hex("a50102033818200121410122" + "4102"))
  }

  @Test("a key without an algorithm number is read")
  func noAlgorithm() throws {
    let key = try COSEKey(cbor: [1: 2, -1: 1, -2: .bytes([1]), -3: .bytes([2])])
    #expect(key.alg == nil)
    #expect(key == COSEKey(.ec2(curve: 1, x: [1], y: [2]), alg: nil))
  }

  @Test("a key of an unknown type keeps its members")
  func unknownKeyType() throws {
    let value: CBORValue = [1: 7, 3: -49, -1: .bytes([1, 2, 3])]
    let key = try COSEKey(cbor: value)
    #expect(key == COSEKey(.unknown(keyType: 7, parameters: [-1: .bytes([1, 2, 3])]), alg: -49))
    #expect(key.cbor() == value)
    #expect(key.kty == 7)
    #expect([key.x, key.y, key.n, key.e] == [nil, nil, nil, nil])
    #expect(key.crv == nil)
  }

  @Test("a compressed point is refused")
  func compressed() throws {
    let error = try #require(throws: MessageError.self) {
      try COSEKey(cbor: [1: 2, 3: -7, -1: 1, -2: .bytes([1]), -3: true])
    }
    #expect(error.problem == .wrongType(expected: "byte string", found: "boolean"))
    #expect(error.member == "y")
    #expect(error.number == -3)
  }

  @Test("the accessors of a key give what its type has")
  func accessors() {
    let rsa = COSEKey(.rsa(n: [1], e: [2]), alg: -257)
    #expect((rsa.kty, rsa.crv, rsa.x, rsa.y, rsa.n, rsa.e) == (3, nil, nil, nil, [1], [2]))
    let okp = COSEKey(.okp(curve: 6, x: [1]), alg: -8)
    #expect((okp.kty, okp.crv, okp.x, okp.y, okp.n, okp.e) == (1, 6, [1], nil, nil, nil))
    let ec2 = COSEKey(.ec2(curve: 2, x: [1], y: [2]), alg: -35)
    #expect((ec2.kty, ec2.crv, ec2.x, ec2.y, ec2.n, ec2.e) == (2, 2, [1], [2], nil, nil))
  }

  @Test("what is empty is left out of a request")
  func empties() throws {
    let make = MakeCredentialRequest(
      clientDataHash: [1], rp: RelyingPartyEntity(id: "x"), user: UserEntity(id: [2]),
      pubKeyCredParams: [CredentialParameters(algorithm: -7)])
    #expect(
      make.cbor() == [
        1: .bytes([1]), 2: ["id": "x"], 3: ["id": .bytes([2])], 4: [["alg": -7, "type": "public-key"]],
      ])
    #expect(try MakeCredentialRequest(cbor: make.cbor()) == make)
    let get = GetAssertionRequest(rpID: "x", clientDataHash: [1])
    #expect(get.cbor() == [1: "x", 2: .bytes([1])])
    #expect(try GetAssertionRequest(cbor: [1: "x", 2: .bytes([1]), 3: [], 4: [:], 5: [:]]) == get)
  }

  @Test("an empty pinUvAuthParam is not left out: it asks for a touch")
  func emptyAuthParam() {
    let request = GetAssertionRequest(rpID: "x", clientDataHash: [], pinUvAuthParam: [], pinUvAuthProtocol: 1)
    #expect(request.cbor() == [1: "x", 2: .bytes([]), 6: .bytes([]), 7: 1])
  }

  @Test("an attestation object comes in the order fmt, attStmt, authData, with a statement that was absent empty")
  func attestationObject() throws {
    let data = try AuthenticatorData.parse(Vectors.python("authDataOfGetAssertion"))
    let object = AttestationObject(MakeCredentialResponse(fmt: "none", authData: data, attStmt: nil))
    #expect(
      object.encoded() == hex("a363666d74646e6f6e656761747453746d74a06861757468446174615825") + data.encoded())
  }

  @Test("the codes of enterprise attestation and of permissions are the specification's, and others are kept")
  func codes() throws {
    #expect(EnterpriseAttestation.vendorFacilitated.rawValue == 1)
    #expect(EnterpriseAttestation.platformManaged.rawValue == 2)
    #expect(
      PINUVAuthPermissions([
        .makeCredential, .getAssertion, .credentialManagement, .bioEnrollment, .largeBlobWrite,
        .authenticatorConfiguration, .persistentCredentialManagementReadOnly,
      ]).rawValue == 0x7f)
    let request = try ClientPINRequest(cbor: [2: 8, 9: 0x101])
    #expect(request.subCommand == ClientPINSubcommand(rawValue: 8))
    #expect(request.permissions?.contains(.makeCredential) == true)
    #expect(request.permissions?.rawValue == 0x101)
  }

  @Test("parameters that drafts of CTAP 2.0 had are kept")
  func draftParameters() throws {
    let request = try ClientPINRequest(cbor: [1: 1, 2: 1, 7: true, 8: true])
    #expect(request.additional == [7: true, 8: true])
  }

  @Test("subcommands have the numbers of the specification")
  func subcommands() {
    let pin: [ClientPINSubcommand] = [
      .getPINRetries, .getKeyAgreement, .setPIN, .changePIN, .getPINToken, .getPINUVAuthTokenUsingUVWithPermissions,
      .getUVRetries, .getPINUVAuthTokenUsingPINWithPermissions,
    ]
    #expect(pin.map(\.rawValue) == [1, 2, 3, 4, 5, 6, 7, 9])
    let credentials: [CredentialManagementSubcommand] = [
      .getCredsMetadata, .enumerateRPsBegin, .enumerateRPsGetNextRP, .enumerateCredentialsBegin,
      .enumerateCredentialsGetNextCredential, .deleteCredential, .updateUserInformation,
    ]
    #expect(credentials.map(\.rawValue) == Array(1...7))
    let fingerprints: [BioEnrollmentSubcommand] = [
      .enrollBegin, .enrollCaptureNextSample, .cancelCurrentEnrollment, .enumerateEnrollments, .setFriendlyName,
      .removeEnrollment, .getFingerprintSensorInfo,
    ]
    #expect(fingerprints.map(\.rawValue) == Array(1...7))
    let config: [AuthenticatorConfigSubcommand] = [
      .enableEnterpriseAttestation, .toggleAlwaysUv, .setMinPINLength, .enableLongTouchForReset, .vendorPrototype,
    ]
    #expect(config.map(\.rawValue) == [1, 2, 3, 4, 0xff])
  }
}
