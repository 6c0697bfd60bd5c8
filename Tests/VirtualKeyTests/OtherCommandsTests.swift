import BridgeTestSupport
import CTAPHID
import CTAPMessages
import Testing

@testable import VirtualKey

@Suite("getInfo, selection, reset and the frame around them")
struct OtherCommandsTests {
  @Test("the key's own profile says what it can do")
  func info() throws {
    let info = try TestKey().info()
    #expect(info == VirtualKeyProfile.standard.info)
    #expect(info.versions == ["U2F_V2", "FIDO_2_0", "FIDO_2_1"])
    #expect(!info.aaguid.isZero)
    #expect(info.options?[.credMgmt] == true)
    #expect(info.options?[.bioEnroll] == nil)
    #expect(info.options?[.largeBlobs] == true)
  }

  @Test("selection ends with a touch, and CTAP 2.0 keys have none")
  func selection() throws {
    let key = try TestKey()
    #expect(try key.status(.selection) == .ok)
    #expect(key.touches == 1)
    for version in ["FIDO_2_0", "FIDO_2_1_PRE"] {
      #expect(try TestKey(.with { $0.versions = [version] }).status(.selection) == .invalidCommand)
    }
    #expect(try TestKey(.with { $0.versions = ["FIDO_2_3"] }).status(.selection) == .ok)
  }

  @Test("an empty pinUvAuthParam asks for a touch and says whether a PIN is set", arguments: [nil, 2, 7])
  func probe(_ version: Int?) throws {
    for (pin, status) in [(nil, CTAPStatus.pinNotSet), ("1234", .pinInvalid)] {
      let key = try TestKey(.with(pin: pin))
      var make = MakeCredentialRequest.sample()
      (make.pinUvAuthParam, make.pinUvAuthProtocol) = ([], version)
      #expect(try key.makeStatus(make) == status)
      var get = GetAssertionRequest.sample()
      (get.pinUvAuthParam, get.pinUvAuthProtocol) = ([], version)
      #expect(try key.getStatus(get) == status)
      #expect(key.touches == 2)
      #expect(key.pinTries == 0)
      #expect(key.credentialsMade.isEmpty)
    }
  }

  @Test("reset erases all but the attestation key, within 10 s of power and with a touch")
  func reset() throws {
    let key = try TestKey(.with(pin: "1234"))
    let host = try PINHost(key)
    try host.obtain(host.token("1234"))
    let made = try key.make(host.signed(.sample(rk: true)))
    let before = try #require(try key.store.load())
    key.clock.advance(by: .seconds(10))
    #expect(try key.status(.reset) == .notAllowed)
    try key.powerCycle()
    key.clock.advance(by: .milliseconds(9999))
    #expect(try key.status(.reset) == .ok)
    #expect(key.events.contains(.wasReset))
    #expect(try key.info().options?[.clientPin] == false)
    #expect(try key.getStatus(.sample()) == .noCredentials)
    #expect(try key.getStatus(.sample(allow: [made.id])) == .noCredentials)
    let after = try #require(try key.store.load())
    #expect(after.attestation == before.attestation)
    #expect(after.masterSecret != before.masterSecret)
    #expect(after.signatureCounter == 0)
  }

  @Test("a reset that nobody confirms erases nothing")
  func unconfirmed() throws {
    let key = try TestKey(.with(pin: "1234", presence: .never))
    #expect(try key.status(.reset) == .userActionTimeout)
    #expect(try key.info().options?[.clientPin] == true)
  }

  @Test("PING, LOCK and WINK are answered, and CTAP1 where the profile has it")
  func frame() throws {
    let key = try TestKey()
    let bytes = [UInt8](repeating: 7, count: 7609)
    #expect(try key.message(.ping, bytes) == bytes)
    #expect(try key.message(.wink, []) == [])
    #expect(try key.message(.lock, [1]) == [])
    #expect(try key.message(.msg, [0, 3, 0, 0]) == Array("U2F_V2".utf8) + [0x90, 0])
    #expect(
      key.events.suffix(6) == [
        .replied(.ping, key.channel), .winked, .replied(.wink, key.channel), .replied(.lock, key.channel),
        .u2fCommand(3, key.channel, size: 4), .u2fAnswered(3, .noError, size: 8),
      ])
  }

  @Test("the answer to INIT has the identity's version and the key's capabilities")
  func initialise() throws {
    var configuration = VirtualKeyConfiguration()
    configuration.identity.deviceVersion = DeviceVersion(major: 5, minor: 6, build: 7)
    let reply = try TestKey(configuration).initReply()
    #expect(reply.version == DeviceVersion(major: 5, minor: 6, build: 7))
    #expect(reply.capabilities == [.wink, .cbor])
    #expect(reply.protocolVersion == 2)
  }

  @Test("every legal report size carries whole messages", arguments: [8, 16, 32, 63, 64])
  func reportSizes(_ size: Int) throws {
    var configuration = VirtualKeyConfiguration()
    configuration.reportSizes = ReportSizes(input: size, output: size)
    configuration.attestation = .selfSigned
    // Reports of 8 bytes carry 385 at most.
    if size == 8 { configuration.profile.info.extensions = nil }
    let key = try TestKey(configuration)
    #expect(try key.info() == configuration.profile.info)
    let made = try key.make(.sample())
    #expect(try key.get(.sample(allow: [made.id])).verifies(with: made))
  }

  @Test("a registration is three round trips without a PIN and six with one, as the key counts them")
  func roundTrips() throws {
    let key = try TestKey()
    _ = try key.info()
    _ = try key.make(.sample())
    #expect(key.events.count(where: \.isTransaction) == 3)
    let locked = try TestKey(.with(pin: "1234"))
    _ = try locked.info()
    #expect(try locked.pinStatus(ClientPINRequest(.getPINRetries)) == .ok)
    let host = try PINHost(locked)
    try host.obtain(host.token("1234"))
    _ = try locked.make(host.signed(.sample()))
    #expect(locked.events.count(where: \.isTransaction) == 6)
  }

  @Test("the log keeps the newest entries up to its limit, tells each to its observer, and can be emptied")
  func log() throws {
    var configuration = VirtualKeyConfiguration()
    configuration.logLimit = 10
    let observed = Observed()
    configuration.observer = { observed.add($0) }
    let key = try TestKey(configuration)
    for _ in 0..<40 { _ = try key.info() }
    #expect(key.key.log.count <= 10)
    #expect(key.events.last == .answered(0x04, .ok, size: try key.infoSize()))
    #expect(observed.count > 80)
    key.key.clearLog()
    #expect(key.key.log.isEmpty)
    configuration.logLimit = 0
    #expect(try TestKey(configuration).key.log.isEmpty)
  }

  @Test("a store that fails fails the command, and the key goes on with what it had")
  func failingStore() throws {
    let store = WatchedStore()
    let key = try TestKey(store: store)
    store.failure = .system(operation: "write", path: "x", code: 28, message: "No space left on device")
    #expect(try key.makeStatus(.sample(rk: true)) == .other)
    #expect(key.credentialsMade.isEmpty)
    store.failure = nil
    #expect(try key.getStatus(.sample()) == .noCredentials)
    let made = try key.make(.sample(rk: true))
    #expect(made.authData.signCount == 1)
    store.failure = .stopped
    #expect(try key.getStatus(.sample()) == .other)
    store.failure = nil
    #expect(try key.get(.sample()).authData.signCount == 2)
  }
}
