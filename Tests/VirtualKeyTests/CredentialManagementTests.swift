import BridgeTestSupport
import CTAPMessages
import FIDOCrypto
import Octets
import Testing

@testable import VirtualKey

/// Which of the two commands lists and changes credentials.
enum ManagementForm: CaseIterable {
  case final
  case preview

  var command: CTAPCommand { self == .final ? .credentialManagement : .credentialManagementPreview }

  /// A key with a PIN that has this form and not the other.
  func key(_ store: any VirtualKeyStore = MemoryStore()) throws -> TestKey {
    try TestKey(
      self == .final
        ? .with(pin: "1234")
        : .with(options: ["credMgmt": nil, "credentialMgmtPreview": true], pin: "1234") {
          $0.versions = ["FIDO_2_0", "FIDO_2_1_PRE"]
        }, store: store)
  }
}

@Suite("credentialManagement")
struct CredentialManagementTests {
  static func hash(_ rpID: String) -> [UInt8] { Digest.sha256(Array(rpID.utf8)) }

  /// Makes resident credentials of some accounts at some relying parties.
  static func fill(_ key: TestKey, _ host: PINHost, _ accounts: [(rpID: String, user: UInt8)]) throws {
    for (rpID, user) in accounts {
      try host.obtain(host.token("1234", .makeCredential, rpID: rpID))
      _ = try key.make(host.signed(.sample(rpID: rpID, user: [user], rk: true)))
    }
  }

  private func next(
    _ key: TestKey, _ form: ManagementForm, _ subCommand: CredentialManagementSubcommand, _ count: Int?
  ) throws -> [CredentialManagementResponse] {
    try (1..<(count ?? 1)).map { _ in try key.answer(form.command, CredentialManagementRequest(subCommand)) }
  }

  private func relyingParties(_ key: TestKey, _ host: PINHost, _ form: ManagementForm) throws
    -> [CredentialManagementResponse]
  {
    let first: CredentialManagementResponse = try key.answer(
      form.command, host.signed(CredentialManagementRequest(.enumerateRPsBegin)))
    return [first] + (try next(key, form, .enumerateRPsGetNextRP, first.totalRPs))
  }

  private func begin(_ host: PINHost, _ rpID: String) -> CredentialManagementRequest {
    host.signed(
      CredentialManagementRequest(
        .enumerateCredentialsBegin, CredentialManagementParameters(rpIDHash: Self.hash(rpID))))
  }

  private func credentials(_ key: TestKey, _ host: PINHost, _ form: ManagementForm, _ rpID: String) throws
    -> [CredentialManagementResponse]
  {
    let first: CredentialManagementResponse = try key.answer(form.command, begin(host, rpID))
    return [first] + (try next(key, form, .enumerateCredentialsGetNextCredential, first.totalCredentials))
  }

  private func delete(_ host: PINHost, _ id: [UInt8]) -> CredentialManagementRequest {
    host.signed(
      CredentialManagementRequest(
        .deleteCredential, CredentialManagementParameters(credentialID: CredentialDescriptor(id: id))))
  }

  private func update(_ host: PINHost, _ id: [UInt8], _ user: UserEntity) -> CredentialManagementRequest {
    host.signed(
      CredentialManagementRequest(
        .updateUserInformation, CredentialManagementParameters(credentialID: CredentialDescriptor(id: id), user: user)))
  }

