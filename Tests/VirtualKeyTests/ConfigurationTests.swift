import BridgeTestSupport
import CBOR
import CTAPMessages
import Testing

@testable import VirtualKey

@Suite("authenticatorConfig")
struct ConfigurationTests {
  private func host(_ key: TestKey) throws -> PINHost {
    let host = try PINHost(key)
    try host.obtain(host.token("1234", .authenticatorConfiguration, rpID: nil))
    return host
  }

  private func minimum(_ parameters: SetMinPINLengthParameters) -> AuthenticatorConfigRequest {
    AuthenticatorConfigRequest(.setMinPINLength, .setMinPINLength(parameters))
  }

  @Test("each setting shows in getInfo and outlives the power")
  func settings() throws {
    let store = MemoryStore()
    let key = try TestKey(.with(pin: "1234"), store: store)
    let host = try host(key)
    for request in [
      AuthenticatorConfigRequest(.enableEnterpriseAttestation), AuthenticatorConfigRequest(.toggleAlwaysUv),
      AuthenticatorConfigRequest(.enableLongTouchForReset), minimum(SetMinPINLengthParameters(newMinPINLength: 4)),
    ] {
      #expect(try key.status(.config, host.signed(request)) == .ok)
      #expect(key.events.contains(.configured(request.subCommand)))
    }
    for key in [key, try TestKey(.with(pin: "1234"), store: store)] {
      let info = try key.info()
      #expect(info.options?[.ep] == true)
      #expect(info.options?[.alwaysUv] == true)
      #expect(info.options?[.makeCredUvNotRqd] == false)
      #expect(info.longTouchForReset == true)
      #expect(!info.versions.contains("U2F_V2"))
      #expect(try key.makeStatus(.sample()) == .puatRequired)
    }
    #expect(try key.status(.config, host.signed(AuthenticatorConfigRequest(.toggleAlwaysUv))) == .ok)
    #expect(try key.info().options?[.alwaysUv] == false)
  }

