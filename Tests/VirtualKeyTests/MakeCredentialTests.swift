import CBOR
import CTAPHID
import CTAPMessages
import FIDOCrypto
import Testing

@testable import VirtualKey

@Suite("makeCredential")
struct MakeCredentialTests {
  @Test("each algorithm makes a credential that signs in", arguments: [-7, -8, -35, -36, -257])
  func algorithms(_ algorithm: Int) throws {
    let key = try TestKey()
    let response = try key.make(.sample(algorithms: [-65535, algorithm]))
    #expect(response.authData.rpIDHash == Digest.sha256(Array("example.org".utf8)))
    #expect(response.authData.flags == [.userPresent, .attestedCredential])
    #expect(response.authData.signCount == 1)
    #expect(response.authData.attestedCredential?.aaguid == VirtualKeyProfile.standardAAGUID)
    #expect(response.coseKey?.alg == algorithm)
    let assertion = try key.get(.sample(allow: [response.id]))
    #expect(try assertion.verifies(with: response))
    #expect(assertion.authData.signCount == 2)
  }

  @Test("Ed448 is done where a profile announces it")
  func ed448() throws {
    let key = try TestKey(.with { $0.algorithms = [CredentialParameters(algorithm: -53)] })
    let response = try key.make(.sample(algorithms: [-7, -53]))
    #expect(response.coseKey?.crv == COSEKey.Curve.ed448)
    #expect(try key.get(.sample(allow: [response.id])).verifies(with: response))
  }