  @Test(
    "each relying party and each credential is listed once, with totals in the first answer alone",
    arguments: ManagementForm.allCases, [1, 2])
  func listing(_ form: ManagementForm, _ version: Int) throws {
    let key = try form.key()
    let host = try PINHost(key, version: version)
    try Self.fill(key, host, [("example.org", 1), ("example.com", 2), ("example.org", 3), ("example.net", 4)])
    try host.obtain(host.token("1234", .credentialManagement, rpID: nil))
    let metadata: CredentialManagementResponse = try key.answer(
      form.command, host.signed(CredentialManagementRequest(.getCredsMetadata)))
    #expect(metadata.existingResidentCredentialsCount == 4)
    #expect(metadata.maxPossibleRemainingResidentCredentialsCount == 96)
    let parties = try relyingParties(key, host, form)
    #expect(parties.map(\.rp?.id) == ["example.org", "example.com", "example.net"])
    #expect(parties.map(\.rpIDHash) == parties.map { Self.hash($0.rp?.id ?? "") })
    #expect(parties.map(\.totalRPs) == [3, nil, nil])
    let found = try credentials(key, host, form, "example.org")
    #expect(found.map(\.user?.id) == [[1], [3]])
    #expect(found.map(\.user?.displayName) == ["User 1", "User 3"])
    #expect(found.map(\.totalCredentials) == [2, nil])
    #expect(try credentials(key, host, form, "example.net").map(\.user?.id) == [[4]])
    // What is listed is what signs.
    let last = try #require(found.last)
    try host.obtain(host.token("1234", .getAssertion))
    let assertion = try key.get(host.signed(.sample(allow: [try #require(last.credentialID).id])))
    #expect(
      try #require(last.publicKey).cryptoKey().verifies(
        assertion.signature, of: assertion.authData.encoded() + testHash, algorithm: .es256))
  }

  @Test("a key without credentials says so to every listing", arguments: ManagementForm.allCases)
  func empty(_ form: ManagementForm) throws {
    let key = try form.key()
    let host = try PINHost(key)
    try host.obtain(host.token("1234", .credentialManagement, rpID: nil))
    #expect(
      try key.status(form.command, host.signed(CredentialManagementRequest(.enumerateRPsBegin))) == .noCredentials)
    #expect(try key.status(form.command, begin(host, "example.org")) == .noCredentials)
    #expect(try key.status(form.command, delete(host, [1])) == .noCredentials)
  }

  @Test("credentials that are not resident are in no listing")
  func nonResident() throws {
    let key = try ManagementForm.final.key()
    let host = try PINHost(key)
    try host.obtain(host.token("1234"))
    _ = try key.make(host.signed(.sample()))
    try host.obtain(host.token("1234", .credentialManagement, rpID: nil))
    #expect(try key.status(.credentialManagement, begin(host, "example.org")) == .noCredentials)
  }

  @Test("a listing goes on within 30 s, on its channel, and with nothing in between but getInfo")
  func interrupted() throws {
    let key = try ManagementForm.final.key()
    let host = try PINHost(key)
    try Self.fill(key, host, (1...4).map { ("example.org", UInt8($0)) })
    let next = CredentialManagementRequest(.enumerateCredentialsGetNextCredential)
    func restart() throws {
      try host.obtain(host.token("1234", .credentialManagement, rpID: nil))
      #expect(try key.status(.credentialManagement, begin(host, "example.org")) == .ok)
    }
    #expect(try key.status(.credentialManagement, next) == .notAllowed)
    try restart()
    key.clock.advance(by: .seconds(29))
    #expect(try key.status(.credentialManagement, next) == .ok)
    key.clock.advance(by: .seconds(29))
    _ = try key.info()
    #expect(try key.status(.credentialManagement, next) == .ok)
    key.clock.advance(by: .seconds(31))
    #expect(try key.status(.credentialManagement, next) == .notAllowed)
    // The other listing does not go on where this one was.
    try restart()
    #expect(
      try key.status(.credentialManagement, CredentialManagementRequest(.enumerateRPsGetNextRP)) == .notAllowed)
    #expect(try key.status(.credentialManagement, next) == .notAllowed)
    try restart()
    #expect(try key.pinStatus(ClientPINRequest(.getPINRetries)) == .ok)
    #expect(try key.status(.credentialManagement, next) == .notAllowed)
    try restart()
    try key.initialise()
    #expect(try key.status(.credentialManagement, next) == .notAllowed)
    try restart()
    for status in [CTAPStatus.ok, .ok, .ok, .notAllowed] {
      #expect(try key.status(.credentialManagement, next) == status)
    }
  }