  @Test("what is set goes with a reset")
  func reset() throws {
    let key = try TestKey(.with(pin: "1234"))
    let before = try TestKey().info()
    let host = try host(key)
    for request in [
      AuthenticatorConfigRequest(.enableEnterpriseAttestation), AuthenticatorConfigRequest(.toggleAlwaysUv),
      minimum(SetMinPINLengthParameters(newMinPINLength: 8, pinComplexityPolicy: true)),
    ] { #expect(try key.status(.config, host.signed(request)) == .ok) }
    try key.powerCycle()
    #expect(try key.status(.reset) == .ok)
    #expect(try key.info() == before)
  }

  @Test("a longer minimum demands a new PIN where the old is too short, and never becomes shorter")
  func minimumLength() throws {
    let key = try TestKey(.with(pin: "1234"))
    let host = try host(key)
    #expect(try key.status(.config, host.signed(minimum(SetMinPINLengthParameters(newMinPINLength: 4)))) == .ok)
    #expect(try key.info().forcePINChange != true)
    #expect(try key.status(.config, host.signed(minimum(SetMinPINLengthParameters(newMinPINLength: 6)))) == .ok)
    let info = try key.info()
    #expect(info.minPINLength == 6)
    #expect(info.forcePINChange == true)
    // The token goes with the PIN that it came from.
    #expect(
      try key.status(.config, host.signed(minimum(SetMinPINLengthParameters(newMinPINLength: 7)))) == .pinAuthInvalid)
    #expect(try host.status(host.token("1234")) == .pinPolicyViolation || key.info().forcePINChange == true)
    try host.agree()
    #expect(try key.pinStatus(host.changePIN("1234", to: "12345")) == .pinPolicyViolation)
    try host.agree()
    #expect(try key.pinStatus(host.changePIN("1234", to: "135790")) == .ok)
    #expect(try key.info().forcePINChange != true)
    try host.obtain(host.token("135790", .authenticatorConfiguration, rpID: nil))
    #expect(
      try key.status(.config, host.signed(minimum(SetMinPINLengthParameters(newMinPINLength: 5))))
        == .pinPolicyViolation)
    #expect(
      try key.status(.config, host.signed(minimum(SetMinPINLengthParameters(newMinPINLength: 64))))
        == .pinPolicyViolation)
  }

  @Test("a change of the PIN can be demanded, where there is one")
  func forced() throws {
    let key = try TestKey(.with(pin: "1234"))
    let demand = minimum(SetMinPINLengthParameters(forceChangePin: true))
    #expect(try key.status(.config, host(key).signed(demand)) == .ok)
    #expect(try key.info().forcePINChange == true)
    // A key that nothing protects is configured by whoever holds it.
    let open = try TestKey()
    #expect(try open.status(.config, demand) == .pinNotSet)
    #expect(try open.status(.config, minimum(SetMinPINLengthParameters(newMinPINLength: 6))) == .ok)
    #expect(try open.info().minPINLength == 6)
    #expect(try open.status(.config, AuthenticatorConfigRequest(.toggleAlwaysUv)) == .ok)
    #expect(try open.status(.config, AuthenticatorConfigRequest(.toggleAlwaysUv)) == .puatRequired)
  }

  @Test("the minimum is told to the relying parties that are set, as many as fit")
  func relyingParties() throws {
    let key = try TestKey(.with(pin: "1234"))
    let host = try host(key)
    let many = (0..<9).map { "rp\($0).example.org" }
    #expect(
      try key.status(.config, host.signed(minimum(SetMinPINLengthParameters(minPinLengthRPIDs: many)))) == .keyStoreFull
    )
    #expect(
      try key.status(.config, host.signed(minimum(SetMinPINLengthParameters(minPinLengthRPIDs: ["example.org"]))))
        == .ok)
    for (rpID, length) in [("example.org", 4), ("example.com", nil)] {
      try host.obtain(host.token("1234", .makeCredential, rpID: rpID))
      var request = MakeCredentialRequest.sample(rpID: rpID)
      request.extensions = ["minPinLength": true]
      let made = try key.make(host.signed(request))
      #expect(made.authData.extensions?["minPinLength"]?.intValue == length)
    }
  }

  @Test("a policy on PINs can be switched on and not off, and refuses simple PINs")
  func complexity() throws {
    let key = try TestKey(.with(pin: "1234"))
    let host = try host(key)
    #expect(try key.status(.config, host.signed(minimum(SetMinPINLengthParameters(pinComplexityPolicy: true)))) == .ok)
    #expect(try key.info().pinComplexityPolicy == true)
    #expect(try key.info().forcePINChange == true)
    for simple in ["1111", "5678", "9876", "aaaaa", "ääää"] {
      try host.agree()
      #expect(try key.pinStatus(host.changePIN("1234", to: simple)) == .pinPolicyViolation)
    }
    try host.agree()
    #expect(try key.pinStatus(host.changePIN("1234", to: "1357")) == .ok)
    try host.obtain(host.token("1357", .authenticatorConfiguration, rpID: nil))
    #expect(
      try key.status(.config, host.signed(minimum(SetMinPINLengthParameters(pinComplexityPolicy: false))))
        == .invalidParameter)
  }

  @Test(
    "what the profile does not have is refused",
    arguments: [
      (.enableEnterpriseAttestation, ["ep": nil]), (.toggleAlwaysUv, ["alwaysUv": nil]),
      (.setMinPINLength, ["setMinPINLength": nil]), (.vendorPrototype, [:]),
      (AuthenticatorConfigSubcommand(rawValue: 0x77), [:]),
    ] as [(AuthenticatorConfigSubcommand, [String: Bool?])])
  func unsupported(_ subCommand: AuthenticatorConfigSubcommand, _ options: [String: Bool?]) throws {
    let key = try TestKey(.with(options: options, pin: "1234"))
    #expect(try key.status(.config, host(key).signed(AuthenticatorConfigRequest(subCommand))) == .invalidSubcommand)
  }

  @Test("a protected key is configured with a token for that alone")
  func tokens() throws {
    let key = try TestKey(.with(pin: "1234"))
    let request = AuthenticatorConfigRequest(.toggleAlwaysUv)
    #expect(try key.status(.config, request) == .puatRequired)
    let host = try PINHost(key)
    try host.obtain(host.token("1234"))
    #expect(try key.status(.config, host.signed(request)) == .pinAuthInvalid)
    #expect(try key.info().options?[.alwaysUv] == false)
    #expect(try TestKey(.with(options: ["authnrCfg": nil])).status(.config, request) == .invalidCommand)
  }
}
