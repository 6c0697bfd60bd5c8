import BridgeTestSupport
import CTAPMessages
import Octets
import Testing

@testable import VirtualKey

@Suite("clientPIN: tokens")
struct TokenTests {
  @Test("a token verifies the user, once", arguments: [1, 2])
  func once(_ version: Int) throws {
    let key = try TestKey(.with(pin: "1234"))
    let host = try PINHost(key, version: version)
    try host.obtain(host.token("1234"))
    #expect(host.token.count == (version == 1 ? 16 : 32))
    let made = try key.make(host.signed(.sample()))
    #expect(made.authData.flags == [.userPresent, .userVerified, .attestedCredential])
    #expect(try key.makeStatus(host.signed(.sample())) == .pinAuthInvalid)
    try host.obtain(host.pinToken("1234"))
    #expect(try key.get(host.signed(.sample(allow: [made.id]))).authData.flags == [.userPresent, .userVerified])
    #expect(key.events.contains(.tokenGiven([.makeCredential, .getAssertion], rpID: "example.org")))
  }

  @Test("a silent assertion leaves the token for the registration after it")
  func preflight() throws {
    let key = try TestKey(.with(pin: "1234"))
    let host = try PINHost(key)
    try host.obtain(host.token("1234"))
    let made = try key.make(host.signed(.sample()))
    try host.obtain(host.token("1234"))
    var probe = GetAssertionRequest.sample(allow: [made.id])
    probe.options.up = false
    #expect(try key.get(host.signed(probe)).authData.flags == [.userVerified])
    #expect(try key.makeStatus(host.signed(.sample())) == .ok)
  }

  @Test("a token is good for its permissions and its RP alone")
  func permissions() throws {
    let key = try TestKey(.with(pin: "1234"))
    let host = try PINHost(key)
    try host.obtain(host.token("1234", .getAssertion))
    #expect(try key.makeStatus(host.signed(.sample())) == .pinAuthInvalid)
    #expect(try key.getStatus(host.signed(.sample(rpID: "example.com"))) == .pinAuthInvalid)
    #expect(try key.getStatus(host.signed(.sample())) == .noCredentials)
    try host.obtain(host.token("1234", .makeCredential))
    #expect(try key.getStatus(host.signed(.sample())) == .pinAuthInvalid)
    // The old pinToken binds itself to the first RP that it is used for.
    try host.obtain(host.pinToken("1234"))
    var probe = GetAssertionRequest.sample()
    probe.options.up = false
    #expect(try key.getStatus(host.signed(probe)) == .noCredentials)
    #expect(try key.makeStatus(host.signed(.sample(rpID: "example.com"))) == .pinAuthInvalid)
    #expect(try key.makeStatus(host.signed(.sample())) == .ok)
  }

  @Test("a token of one protocol is none of the other, and a wrong MAC is refused")
  func wrongMAC() throws {
    let key = try TestKey(.with(pin: "1234"))
    let host = try PINHost(key)
    try host.obtain(host.token("1234"))
    var request = host.signed(MakeCredentialRequest.sample())
    request.pinUvAuthProtocol = 1
    #expect(try key.makeStatus(request) == .pinAuthInvalid)
    request.pinUvAuthProtocol = 2
    request.pinUvAuthParam?[31] ^= 1
    #expect(try key.makeStatus(request) == .pinAuthInvalid)
    request.pinUvAuthParam?[31] ^= 1
    #expect(try key.makeStatus(request) == .ok)
  }

