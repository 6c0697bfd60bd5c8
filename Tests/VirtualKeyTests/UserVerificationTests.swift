import BridgeTestSupport
import CTAPMessages
import Testing

@testable import VirtualKey

@Suite("user verification")
struct UserVerificationTests {
  /// Where user verification is needed, and what a request without it gets (CTAP 2.1 §6.1.2 steps 6 to 8).
  @Test(
    "makeCredential without verification ends by what is set up",
    arguments: [
      // options, PIN, rk → status, verified
      ([:], nil, false, .ok, false), ([:], nil, true, .ok, false), ([:], "1234", false, .ok, false),
      ([:], "1234", true, .puatRequired, false), (["makeCredUvNotRqd": false], nil, true, .ok, false),
      (["makeCredUvNotRqd": false], "1234", false, .puatRequired, false),
      (["makeCredUvNotRqd": nil], "1234", false, .puatRequired, false),
      (["makeCredUvNotRqd": nil, "uv": false], nil, false, .ok, false),
      (["makeCredUvNotRqd": nil, "uv": true], nil, false, .operationDenied, false),
      (["makeCredUvNotRqd": nil, "uv": true, "clientPin": nil], nil, false, .operationDenied, false),
      (["uv": true, "clientPin": nil], nil, false, .ok, false),
      (["uv": true, "clientPin": nil], nil, true, .operationDenied, false),
      (["noMcGaPermissionsWithClientPin": true], "1234", true, .operationDenied, false),
      (["alwaysUv": true, "clientPin": nil], nil, false, .operationDenied, false),
      (["alwaysUv": true], nil, false, .puatRequired, false), (["alwaysUv": true], "1234", false, .puatRequired, false),
      (["alwaysUv": true, "uv": true], nil, false, .ok, true),
      (["alwaysUv": true, "uv": true], "1234", true, .ok, true),
      (["alwaysUv": false], nil, false, .ok, false),
    ] as [([String: Bool?], String?, Bool, CTAPStatus, Bool)])
  func needed(_ options: [String: Bool?], _ pin: String?, _ rk: Bool, _ status: CTAPStatus, _ verified: Bool) throws {
    let key = try TestKey(.with(options: options, pin: pin))
    #expect(try key.makeStatus(.sample(rk: rk)) == status)
    if status == .ok {
      #expect(try key.make(.sample(rk: rk)).authData.flags.contains(.userVerified) == verified)
    }
  }

  @Test("getAssertion needs verification under alwaysUv, but for a silent one")
  func assertions() throws {
    let key = try TestKey(.with(options: ["alwaysUv": true], pin: "1234"))
    let host = try PINHost(key)
    try host.obtain(host.token("1234"))
    let made = try key.make(host.signed(.sample()))
    var request = GetAssertionRequest.sample(allow: [made.id])
    #expect(try key.getStatus(request) == .puatRequired)
    request.options.up = false
    #expect(try key.get(request).authData.flags == [])
    let sensor = try TestKey(.with(options: ["alwaysUv": true, "uv": true]))
    let id = try sensor.make(.sample()).id
    #expect(try sensor.get(.sample(allow: [id])).authData.flags == [.userPresent, .userVerified])
  }

  @Test("the built-in sensor verifies, and its touch is the one touch")
  func builtIn() throws {
    let key = try TestKey(.with(options: ["uv": true]))
    var request = MakeCredentialRequest.sample(rk: true)
    request.options.uv = true
    let made = try key.make(request)
    #expect(made.authData.flags == [.userPresent, .userVerified, .attestedCredential])
    #expect(key.touches == 1)
    #expect(key.events.contains(.verificationTry(succeeded: true, retriesLeft: 5)))
    var assertion = GetAssertionRequest.sample(allow: [made.id])
    assertion.options.uv = true
    #expect(try key.get(assertion).authData.flags == [.userPresent, .userVerified])
    #expect(key.touches == 2)
  }

  @Test("a sensor that is there and not set up cannot be asked for")
  func notSetUp() throws {
    let key = try TestKey(.with(options: ["uv": false]))
    var request = MakeCredentialRequest.sample()
    request.options.uv = true
    #expect(try key.makeStatus(request) == .invalidOption)
    let host = try PINHost(key)
    #expect(try host.status(host.uvToken()) == .notAllowed)
    #expect(try key.answer(.clientPIN, ClientPINRequest(.getUVRetries)) == ClientPINResponse(uvRetries: 5))
  }

