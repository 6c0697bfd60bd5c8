import BridgeTestSupport
import CTAPHID
import CTAPMessages
import FIDOCrypto
import JSONText
import Octets
import Testing
import Timing

@testable import CTAP2

@Suite("Setting and changing a PIN")
struct PINChangeTests {
  static func secret(_ text: String) -> SecretBytes { SecretBytes(Array(text.utf8)) }

  @Test("works with both protocols", arguments: PINUVAuthProtocol.allCases)
  func change(_ version: PINUVAuthProtocol) throws {
    let fake = try PINKey(version, pin: nil)
    let session = try fake.key.session()
    try session.setPIN(Self.secret("erste Zahl"), fake.key.wait())
    #expect(fake.pin == "erste Zahl")
    try session.changePIN(
      from: Self.secret("erste Zahl"), to: Self.secret("e\u{301}e\u{301}e\u{301}e\u{301}"), fake.key.wait())
    #expect(fake.pin == "éééé")
    #expect(fake.last?.newPinEnc?.count == (version == .one ? 64 : 80))
    // What the key says of itself is asked for anew after each change.
    #expect(fake.key.commands == [.getInfo, .clientPIN, .clientPIN, .getInfo, .clientPIN, .clientPIN])
    _ = try session.token(pin: Self.secret("éééé"), permissions: [], rpID: nil, fake.key.wait())
  }

  @Test("sends the bytes of python-fido2's vectors for protocol one")
  func publishedBytes() throws {
    let vector = try Vectors.json("python-fido2-ctap2").member("pinProtocolOne")
    let key = FakeKey(versions: ["FIDO_2_0"], options: ["clientPin": true])
    key.info.pinUvAuthProtocols = [1]
    let announced = COSEKey.keyAgreement(x: try vector.hex("keyX"), y: try vector.hex("keyY"))
    var last: ClientPINRequest?
    key.answer = { request in
      guard request.command == .clientPIN, let parameters = request.parameters else { return nil }
      last = try ClientPINRequest(cbor: parameters)
      return last?.subCommand == .getKeyAgreement ? .ok(ClientPINResponse(keyAgreement: announced)) : .ok
    }
    let session = try key.session(random: FixedRandom([[0], try vector.hex("platformPrivateKey")]))
    let set = try vector.member("setPIN")
    try session.setPIN(Self.secret("1234"), key.wait())
    #expect(last?.newPinEnc == (try set.hex("newPinEnc")))
    #expect(last?.pinUvAuthParam == (try set.hex("pinUvAuthParam")))
    #expect(last?.pinHashEnc == nil)
    let change = try vector.member("changePIN")
    try session.changePIN(from: Self.secret("1234"), to: Self.secret("4321"), key.wait())
    #expect(last?.newPinEnc == (try change.hex("newPinEnc")))
    #expect(last?.pinHashEnc == (try change.hex("pinHashEnc")))
    #expect(last?.pinUvAuthParam == (try change.hex("pinUvAuthParam")))
  }

  @Test("holds a new PIN against the key's own limits before it asks the key")
  func limits() throws {
    let fake = try PINKey(pin: nil)
    fake.key.info.minPINLength = 6
    fake.key.info.maxPINLength = 8
    let session = try fake.key.session()
    #expect(throws: CTAP2Error.pin(.tooShort(5, minimum: 6))) {
      try session.setPIN(Self.secret("12345"), fake.key.wait())
    }
    #expect(throws: CTAP2Error.pin(.tooLong(9, maximum: 8))) {
      try session.setPIN(Self.secret("123456789"), fake.key.wait())
    }
    #expect(throws: CTAP2Error.pin(.tooShort(5, minimum: 6))) {
      try session.changePIN(from: Self.secret("1234"), to: Self.secret("12345"), fake.key.wait())
    }
    #expect(throws: CTAP2Error.pin(.tooShort(3, minimum: 4))) {
      try session.changePIN(from: Self.secret("123"), to: Self.secret("123456"), fake.key.wait())
    }
    #expect(fake.key.commands == [.getInfo])
    fake.key.info.minPINLength = 2
    #expect(throws: CTAP2Error.pin(.tooShort(3, minimum: 4))) {
      try fake.key.session().setPIN(Self.secret("123"), fake.key.wait())
    }
  }

  @Test("tells the key's own rule about PINs from a PIN that must be changed")
  func policy() throws {
    let fake = try PINKey(pin: nil)
    fake.failure = (.setPIN, .pinPolicyViolation)
    #expect(throws: CTAP2Error.verification(.pinPolicyViolation)) {
      try fake.key.session().setPIN(Self.secret("1234"), fake.key.wait())
    }
  }

  @Test("costs a try where the old PIN is wrong, and tells how many are left")
  func wrongPIN() throws {
    let fake = try PINKey()
    #expect(throws: CTAP2Error.verification(.pinInvalid(PINRetries(count: 7, needsPowerCycle: false)))) {
      try fake.key.session().changePIN(from: Self.secret("4321"), to: Self.secret("5678"), fake.key.wait())
    }
    #expect(fake.pin == "1234")
    fake.failure = (.changePIN, .pinAuthBlocked)
    #expect(throws: CTAP2Error.verification(.pinAuthBlocked)) {
      try fake.key.session().changePIN(from: Self.secret("1234"), to: Self.secret("5678"), fake.key.wait())
    }
  }
}

@Suite("Reset, ping and wink")
struct PassThroughTests {
  @Test("a reset is one request, and what the key said of itself is forgotten")
  func reset() throws {
    let key = FakeKey()
    key.answer = { $0.command == .reset ? .ok : nil }
    let session = try key.session()
    _ = try session.getInfo(key.wait())
    try session.reset(key.wait())
    #expect(key.requests.map(\.bytes) == [[0x04], [0x07]])
    key.answer = { $0.command == .makeCredential ? .status(.other) : nil }
    _ = try? session.makeCredential(Credentials.request(), token: nil, key.wait())
    #expect(key.commands == [.getInfo, .reset, .getInfo, .makeCredential])
  }

  @Test("a reset takes an empty map for an empty answer, and no other content")
  func resetAnswer() throws {
    let key = FakeKey()
    key.answer = { _ in
      key.sendStale([0x00, 0xa1, 0x03, 0x08])
      key.sendStale([0x00, 0x80])
      return .answer([0x00, 0xa0])
    }
    try key.session().reset(key.wait())
    #expect(key.requests.count == 1)
  }

  @Test("a ping comes back, and a wink goes to keys that can")
  func pingAndWink() throws {
    let key = FakeKey()
    let session = try key.session()
    try session.ping([1, 2, 3], key.wait())
    try session.wink(key.wait())
    let plain = FakeKey(capabilities: [.cbor])
    #expect(throws: CTAP2Error.notOffered("a wink")) { try plain.session().wink(plain.wait()) }
    session.close()
    #expect(throws: CTAP2Error.hid(.notOpen)) { try session.ping([1], key.wait()) }
  }

  @Test("a wink that fails says how")
  func winkFails() throws {
    let key = FakeKey()
    let session = try key.session()
    let cancellation = Cancellation()
    cancellation.cancel()
    #expect { try session.wink(key.wait(.seconds(1), cancellation)) } throws: {
      ($0 as? CTAP2Error)?.isCancellation == true
    }
  }
}