  @Test("an unused token runs out after 30 s, a used one after ten minutes")
  func time() throws {
    let key = try TestKey(.with(pin: "1234"))
    let host = try PINHost(key)
    var probe = GetAssertionRequest.sample()
    probe.options.up = false
    try host.obtain(host.token("1234"))
    key.clock.advance(by: .seconds(29))
    #expect(try key.getStatus(host.signed(probe)) == .noCredentials)
    key.clock.advance(by: .seconds(570))
    #expect(try key.getStatus(host.signed(probe)) == .noCredentials)
    key.clock.advance(by: .seconds(2))
    #expect(try key.getStatus(host.signed(probe)) == .pinAuthInvalid)
    try host.obtain(host.token("1234"))
    key.clock.advance(by: .seconds(30))
    #expect(try key.getStatus(host.signed(probe)) == .pinAuthInvalid)
  }

  @Test("the pinToken of CTAP 2.0 lasts until the power goes")
  func older() throws {
    let key = try TestKey(.ctap20(pin: "1234"))
    let host = try PINHost(key, version: 1)
    try host.obtain(host.pinToken("1234"))
    key.clock.advance(by: .seconds(3600))
    let made = try key.make(host.signed(.sample()))
    #expect(try key.get(host.signed(.sample(allow: [made.id]))).authData.flags == [.userPresent, .userVerified])
    #expect(try key.makeStatus(host.signed(.sample(rpID: "example.com"))) == .ok)
    try key.powerCycle()
    #expect(try key.makeStatus(host.signed(.sample())) == .pinAuthInvalid)
  }

  @Test(
    "permissions that a key cannot give are refused",
    arguments: [
      ([:], 0x00, .invalidParameter), (["credMgmt": nil], 0x04, .unauthorizedPermission),
      (["credMgmt": nil], 0x05, .unauthorizedPermission), ([:], 0x08, .unauthorizedPermission),
      (["largeBlobs": nil], 0x10, .unauthorizedPermission), (["authnrCfg": nil], 0x20, .unauthorizedPermission),
      (["perCredMgmtRO": nil], 0x40, .unauthorizedPermission), ([:], 0x81, .ok), ([:], 0x44, .invalidParameter),
      (["credMgmt": true], 0x04, .ok), ([:], 0x05, .ok), (["bioEnroll": false], 0x08, .ok),
      (["largeBlobs": true], 0x10, .ok),
      (["authnrCfg": true], 0x20, .ok), (["perCredMgmtRO": true], 0x40, .ok),
      (["noMcGaPermissionsWithClientPin": true], 0x01, .unauthorizedPermission),
      (["noMcGaPermissionsWithClientPin": true], 0x02, .unauthorizedPermission),
      (["noMcGaPermissionsWithClientPin": true, "credMgmt": true], 0x04, .ok),
    ] as [([String: Bool?], Int, CTAPStatus)])
  func ungrantable(_ options: [String: Bool?], _ permissions: Int, _ status: CTAPStatus) throws {
    let host = try PINHost(TestKey(.with(options: options, pin: "1234")))
    #expect(try host.status(host.token("1234", PINUVAuthPermissions(rawValue: permissions))) == status)
  }

  @Test("makeCredential and getAssertion need an RP ID, and permissions must be given")
  func parameters() throws {
    let host = try PINHost(TestKey(.with(options: ["credMgmt": true], pin: "1234")))
    #expect(try host.status(host.token("1234", .makeCredential, rpID: nil)) == .missingParameter)
    #expect(try host.status(host.token("1234", .credentialManagement, rpID: nil)) == .ok)
    var request = try host.token("1234")
    request.permissions = nil
    #expect(try host.status(request) == .missingParameter)
    request = try host.token("1234")
    request.pinHashEnc = nil
    #expect(try host.status(request) == .missingParameter)
    request = try host.pinToken("1234")
    request.rpID = "example.org"
    #expect(try host.status(request) == .invalidParameter)
    #expect(host.key.pinTries == 1)
  }

  @Test("noMcGaPermissionsWithClientPin leaves no pinToken")
  func noMcGa() throws {
    let host = try PINHost(TestKey(.with(options: ["noMcGaPermissionsWithClientPin": true], pin: "1234")))
    #expect(try host.status(host.pinToken("1234")) == .unauthorizedPermission)
  }
}