  @Test("the first algorithm that both sides have is taken, other types and numbers are passed over")
  func firstAlgorithm() throws {
    let key = try TestKey()
    var request = MakeCredentialRequest.sample(algorithms: [-8, -7])
    request.pubKeyCredParams.insert(CredentialParameters(type: "other", algorithm: -7), at: 0)
    #expect(try key.make(request).coseKey?.alg == -8)
    #expect(try key.makeStatus(.sample(algorithms: [-65535])) == .unsupportedAlgorithm)
    // Announced by the profile, and nothing that this key can do.
    let announcing = try TestKey(.with { $0.algorithms = [CredentialParameters(algorithm: -65535)] })
    #expect(
      try announcing.makeStatus(.sample(algorithms: [-65535, -7]))
        == .unsupportedAlgorithm)
  }

  @Test("any text is an RP ID, as OpenSSH's", arguments: ["ssh:", "", "ü", "a.b"])
  func anyRPID(_ rpID: String) throws {
    let key = try TestKey()
    let made = try key.make(.sample(rpID: rpID))
    #expect(try key.get(.sample(rpID: rpID, allow: [made.id])).verifies(with: made))
  }

  @Test(
    "a request that breaks a rule gets the rule's status",
    arguments: [
      Spoiled("hash of 31 bytes", .invalidLength) { $0.clientDataHash.removeLast() },
      Spoiled("user id of 0 bytes", .invalidLength) { $0.user.id = [] },
      Spoiled("user id of 65 bytes", .invalidLength) { $0.user.id = [UInt8](repeating: 1, count: 65) },
      Spoiled("up false", .invalidOption) { $0.options.up = false },
      Spoiled("uv without a sensor", .invalidOption) { $0.options.uv = true },
      Spoiled("no protocol", .missingParameter) { $0.pinUvAuthParam = [1] },
      Spoiled("protocol 3", .invalidParameter) { ($0.pinUvAuthParam, $0.pinUvAuthProtocol) = ([1], 3) },
      Spoiled("a token where nothing is set", .pinNotSet) { ($0.pinUvAuthParam, $0.pinUvAuthProtocol) = ([1], 2) },
      Spoiled("enterprise without ep", .invalidParameter) { $0.enterpriseAttestation = .vendorFacilitated },
      Spoiled("an empty algorithm list", .unsupportedAlgorithm) { $0.pubKeyCredParams = [] },
    ] as [Spoiled<MakeCredentialRequest>])
  func rules(_ spoiled: Spoiled<MakeCredentialRequest>) throws {
    let key = try TestKey()
    var request = MakeCredentialRequest.sample()
    spoiled.change(&request)
    #expect(try key.makeStatus(request) == spoiled.status)
    #expect(key.credentialsMade.isEmpty)
  }

  @Test(
    "a malformed request gets the status for its fault",
    arguments: [
      ([], .invalidLength), ([0x01], .missingParameter), ([0x01, 0xa0], .missingParameter),
      ([0x01, 0xa1, 0x01, 0x01], .cborUnexpectedType), ([0x01, 0xa1], .invalidCBOR),
      ([0x01, 0x80], .cborUnexpectedType),
      // Keys that are not in canonical order.
      ([0x01, 0xa2, 0x02, 0xa0, 0x01, 0x40], .invalidCBOR), ([0x01, 0xa0, 0x00], .invalidCBOR),
      ([0x03], .invalidCommand), ([0x09], .invalidCommand), ([0xff], .invalidCommand), ([0x0a], .missingParameter),
    ] as [([UInt8], CTAPStatus)])
  func malformed(_ request: [UInt8], _ status: CTAPStatus) throws {
    let key = try TestKey()
    if request.isEmpty {
      key.write(.cbor, [])
      #expect(key.read()?.command == .error)
    } else {
      #expect(try key.raw(request).status == status)
    }
  }

  @Test("options and extensions that mean nothing are ignored")
  func unknown() throws {
    let key = try TestKey()
    var request = MakeCredentialRequest.sample()
    request.options.additional["fast"] = true
    request.options.uv = false
    request.extensions = ["example.org/none": 1, "thirdPartyPayment": true]
    request.additional[0x20] = "later"
    #expect(try key.make(request).authData.extensions == nil)
  }

  @Test("a resident credential needs a key with room")
  func residents() throws {
    let none = try TestKey(.with(options: ["rk": false]))
    #expect(try none.makeStatus(.sample(rk: true)) == .unsupportedOption)
    let key = try TestKey(.with { $0.remainingDiscoverableCredentials = 2 })
    let first = try key.make(.sample(user: [1], rk: true))
    #expect(try key.info().remainingDiscoverableCredentials == 1)
    _ = try key.make(.sample(user: [2], rk: true))
    #expect(try key.info().remainingDiscoverableCredentials == 0)
    #expect(try key.makeStatus(.sample(user: [3], rk: true)) == .keyStoreFull)
    // The same account takes the place of its old credential, also where there is no more room.
    let again = try key.make(.sample(user: [1], rk: true))
    #expect(try key.info().remainingDiscoverableCredentials == 0)
    #expect(key.events.contains(.credentialReplaced(rpID: "example.org", id: first.id)))
    #expect(try key.getStatus(.sample(allow: [first.id])) == .noCredentials)
    #expect(try key.get(.sample(allow: [again.id])).user?.id == [1])
    // Credentials that are not resident need no room.
    _ = try key.make(.sample(user: [4]))
  }

  @Test("a credential in the exclude list is told of after a touch, and only to its RP")
  func excluded() throws {
    let key = try TestKey()
    let made = try key.make(.sample())
    var request = MakeCredentialRequest.sample()
    request.excludeList = [CredentialDescriptor(id: [1, 2]), CredentialDescriptor(id: made.id)]
    let touches = key.touches
    #expect(try key.makeStatus(request) == .credentialExcluded)
    #expect(key.touches == touches + 1)
    request.excludeList[1].type = "other"
    #expect(try key.makeStatus(request) == .ok)
    request.excludeList[1].type = "public-key"
    request.rp.id = "example.com"
    #expect(try key.makeStatus(request) == .ok)
  }

  @Test("lists and messages beyond the profile's limits are refused")
  func limits() throws {
    let key = try TestKey(
      .with { info in
        info.maxCredentialCountInList = 2
        info.maxCredentialIdLength = 64
        info.maxMsgSize = 400
      })
    var request = MakeCredentialRequest.sample()
    request.excludeList = [[1], [2]].map { CredentialDescriptor(id: $0) }
    #expect(try key.makeStatus(request) == .ok)
    request.excludeList.append(CredentialDescriptor(id: [3]))
    #expect(try key.makeStatus(request) == .limitExceeded)
    request.excludeList = [CredentialDescriptor(id: [UInt8](repeating: 1, count: 65))]
    #expect(try key.makeStatus(request) == .limitExceeded)
    request.excludeList = []
    request.user.displayName = String(repeating: "x", count: 256)
    let size = CTAPRequest.encode(.makeCredential, request).count
    request.user.displayName = String(repeating: "x", count: 256 + 401 - size)
    #expect(try key.makeStatus(request) == .requestTooLarge)
    // Exactly at the limit.
    request.user.displayName = String(repeating: "x", count: 256 + 400 - size)
    #expect(CTAPRequest.encode(.makeCredential, request).count == 400)
    #expect(try key.makeStatus(request) == .ok)
  }

  @Test("ids keep to the profile's length, sealed or as a handle", arguments: [16, 32, 63, 64, 128, 1023, 7600])
  func idLengths(_ limit: Int) throws {
    let key = try TestKey(.with { $0.maxCredentialIdLength = limit })
    let made = try key.make(.sample())
    #expect(made.id.count == (limit < 64 ? min(limit, 32) : 64))
    #expect(try key.get(.sample(allow: [made.id])).verifies(with: made))
    // Sealed ids leave nothing behind on the key.
    #expect(try #require(try key.store.load()).credentials.count == (limit < 64 ? 1 : 0))
  }

  @Test("a sealed id opens for its own RP, unchanged, and until a reset")
  func sealedIDs() throws {
    let key = try TestKey()
    var id = try key.make(.sample()).id
    #expect(try key.getStatus(.sample(rpID: "example.com", allow: [id])) == .noCredentials)
    for index in id.indices {
      id[index] ^= 1
      #expect(try key.getStatus(.sample(allow: [id])) == .noCredentials)
      id[index] ^= 1
    }
    let other = try TestKey(seed: 8)
    #expect(try other.getStatus(.sample(allow: [id])) == .noCredentials)
    #expect(try key.status(.reset) == .ok)
    #expect(try key.getStatus(.sample(allow: [id])) == .noCredentials)
  }

  @Test("the backup policy decides the flags", arguments: BackupPolicy.allCases)
  func backup(_ policy: BackupPolicy) throws {
    var configuration = VirtualKeyConfiguration()
    configuration.backup = policy
    let key = try TestKey(configuration)
    let made = try key.make(.sample())
    let expected: AuthenticatorData.Backup =
      switch policy {
      case .none: .deviceBound
      case .eligible: .eligible
      case .backedUp: .backedUp
      }
    #expect(made.authData.backup == expected)
    #expect(try key.get(.sample(allow: [made.id])).authData.backup == expected)
  }
}
