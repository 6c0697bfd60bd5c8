import BridgeTestSupport
import CTAPMessages
import FIDOCrypto
import Octets
import Testing

@testable import VirtualKey

@Suite("the persistent token")
struct PersistentTokenTests {
  private let metadata = CredentialManagementRequest(.getCredsMetadata)

  private func persistent(_ host: PINHost) throws {
    try host.obtain(host.token("1234", .persistentCredentialManagementReadOnly, rpID: nil))
  }

  /// What the token's holder reads in a member of getInfo.
  private func opened(_ member: [UInt8]?, _ name: String, _ host: PINHost) throws -> [UInt8] {
    let bytes = try #require(member)
    let key = try HKDF.sha256(
      secret: host.token, salt: [UInt8](repeating: 0, count: 32), info: Array(name.utf8), count: 16)
    return try AESCBC.decrypt(Array(bytes.dropFirst(16)), key: key, iv: Array(bytes.prefix(16)), size: .bits128)
      .exposed()
  }

  @Test("it is the same each time, reads, and lasts over time and power", arguments: [1, 2])
  func lasting(_ version: Int) throws {
    let store = MemoryStore()
    let key = try TestKey(.with(pin: "1234"), store: store)
    let host = try PINHost(key, version: version)
    try persistent(host)
    let token = host.token
    #expect(try key.status(.credentialManagement, host.signed(metadata)) == .ok)
    try persistent(host)
    #expect(host.token.exposed() == token.exposed())
    key.clock.advance(by: .seconds(86_400))
    try key.powerCycle()
    #expect(try key.status(.credentialManagement, host.signed(metadata)) == .ok)
    let request = host.signed(metadata)
    #expect(try TestKey(.with(pin: "1234"), store: store).status(.credentialManagement, request) == .ok)
  }

  @Test("it changes nothing, and makes and signs nothing")
  func readsOnly() throws {
    let key = try TestKey(.with(pin: "1234"))
    let host = try PINHost(key)
    try CredentialManagementTests.fill(key, host, [("example.org", 1)])
    let id = try #require(key.credentialsMade.first)
    try persistent(host)
    for (subCommand, status) in [
      (.enumerateRPsBegin, .ok), (.enumerateCredentialsBegin, .ok), (.deleteCredential, .pinAuthInvalid),
      (.updateUserInformation, .pinAuthInvalid),
    ] as [(CredentialManagementSubcommand, CTAPStatus)] {
      let request = CredentialManagementRequest(
        subCommand,
        CredentialManagementParameters(
          rpIDHash: Digest.sha256(Array("example.org".utf8)), credentialID: CredentialDescriptor(id: id),
          user: UserEntity(id: [1])))
      #expect(try key.status(.credentialManagement, host.signed(request)) == status)
    }
    #expect(try key.makeStatus(host.signed(.sample())) == .pinAuthInvalid)
    #expect(try key.getStatus(host.signed(.sample())) == .pinAuthInvalid)
  }

  @Test("it leaves the token in use alone")
  func besides() throws {
    let key = try TestKey(.with(pin: "1234"))
    let host = try PINHost(key)
    try host.obtain(host.token("1234", .credentialManagement, rpID: nil))
    let used = host.signed(metadata)
    try persistent(host)
    #expect(try key.status(.credentialManagement, used) == .ok)
  }

  @Test("a new PIN and a reset end it", arguments: [false, true])
  func ended(_ resets: Bool) throws {
    let key = try TestKey(.with(pin: "1234"))
    let host = try PINHost(key)
    try persistent(host)
    let request = host.signed(metadata)
    if resets {
      try key.powerCycle()
      #expect(try key.status(.reset) == .ok)
    } else {
      #expect(try key.pinStatus(host.changePIN("1234", to: "5678")) == .ok)
    }
    #expect(try key.status(.credentialManagement, request) == .pinAuthInvalid)
  }

  @Test("its holder reads in getInfo which key this is, and whether its credentials are the same")
  func identifiers() throws {
    let key = try TestKey(.with(pin: "1234"))
    let host = try PINHost(key)
    #expect(try key.info().encIdentifier == nil)
    try persistent(host)
    let token = host.token
    func read() throws -> (identifier: [UInt8], state: [UInt8]) {
      let info = try key.info()
      let reader = try PINHost(key)
      try persistent(reader)
      #expect(reader.token.exposed() == token.exposed())
      return (
        try opened(info.encIdentifier, "encIdentifier", reader),
        try opened(info.encCredStoreState, "encCredStoreState", reader)
      )
    }
    let first = try read()
    #expect(try key.info().encIdentifier != key.info().encIdentifier)
    let second = try read()
    #expect(first == second)
    try CredentialManagementTests.fill(key, host, [("example.org", 1)])
    let third = try read()
    #expect(third.identifier == first.identifier && third.state != first.state)
    try host.obtain(host.token("1234", .credentialManagement, rpID: nil))
    let id = try #require(key.credentialsMade.first)
    let deletion = CredentialManagementRequest(
      .deleteCredential, CredentialManagementParameters(credentialID: CredentialDescriptor(id: id)))
    #expect(try key.status(.credentialManagement, host.signed(deletion)) == .ok)
    #expect(try read().state != third.state)
  }

  @Test("a key that does not offer it gives none")
  func none() throws {
    let host = try PINHost(TestKey(.with(options: ["perCredMgmtRO": nil], pin: "1234")))
    #expect(
      try host.status(host.token("1234", .persistentCredentialManagementReadOnly, rpID: nil)) == .unauthorizedPermission
    )
  }
}
