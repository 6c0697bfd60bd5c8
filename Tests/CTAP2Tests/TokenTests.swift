import BridgeTestSupport
import CTAPHID
import CTAPMessages
import FIDOCrypto
import JSONText
import Octets
import Testing

@testable import CTAP2

@Suite("A PIN/UV token")
struct TokenTests {
  static func secret(_ text: String) -> SecretBytes { SecretBytes(Array(text.utf8)) }

  @Test("takes key agreement and the token, beside getInfo", arguments: PINUVAuthProtocol.allCases, [true, false])
  func byPIN(_ version: PINUVAuthProtocol, _ permissions: Bool) throws {
    let fake = try PINKey(version, permissions: permissions)
    let session = try fake.key.session()
    let token = try session.token(
      pin: Self.secret("1234"), permissions: .makeCredential, rpID: "example.org", fake.key.wait())
    #expect(fake.key.commands == [.getInfo, .clientPIN, .clientPIN])
    let expected = HMAC.sha256(key: SecretBytes(PINKey.tokenBytes), [1, 2])
    #expect(token.authenticate([1, 2]) == Array(expected.prefix(version.parameterSize)))
    #expect(token.version == version)
    let last = try #require(fake.last)
    #expect(last.pinUvAuthProtocol == version.rawValue)
    #expect(last.keyAgreement?.alg == -25)
    #expect(last.pinHashEnc?.count == (version == .one ? 16 : 32))
    if permissions {
      #expect(last.subCommand == .getPINUVAuthTokenUsingPINWithPermissions)
      #expect(last.permissions == .makeCredential)
      #expect(last.rpID == "example.org")
      #expect(token.permissions == .makeCredential)
      #expect(token.rpID == "example.org")
    } else {
      #expect(last.subCommand == .getPINToken)
      #expect(last.permissions == nil)
      #expect(last.rpID == nil)
      #expect(token.permissions.isSuperset(of: [.makeCredential, .getAssertion]))
      #expect(token.rpID == nil)
    }
  }

  @Test("is asked for with a new key pair each time")
  func freshKeys() throws {
    let fake = try PINKey()
    let session = try fake.key.session()
    var seen: Set<[UInt8]> = []
    for _ in 0..<3 {
      _ = try session.token(pin: Self.secret("1234"), permissions: .makeCredential, rpID: nil, fake.key.wait())
      seen.insert(fake.last?.keyAgreement?.x ?? [])
    }
    #expect(seen.count == 3)
  }