  @Test("what is deleted is gone and nothing else, after a restart too", arguments: ManagementForm.allCases)
  func deletion(_ form: ManagementForm) throws {
    let store = MemoryStore()
    let key = try form.key(store)
    let host = try PINHost(key)
    try Self.fill(key, host, [("example.org", 1), ("example.org", 2), ("example.com", 3)])
    try host.obtain(host.token("1234", .credentialManagement, rpID: nil))
    let id = try #require(try credentials(key, host, form, "example.org").first?.credentialID).id
    #expect(try key.status(form.command, delete(host, id)) == .ok)
    #expect(key.events.contains(.credentialDeleted(rpID: "example.org", id: id)))
    #expect(try key.status(form.command, delete(host, id)) == .noCredentials)
    for key in [key, try form.key(store)] {
      let host = try PINHost(key)
      try host.obtain(host.token("1234", .credentialManagement, rpID: nil))
      #expect(try credentials(key, host, form, "example.org").map(\.user?.id) == [[2]])
      #expect(try credentials(key, host, form, "example.com").map(\.user?.id) == [[3]])
      try host.obtain(host.token("1234", .getAssertion))
      #expect(try key.getStatus(host.signed(.sample(allow: [id]))) == .noCredentials)
    }
    #expect(try key.info().remainingDiscoverableCredentials == 98)
  }

