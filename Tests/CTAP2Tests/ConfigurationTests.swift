import BridgeTestSupport
import CBOR
import CTAPHID
import CTAPMessages
import Octets
import Testing

@testable import CTAP2

@Suite("Configuring a key")
struct ConfigurationTests {
  /// A key that carries configuration commands out, and what it was asked for.
  private final class ConfiguredKey {
    let key: FakeKey
    var seen: [AuthenticatorConfigRequest] = []
    var isDeaf = false

    init(_ options: AuthenticatorOptions = ["alwaysUv": false, "ep": false, "setMinPINLength": true]) {
      key = FakeKey(options: options)
      key.info.options?["authnrCfg"] = true
      key.info.options?["clientPin"] = true
      key.info.longTouchForReset = false
      key.info.maxRPIDsForSetMinPINLength = 2
      key.answer = { [unowned self] request in
        guard request.command == .config, let parameters = request.parameters else { return nil }
        let asked = try AuthenticatorConfigRequest(cbor: parameters)
        seen.append(asked)
        let proof = try ConfigurationTests.token().authenticate(asked.authenticatedBytes)
        guard asked.pinUvAuthParam == nil || asked.pinUvAuthParam == proof else { return .status(.pinAuthInvalid) }
        if isDeaf { return .ok }
        switch asked.subCommand {
        case .toggleAlwaysUv:
          let wasOff = key.info.options?["alwaysUv"] == false
          key.info.options?["alwaysUv"] = wasOff
        case .enableEnterpriseAttestation: key.info.options?["ep"] = true
        case .enableLongTouchForReset: key.info.longTouchForReset = true
        default: break
        }
        return .ok
      }
    }
  }

  fileprivate static func token() throws -> PINUVAuthToken {
    try PINKey.token(.two, permissions: .authenticatorConfiguration)
  }

  @Test("switches \"always verify\" to what was asked for, looking first", arguments: [true, false], [true, false])
  func alwaysUv(before: Bool, after: Bool) throws {
    let fake = ConfiguredKey()
    fake.key.info.options?["alwaysUv"] = before
    let changed = try fake.key.session().setAlwaysUv(after, Self.token(), fake.key.wait())
    #expect(changed == (before != after))
    #expect(fake.key.info.options?["alwaysUv"] == after)
    #expect(fake.seen.map(\.subCommand) == (changed ? [.toggleAlwaysUv] : []))
  }