  @Test("is asked for with the bytes of python-fido2's vector for protocol one")
  func publishedBytes() throws {
    let vector = try Vectors.json("python-fido2-ctap2").member("pinProtocolOne")
    let key = FakeKey(versions: ["FIDO_2_0"], options: ["clientPin": true])
    key.info.pinUvAuthProtocols = [1]
    let announced = COSEKey.keyAgreement(x: try vector.hex("keyX"), y: try vector.hex("keyY"))
    let encrypted = try vector.hex("encryptedToken")
    key.answer = { request in
      guard request.command == .clientPIN, let parameters = request.parameters else { return nil }
      let isAgreement = try ClientPINRequest(cbor: parameters).subCommand == .getKeyAgreement
      return .ok(
        isAgreement ? ClientPINResponse(keyAgreement: announced) : ClientPINResponse(pinUvAuthToken: encrypted))
    }
    // The nonce of INIT comes from the same source.
    let random = FixedRandom([[0], try vector.hex("platformPrivateKey")])
    let session = try key.session(random: random)
    let token = try session.token(pin: Self.secret("1234"), permissions: [], rpID: nil, key.wait())
    let expected = HMAC.sha256(key: SecretBytes(try vector.hex("token")), [7])
    #expect(token.authenticate([7]) == Array(expected.prefix(16)))
    let (x, y, hash) = (try text(vector, "platformX"), try text(vector, "platformY"), try text(vector, "pinHashEnc"))
    #expect(
      key.requests.map { Hex.encode($0.bytes) }.dropFirst() == [
        "06a2" + "0101" + "0202",
        "06a4" + "0101" + "0205" + "03a5" + "0102" + "0338" + "18" + "2001" + "215820" + x + "225820" + y + "0650"
          + hash,
      ])
  }

  private func text(_ vector: JSONValue, _ name: String) throws -> String { Hex.encode(try vector.hex(name)) }

  struct Refusal: Sendable {
    let status: CTAPStatus
    let error: CTAP2Error
  }

  @Test(
    "is refused for a reason of its own",
    arguments: [
      Refusal(status: .pinAuthBlocked, error: .verification(.pinAuthBlocked)),
      Refusal(status: .pinBlocked, error: .verification(.pinBlocked)),
      Refusal(status: .pinNotSet, error: .verification(.pinNotSet)),
      Refusal(status: .pinPolicyViolation, error: .verification(.pinMustChange)),
      Refusal(status: .pinAuthInvalid, error: .status(.pinAuthInvalid, .clientPIN)),
      Refusal(status: .unauthorizedPermission, error: .status(.unauthorizedPermission, .clientPIN)),
    ])
  func refusals(_ row: Refusal) throws {
    let fake = try PINKey()
    fake.failure = (.getPINUVAuthTokenUsingPINWithPermissions, row.status)
    #expect(throws: row.error) {
      try fake.key.session().token(
        pin: Self.secret("1234"), permissions: .makeCredential, rpID: nil, fake.key.wait())
    }
    #expect(fake.retries == 8)
  }

  @Test("costs one try where the PIN is wrong, and tells how many are left")
  func wrongPIN() throws {
    let fake = try PINKey()
    let session = try fake.key.session()
    for left in [7, 6] {
      #expect(throws: CTAP2Error.verification(.pinInvalid(PINRetries(count: left, needsPowerCycle: false)))) {
        try session.token(pin: Self.secret("4321"), permissions: .makeCredential, rpID: nil, fake.key.wait())
      }
    }
    #expect(throws: CTAP2Error.verification(.pinInvalid(PINRetries(count: 5, needsPowerCycle: true)))) {
      try session.token(pin: Self.secret("4321"), permissions: .makeCredential, rpID: nil, fake.key.wait())
    }
    _ = try session.token(pin: Self.secret("1234"), permissions: .makeCredential, rpID: nil, fake.key.wait())
    #expect(fake.retries == 8)
  }

  @Test("that was refused for its PIN does not need the retries to say so")
  func wrongPINWithoutRetries() throws {
    let fake = try PINKey()
    fake.failure = (.getPINRetries, .invalidSubcommand)
    #expect(throws: CTAP2Error.verification(.pinInvalid(nil))) {
      try fake.key.session().token(pin: Self.secret("4321"), permissions: [], rpID: nil, fake.key.wait())
    }
  }

  @Test(
    "costs no try where the PIN cannot be one",
    arguments: [
      ("123", PINError.tooShort(3, minimum: 4)), ("12\0345", .containsNUL),
      (String(repeating: "a", count: 64), .tooManyBytes(64, maximum: 63)),
    ])
  func impossiblePIN(_ pin: String, _ error: PINError) throws {
    let fake = try PINKey()
    #expect(throws: CTAP2Error.pin(error)) {
      try fake.key.session().token(pin: Self.secret(pin), permissions: [], rpID: nil, fake.key.wait())
    }
    #expect(fake.key.commands == [.getInfo])
  }

  @Test("finds the PIN that was typed decomposed")
  func normalised() throws {
    let fake = try PINKey(pin: "pässwört")
    _ = try fake.key.session().token(
      pin: Self.secret("pa\u{308}sswo\u{308}rt"), permissions: [], rpID: nil, fake.key.wait())
    #expect(fake.retries == 8)
  }

  @Test("is not asked for where the PIN has to be changed first, is not set, or is not known to the key")
  func notAsked() throws {
    let mustChange = try PINKey()
    mustChange.key.info.forcePINChange = true
    let notSet = try PINKey(pin: nil)
    let none = FakeKey()
    let unknown = try PINKey()
    unknown.key.info.pinUvAuthProtocols = [9]
    let table: [(FakeKey, CTAP2Error)] = [
      (mustChange.key, .verification(.pinMustChange)), (notSet.key, .verification(.pinNotSet)),
      (none, .notOffered("a PIN")), (unknown.key, .notOffered("a PIN/UV protocol that is known here")),
    ]
    for (key, error) in table {
      #expect(throws: error) {
        try key.session().token(pin: Self.secret("1234"), permissions: [], rpID: nil, key.wait())
      }
      #expect(key.commands == [.getInfo])
    }
  }

  @Test("of a wrong length is refused", arguments: [(PINUVAuthProtocol.two, 16), (.two, 48), (.one, 48), (.one, 64)])
  func tokenLength(_ version: PINUVAuthProtocol, _ count: Int) throws {
    let fake = try PINKey(version)
    fake.token = [UInt8](repeating: 1, count: count)
    #expect(throws: CTAP2Error.crypto(.invalidLength(what: "PIN/UV token", expected: 32, found: count))) {
      try fake.key.session().token(pin: Self.secret("1234"), permissions: [], rpID: nil, fake.key.wait())
    }
  }

  @Test("of 16 bytes is taken with protocol one")
  func shortToken() throws {
    let fake = try PINKey(.one)
    fake.token = [UInt8](repeating: 1, count: 16)
    _ = try fake.key.session().token(pin: Self.secret("1234"), permissions: [], rpID: nil, fake.key.wait())
  }

  @Test("is not asked for with a key agreement key that is off its curve; one without alg will do")
  func keyAgreement() throws {
    let fake = try PINKey()
    fake.announcedKey = COSEKey(.ec2(curve: 1, x: fake.pair.x, y: fake.pair.x), alg: -25)
    #expect { try fake.key.session().keyAgreement(fake.key.wait()) } throws: { error in
      if case .crypto? = error as? CTAP2Error { true } else { false }
    }
    fake.announcedKey = COSEKey(.ec2(curve: 1, x: fake.pair.x, y: fake.pair.y), alg: nil)
    _ = try fake.key.session().token(pin: Self.secret("1234"), permissions: [], rpID: nil, fake.key.wait())
  }

  @Test("needs a random source that is one")
  func constantRandom() throws {
    let fake = try PINKey()
    let session = try fake.key.session(random: FixedRandom([[0]]))
    #expect(throws: CTAP2Error.crypto(.invalidKey("the random source gives no private scalar"))) {
      try session.keyAgreement(fake.key.wait())
    }
  }

  @Test("comes for the key's own verification, with its permissions")
  func byVerification() throws {
    let fake = try PINKey(uv: true)
    let token = try fake.key.session().token(
      builtInUserVerification: [.makeCredential, .getAssertion], rpID: "example.org", fake.key.wait())
    let last = try #require(fake.last)
    #expect(last.subCommand == .getPINUVAuthTokenUsingUVWithPermissions)
    #expect(last.permissions == [.makeCredential, .getAssertion])
    #expect(last.rpID == "example.org")
    #expect(last.pinHashEnc == nil)
    #expect(token.permissions == [.makeCredential, .getAssertion])
    #expect(fake.key.commands == [.getInfo, .clientPIN, .clientPIN])
  }

  @Test("tells a key that did not recognise its holder from one that stopped trying")
  func verificationFails() throws {
    let fake = try PINKey(uv: true)
    fake.failure = (.getPINUVAuthTokenUsingUVWithPermissions, .uvInvalid)
    #expect(throws: CTAP2Error.verification(.uvInvalid(retries: 3))) {
      try fake.key.session().token(builtInUserVerification: .makeCredential, rpID: nil, fake.key.wait())
    }
    fake.failure = (.getPINUVAuthTokenUsingUVWithPermissions, .uvBlocked)
    #expect(throws: CTAP2Error.verification(.uvBlocked)) {
      try fake.key.session().token(builtInUserVerification: .makeCredential, rpID: nil, fake.key.wait())
    }
  }

  @Test("is not asked for where the key has no verification of its own that is set up", arguments: [nil, false])
  func noVerification(_ uv: Bool?) throws {
    let fake = try PINKey(uv: uv)
    #expect(throws: CTAP2Error.notOffered("a token for its own user verification")) {
      try fake.key.session().token(builtInUserVerification: .makeCredential, rpID: nil, fake.key.wait())
    }
    let old = try PINKey(permissions: false, uv: true)
    #expect(throws: CTAP2Error.notOffered("a token for its own user verification")) {
      try old.key.session().token(builtInUserVerification: .makeCredential, rpID: nil, old.key.wait())
    }
  }

  @Test("costs one transaction to ask for the tries that are left, with the word of the power cycle")
  func retries() throws {
    let fake = try PINKey(uv: true)
    let session = try fake.key.session()
    fake.retries = 5
    #expect(try session.pinRetries(fake.key.wait()) == PINRetries(count: 5, needsPowerCycle: true))
    #expect(try session.uvRetries(fake.key.wait()) == 3)
    #expect(fake.key.commands == [.getInfo, .clientPIN, .clientPIN])
  }

  @Test("and its parts are passed over where an answer has other members")
  func staleAnswers() throws {
    let fake = try PINKey(uv: true)
    let react = fake.key.answer
    fake.key.answer = { request in
      if request.command == .clientPIN {
        fake.key.sendStale([0x00, 0xa1, 0x06, 0x01])
        fake.key.sendStale([0x00])
      }
      return try react(request)
    }
    let session = try fake.key.session()
    #expect(try session.pinRetries(fake.key.wait()).count == 8)
    #expect(try session.uvRetries(fake.key.wait()) == 3)
    _ = try session.token(pin: Self.secret("1234"), permissions: .makeCredential, rpID: nil, fake.key.wait())
    #expect(fake.key.commands.count == 5)
  }

  @Test("is asked for only once, even where the answer is lost")
  func notRepeated() throws {
    let fake = try PINKey()
    let react = fake.key.answer
    var asked = 0
    fake.key.answer = { request in
      let reaction = try react(request)
      if fake.last?.subCommand == .getPINUVAuthTokenUsingPINWithPermissions {
        asked += 1
        return .answer([0x00, 0xa0])
      }
      return reaction
    }
    #expect(throws: CTAP2Error.misfit("it has no token", .clientPIN)) {
      try fake.key.session().token(pin: Self.secret("1234"), permissions: [], rpID: nil, fake.key.wait())
    }
    #expect(asked == 1)
  }

  @Test("and a shared secret never show their bytes")
  func descriptions() throws {
    let token = try PINKey.token(.two)
    var text = ""
    dump(token, to: &text)
    text += "\(token)"
    #expect(!text.contains("5a5a") && !text.contains("90, 90"))
  }
}