  @Test("a wrong finger costs tries until the sensor is blocked, and the right PIN gives them back")
  func wrongFinger() throws {
    let key = try TestKey(.with(options: ["uv": true], pin: "1234", verification: .fails))
    let host = try PINHost(key)
    for left in (0..<5).reversed() {
      #expect(try host.status(host.uvToken()) == (left == 0 ? .uvBlocked : .uvInvalid))
      #expect(try key.answer(.clientPIN, ClientPINRequest(.getUVRetries)) == ClientPINResponse(uvRetries: left))
    }
    let touches = key.touches
    #expect(try host.status(host.uvToken()) == .uvBlocked)
    #expect(key.touches == touches)
    #expect(try host.status(host.token("1234")) == .ok)
    #expect(try key.answer(.clientPIN, ClientPINRequest(.getUVRetries)) == ClientPINResponse(uvRetries: 5))
  }

  @Test("a blocked sensor leaves the PIN, or nothing", arguments: [VerificationPolicy.fails, .blocked])
  func blocked(_ policy: VerificationPolicy) throws {
    var request = MakeCredentialRequest.sample()
    request.options.uv = true
    let withPIN = try TestKey(.with(options: ["uv": true], pin: "1234", verification: policy))
    #expect(try withPIN.makeStatus(request) == .puatRequired)
    let beforePIN = try TestKey(.with(options: ["uv": true], verification: policy))
    #expect(try beforePIN.makeStatus(request) == .operationDenied)
    let without = try TestKey(.with(options: ["uv": true, "clientPin": nil], verification: policy))
    #expect(try without.makeStatus(request) == .operationDenied)
    #expect(try PINHost(without).status(PINHost(without).uvToken()) == (policy == .blocked ? .uvBlocked : .uvInvalid))
  }

  @Test("a token from the sensor carries its touch for 30 s", arguments: [(0, 1), (29, 1), (31, 2)])
  func presence(_ seconds: Int, _ touches: Int) throws {
    let key = try TestKey(.with(options: ["uv": true, "makeCredUvNotRqd": nil]))
    let host = try PINHost(key)
    try host.obtain(host.uvToken())
    var probe = GetAssertionRequest.sample()
    probe.options.up = false
    #expect(try key.getStatus(host.signed(probe)) == .noCredentials)
    key.clock.advance(by: .seconds(seconds))
    #expect(try key.make(host.signed(.sample())).authData.flags.contains([.userPresent, .userVerified]))
    #expect(key.touches == touches)
    // Its presence is used up with it.
    #expect(try key.makeStatus(host.signed(.sample())) == .pinAuthInvalid)
  }

  @Test("an excluded credential is told of at once to who has just touched the sensor")
  func excluded() throws {
    let key = try TestKey(.with(options: ["uv": true]))
    var request = MakeCredentialRequest.sample()
    request.options.uv = true
    let made = try key.make(request)
    request.excludeList = [CredentialDescriptor(id: made.id)]
    #expect(try key.makeStatus(request) == .credentialExcluded)
    #expect(key.touches == 2)
  }

  @Test("a pinUvAuthParam makes the uv option count as false")
  func both() throws {
    let key = try TestKey(.with(pin: "1234"))
    let host = try PINHost(key)
    try host.obtain(host.token("1234"))
    var request: MakeCredentialRequest = host.signed(.sample())
    request.options.uv = true
    #expect(try key.make(request).authData.flags.contains(.userVerified))
  }

  @Test("the sensor's permissions follow its own options")
  func sensorPermissions() throws {
    let options: [String: Bool?] = ["uv": true, "bioEnroll": true, "authnrCfg": true]
    let plain = try PINHost(TestKey(.with(options: options)))
    #expect(try plain.status(plain.uvToken(.bioEnrollment)) == .unauthorizedPermission)
    #expect(try plain.status(plain.uvToken(.authenticatorConfiguration)) == .unauthorizedPermission)
    let able = options.merging(["uvBioEnroll": true, "uvAcfg": true]) { $1 }
    let host = try PINHost(TestKey(.with(options: able)))
    #expect(try host.status(host.uvToken(.bioEnrollment)) == .ok)
    #expect(try host.status(host.uvToken(.authenticatorConfiguration)) == .ok)
  }
}