  @Test("says so where the key took the toggle and did not switch")
  func stuck() throws {
    let fake = ConfiguredKey()
    fake.isDeaf = true
    #expect(throws: CTAP2Error.misfit("the setting \"always verify\" is as it was", .config)) {
      try fake.key.session().setAlwaysUv(true, Self.token(), fake.key.wait())
    }
  }

  @Test("does not take a toggle back that the key carried out, where it can't be asked afterwards")
  func unreadable() throws {
    let fake = ConfiguredKey()
    let (key, carryOut) = (fake.key, fake.key.answer)
    fake.key.answer = { [unowned fake] request in
      if request.command == .getInfo, !fake.seen.isEmpty { return .status(.other) }
      return try carryOut(request)
    }
    #expect(throws: CTAP2Error.changeUncertain(.alwaysUv, cause: .status(.other, .getInfo))) {
      try key.session().setAlwaysUv(true, Self.token(), key.wait())
    }
  }

  @Test("switches on for good what is off, and sends nothing where it is on")
  func lasting() throws {
    let fake = ConfiguredKey()
    let session = try fake.key.session()
    #expect(try session.enableEnterpriseAttestation(Self.token(), fake.key.wait()))
    #expect(try !session.enableEnterpriseAttestation(Self.token(), fake.key.wait()))
    #expect(try session.enableLongTouchForReset(nil, fake.key.wait()))
    #expect(try !session.enableLongTouchForReset(nil, fake.key.wait()))
    #expect(fake.seen.map(\.subCommand) == [.enableEnterpriseAttestation, .enableLongTouchForReset])
    // Without a token there is no proof, and no protocol either.
    #expect(fake.seen.map { $0.pinUvAuthProtocol } == [2, nil])
  }

  @Test("sends what is to be set, and nothing else")
  func minimum() throws {
    let fake = ConfiguredKey()
    fake.key.info.pinComplexityPolicy = false
    let session = try fake.key.session()
    let parameters = SetMinPINLengthParameters(newMinPINLength: 6, minPinLengthRPIDs: ["a.example", "b.example"])
    try session.setMinimumPINLength(parameters, Self.token(), fake.key.wait())
    try session.forcePINChange(Self.token(), fake.key.wait())
    try session.enforcePINComplexity(Self.token(), fake.key.wait())
    #expect(
      fake.seen.map(\.subCommandParams) == [
        .setMinPINLength(parameters), .setMinPINLength(SetMinPINLengthParameters(forceChangePin: true)),
        .setMinPINLength(SetMinPINLengthParameters(pinComplexityPolicy: true)),
      ])
  }

  @Test("says before anything is sent what the key can't do")
  func limits() throws {
    let fake = ConfiguredKey()
    fake.key.info.minPINLength = 6
    fake.key.info.maxPINLength = 16
    let session = try fake.key.session()
    for parameters in [
      SetMinPINLengthParameters(newMinPINLength: 5), SetMinPINLengthParameters(newMinPINLength: 17),
      SetMinPINLengthParameters(minPinLengthRPIDs: ["a", "b", "c"]),
      SetMinPINLengthParameters(pinComplexityPolicy: true),
    ] {
      #expect {
        try session.setMinimumPINLength(parameters, Self.token(), fake.key.wait())
      } throws: { error in
        if case .notOffered = error as? CTAP2Error { true } else { false }
      }
    }
    fake.key.info.options?["clientPin"] = false
    #expect(throws: CTAP2Error.verification(.pinNotSet)) { try session.forcePINChange(nil, fake.key.wait()) }
    #expect(fake.seen.isEmpty)
  }

  @Test("tells a refused setting from a PIN that must be changed")
  func policy() throws {
    let fake = ConfiguredKey()
    fake.key.answer = { $0.command == .config ? .status(.pinPolicyViolation) : nil }
    #expect(throws: CTAP2Error.status(.pinPolicyViolation, .config)) {
      try fake.key.session().forcePINChange(Self.token(), fake.key.wait())
    }
  }

  @Test(
    "is not tried on a key that has no such setting",
    arguments: [
      { _ = try $0.setAlwaysUv(true, nil, $1) }, { _ = try $0.enableEnterpriseAttestation(nil, $1) },
      { try $0.setMinimumPINLength(SetMinPINLengthParameters(newMinPINLength: 8), nil, $1) },
      { _ = try $0.enableLongTouchForReset(nil, $1) },
      { try $0.vendorConfiguration(VendorPrototypeParameters(vendorCommandID: 1), nil, $1) },
    ] as [@Sendable (KeySession, Wait) throws -> Void])
  func notOffered(_ change: @Sendable (KeySession, Wait) throws -> Void) throws {
    let bare = FakeKey(options: ["authnrCfg": true])
    let session = try bare.session()
    #expect {
      try change(session, bare.wait())
    } throws: { error in
      if case .notOffered = error as? CTAP2Error { true } else { false }
    }
    #expect(!bare.commands.contains(.config))
    // One that lists its configuration commands has no others.
    let listing = ConfiguredKey()
    listing.key.info.authenticatorConfigCommands = [0x77]
    listing.key.info.vendorPrototypeConfigCommands = [1]
    #expect(throws: CTAP2Error.notOffered("that part of configuration")) {
      try change(listing.key.session(), listing.key.wait())
    }
  }

  @Test("sends a vendor's own command, where the key lists it")
  func vendor() throws {
    let fake = ConfiguredKey()
    fake.key.info.vendorPrototypeConfigCommands = [0xffff_ffff_ffff_ffff]
    let parameters = VendorPrototypeParameters(
      vendorCommandID: .max, additional: CBORMap([(.unsigned(2), .text("x"))]))
    try fake.key.session().vendorConfiguration(parameters, Self.token(), fake.key.wait())
    #expect(fake.seen.map(\.subCommandParams) == [.vendorPrototype(parameters)])
  }
}