  @Test("an account's names are replaced whole, and only for the account that the credential is of")
  func renaming() throws {
    let key = try ManagementForm.final.key()
    let host = try PINHost(key)
    try Self.fill(key, host, [("example.org", 1), ("example.org", 2)])
    try host.obtain(host.token("1234", .credentialManagement, rpID: nil))
    let id = try #require(try credentials(key, host, .final, "example.org").first?.credentialID).id
    for user in [
      UserEntity(id: [1], name: "new", displayName: "New"), UserEntity(id: [1], name: "only"), UserEntity(id: [1]),
    ] {
      #expect(try key.status(.credentialManagement, update(host, id, user)) == .ok)
      #expect(try credentials(key, host, .final, "example.org").map(\.user?.name) == [user.name, "user2"])
      #expect(try credentials(key, host, .final, "example.org").first?.user?.displayName == user.displayName)
    }
    #expect(key.events.contains(.credentialUpdated(rpID: "example.org", id: id)))
    #expect(
      try key.status(.credentialManagement, update(host, id, UserEntity(id: [2], name: "x"))) == .invalidParameter)
    #expect(
      try key.status(.credentialManagement, update(host, [9], UserEntity(id: [1], name: "x"))) == .noCredentials)
    #expect(try credentials(key, host, .final, "example.org").first?.user?.name == nil)
  }

  @Test("the preview renames nothing")
  func previewRenaming() throws {
    let key = try ManagementForm.preview.key()
    let host = try PINHost(key)
    try Self.fill(key, host, [("example.org", 1)])
    try host.obtain(host.token("1234", .credentialManagement, rpID: nil))
    let id = try #require(key.credentialsMade.first)
    #expect(
      try key.status(.credentialManagementPreview, update(host, id, UserEntity(id: [1], name: "x")))
        == .invalidParameter)
  }

  @Test("a key with both commands renames by either")
  func bothForms() throws {
    let key = try TestKey(.with(options: ["credentialMgmtPreview": true], pin: "1234"))
    let host = try PINHost(key)
    try Self.fill(key, host, [("example.org", 1)])
    try host.obtain(host.token("1234", .credentialManagement, rpID: nil))
    let id = try #require(key.credentialsMade.first)
    for (command, name) in [(CTAPCommand.credentialManagement, "one"), (.credentialManagementPreview, "two")] {
      #expect(try key.status(command, update(host, id, UserEntity(id: [1], name: name))) == .ok)
      #expect(try credentials(key, host, .final, "example.org").first?.user?.name == name)
    }
  }

  @Test("a token for one relying party manages that one alone")
  func scopes() throws {
    let key = try ManagementForm.final.key()
    let host = try PINHost(key)
    try Self.fill(key, host, [("example.org", 1), ("example.com", 2)])
    let (own, other) = (key.credentialsMade[0], key.credentialsMade[1])
    try host.obtain(host.token("1234", .credentialManagement, rpID: "example.org"))
    let status = { (request: CredentialManagementRequest) in try key.status(.credentialManagement, request) }
    #expect(try status(host.signed(CredentialManagementRequest(.getCredsMetadata))) == .pinAuthInvalid)
    #expect(try status(host.signed(CredentialManagementRequest(.enumerateRPsBegin))) == .pinAuthInvalid)
    #expect(try status(begin(host, "example.com")) == .pinAuthInvalid)
    #expect(try status(begin(host, "example.org")) == .ok)
    #expect(try status(update(host, other, UserEntity(id: [2], name: "x"))) == .pinAuthInvalid)
    #expect(try status(update(host, own, UserEntity(id: [1], name: "x"))) == .ok)
    #expect(try status(delete(host, other)) == .pinAuthInvalid)
    #expect(try status(delete(host, own)) == .ok)
    #expect(try status(begin(host, "example.org")) == .noCredentials)
  }

  @Test(
    "without the permission, without a token or with another MAC nothing is told and nothing changed",
    arguments: [
      CredentialManagementSubcommand.getCredsMetadata, .enumerateRPsBegin, .enumerateCredentialsBegin,
      .deleteCredential, .updateUserInformation,
    ])
  func refused(_ subCommand: CredentialManagementSubcommand) throws {
    let key = try ManagementForm.final.key()
    let host = try PINHost(key)
    try Self.fill(key, host, [("example.org", 1)])
    let before = try key.store.load()
    let parameters = CredentialManagementParameters(
      rpIDHash: Self.hash("example.org"),
      credentialID: CredentialDescriptor(id: try #require(key.credentialsMade.first)),
      user: UserEntity(id: [1], name: "x"))
    let request = CredentialManagementRequest(subCommand, parameters)
    #expect(try key.status(.credentialManagement, request) == .puatRequired)
    try host.obtain(host.token("1234", .getAssertion))
    #expect(try key.status(.credentialManagement, host.signed(request)) == .pinAuthInvalid)
    try host.obtain(host.token("1234", .credentialManagement, rpID: nil))
    var spoiled = host.signed(request)
    spoiled.pinUvAuthParam?[0] ^= 1
    #expect(try key.status(.credentialManagement, spoiled) == .pinAuthInvalid)
    spoiled = host.signed(request)
    spoiled.pinUvAuthProtocol = nil
    #expect(try key.status(.credentialManagement, spoiled) == .missingParameter)
    spoiled.pinUvAuthProtocol = 9
    #expect(try key.status(.credentialManagement, spoiled) == .invalidParameter)
    if subCommand != .getCredsMetadata, subCommand != .enumerateRPsBegin {
      #expect(
        try key.status(.credentialManagement, host.signed(CredentialManagementRequest(subCommand))) == .missingParameter
      )
    }
    #expect(try key.store.load() == before)
  }

  @Test("500 credentials are listed with one request each")
  func many() throws {
    let key = try TestKey(.with(pin: "1234") { $0.remainingDiscoverableCredentials = 500 })
    let host = try PINHost(key)
    for user in 0..<500 {
      try host.obtain(host.token("1234", .makeCredential))
      var request = MakeCredentialRequest.sample(rk: true)
      request.user.id = [UInt8(user >> 8), UInt8(user & 0xff)]
      _ = try key.make(host.signed(request))
    }
    try host.obtain(host.token("1234", .credentialManagement, rpID: nil))
    key.key.clearLog()
    #expect(Set(try credentials(key, host, .final, "example.org").map(\.user?.id)).count == 500)
    #expect(key.events.count(where: \.isTransaction) == 500)
    try host.obtain(host.token("1234", .makeCredential))
    var request = MakeCredentialRequest.sample(rk: true)
    request.user.id = [9, 9]
    #expect(try key.makeStatus(host.signed(request)) == .keyStoreFull)
  }
}
