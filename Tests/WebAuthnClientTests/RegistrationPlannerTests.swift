import CTAPMessages
import Testing

@testable import WebAuthnClient

/// What the plan comes to, for one key and one request.
private func plan(_ key: KeyFacts, _ wishes: KeyWishes) -> Result<KeyPlan, KeyObjection> {
  do throws(KeyObjection) {
    return .success(try KeyPlanner().plan(key, wishes))
  } catch {
    return .failure(error)
  }
}

private func key(_ edit: (inout KeyFacts) -> Void = { _ in }) -> KeyFacts {
  var key = KeyFacts(residentKeys: true, tokens: true)
  edit(&key)
  return key
}

private func wishes(_ edit: (inout KeyWishes) -> Void = { _ in }) -> KeyWishes {
  var wishes = KeyWishes()
  edit(&wishes)
  return wishes
}

struct RegistrationPlannerTests {
  private func refusal(_ key: KeyFacts, _ wishes: KeyWishes) -> String? {
    if case .failure(let objection) = plan(key, wishes) { objection.reason } else { nil }
  }

  private func verification(
    _ key: KeyFacts, _ verification: UserVerificationRequirement, rk: ResidentKeyRequirement = .discouraged
  ) -> KeyPlan.Verification? {
    try? plan(key, wishes { ($0.userVerification, $0.residentKey) = (verification, rk) }).get().verification
  }

  @Test("a request for a built-in authenticator finds no key")
  func attachment() {
    #expect(refusal(key(), wishes { $0.allowsSecurityKeys = false })?.contains("built into the device") == true)
  }

  @Test("a key without FIDO2 is no candidate")
  func version() throws {
    #expect(refusal(key { $0.speaksCTAP2 = false }, wishes())?.contains("neither FIDO2 nor U2F") == true)
    let old = key {
      $0.speaksCTAP2 = false
      $0.speaksU2F = true
    }
    #expect(refusal(old, wishes { $0.u2f = .never })?.contains("U2F alone") == true)
    #expect(try plan(old, wishes()).get() == KeyPlan(usesU2F: true))
  }

  @Test("a key that names its algorithms has to have one of the request's")
  func algorithm() {
    let rsa = wishes { $0.algorithms = [-257, -8] }
    #expect(refusal(key { $0.algorithms = [-7] }, rsa)?.contains("-257, -8") == true)
    #expect(refusal(key { $0.algorithms = [-7, -8] }, rsa) == nil)
    #expect(refusal(key(), rsa) == nil)
  }

  @Test("residentKey decides whether the credential is discoverable")
  func residentKey() {
    func rk(_ wish: ResidentKeyRequirement, _ edit: (inout KeyFacts) -> Void = { _ in }) -> Bool? {
      try? plan(key(edit), wishes { $0.residentKey = wish }).get().residentKey
    }
    #expect(rk(.required) == true)
    #expect(rk(.preferred) == true)
    #expect(rk(.discouraged) == false)
    #expect(rk(.required) { $0.residentKeys = false } == nil)
    #expect(rk(.preferred) { $0.residentKeys = false } == false)
    #expect(rk(.preferred) { $0.hasRoom = false } == false)
    // The count is an estimate, so a key is asked where nothing else will do.
    #expect(rk(.required) { $0.hasRoom = false } == true)
  }

  @Test("the key's own verification comes before the PIN, which stands by")
  func method() {
    #expect(verification(key { $0.pin = true }, .required) == .pin)
    #expect(verification(key { $0.builtIn = true }, .required) == .builtInToken(pin: false))
    #expect(verification(key { ($0.builtIn, $0.pin) = (true, true) }, .required) == .builtInToken(pin: true))
    #expect(verification(key { ($0.builtIn, $0.pin) = (true, false) }, .required) == .builtInToken(pin: false))
    #expect(verification(key { ($0.builtIn, $0.tokens) = (true, false) }, .required) == .builtInOption(pin: false))
    #expect(
      verification(key { ($0.builtIn, $0.tokens, $0.pin) = (true, false, true) }, .required)
        == .builtInOption(pin: true))
    #expect(verification(key { ($0.tokens, $0.pin) = (false, true) }, .required) == .pin)
  }

  @Test("a PIN without permission for makeCredential does not serve, by whatever subcommand a token is asked for")
  func pinPermission() {
    let key = key { ($0.pin, $0.pinCannotCreate) = (true, true) }
    #expect(verification(key, .required) == nil)
    #expect(refusal(key, wishes { $0.userVerification = .required })?.contains("does not permit") == true)
    var both = key
    both.builtIn = true
    #expect(verification(both, .required) == .builtInToken(pin: false))
    var old = key
    old.tokens = false
    #expect(verification(old, .required) == nil)
  }

  @Test("a preferred discoverable credential gives way where only its verification is impossible")
  func yielding() {
    func rk(_ uv: UserVerificationRequirement, _ edit: (inout KeyFacts) -> Void = { _ in }) -> Bool? {
      let key = key { key in
        (key.pin, key.pinCannotCreate, key.createsUnverified) = (true, true, true)
        edit(&key)
      }
      return try? plan(key, wishes { ($0.residentKey, $0.userVerification) = (.preferred, uv) }).get().residentKey
    }
    #expect(rk(.discouraged) == false)
    #expect(rk(.preferred) == false)
    #expect(rk(.required) == nil)
    #expect(rk(.discouraged) { $0.createsUnverified = false } == nil)
    #expect(rk(.discouraged) { $0.alwaysVerifies = true } == nil)
    #expect(rk(.discouraged) { $0.pinCannotCreate = false } == true)
    #expect(rk(.discouraged) { $0.pin = false } == true)
  }

  @Test("preferred verification happens where the key is set up for it, and is done without elsewhere")
  func preferred() {
    #expect(verification(key(), .preferred) == KeyPlan.Verification.none)
    #expect(verification(key { $0.pin = false }, .preferred) == KeyPlan.Verification.none)
    #expect(verification(key { ($0.pin, $0.createsUnverified) = (true, true) }, .preferred) == .pin)
  }

  @Test("a protected key insists on verification, except where makeCredUvNotRqd and the credential is not discoverable")
  func protected() {
    #expect(verification(key { $0.pin = true }, .discouraged) == .pin)
    #expect(verification(key { $0.builtIn = true }, .discouraged) == .builtInToken(pin: false))
    let lenient = key { ($0.pin, $0.createsUnverified) = (true, true) }
    #expect(verification(lenient, .discouraged) == KeyPlan.Verification.none)
    #expect(verification(lenient, .discouraged, rk: .preferred) == .pin)
    #expect(verification(key(), .discouraged, rk: .required) == KeyPlan.Verification.none)
  }

  @Test("alwaysUv verifies whatever is asked")
  func alwaysVerified() {
    let key = key { ($0.pin, $0.createsUnverified, $0.alwaysVerifies) = (true, true, true) }
    #expect(verification(key, .discouraged) == .pin)
    var bare = key
    bare.pin = false
    #expect(refusal(bare, wishes { $0.userVerification = .discouraged })?.contains("set one first") == true)
  }

  @Test(
    "a key that cannot verify its user is no candidate where it must, and says what is missing",
    arguments: [(nil, nil, "neither"), (false, nil, "no PIN yet"), (nil, false, "not set up")]
      as [(Bool?, Bool?, String)])
  func impossible(_ pin: Bool?, _ builtIn: Bool?, _ words: String) {
    let reason = refusal(key { ($0.pin, $0.builtIn) = (pin, builtIn) }, wishes { $0.userVerification = .required })
    #expect(reason?.contains(words) == true)
  }

  @Test("a PIN that must be changed is a reason of its own")
  func mustChange() {
    let key = key { ($0.pin, $0.mustChangePIN) = (true, true) }
    #expect(
      plan(key, wishes())
        == .failure(KeyObjection(reason: "its PIN must be changed before it is used", kind: .pinMustChange)))
    var withFinger = key
    withFinger.builtIn = true
    #expect(verification(withFinger, .required) == .builtInToken(pin: true))
  }

  @Test(
    "a PIN that must be changed is not needed where the key registers without it",
    arguments: [UserVerificationRequirement.preferred, .discouraged])
  func mustChangeAndNotRequired(_ requirement: UserVerificationRequirement) throws {
    let key = key { ($0.pin, $0.mustChangePIN, $0.createsUnverified, $0.residentKeys) = (true, true, true, true) }
    func outcome(_ residentKey: ResidentKeyRequirement) -> Result<KeyPlan, KeyObjection> {
      plan(key, wishes { ($0.userVerification, $0.residentKey) = (requirement, residentKey) })
    }
    #expect(try outcome(.preferred).get() == KeyPlan(residentKey: false, verification: .none))
    #expect(throws: KeyObjection.self) { try outcome(.required).get() }
  }

  @Test("an enterprise attestation needs the policy and the key")
  func enterprise() {
    for (policy, enabled) in [
      (.platformManaged, true), (.vendorFacilitated, true), (.platformManaged, false), (nil, true),
    ]
      as [(EnterpriseAttestation?, Bool)]
    {
      let plan = try? plan(key { $0.enterprise = enabled }, wishes { $0.enterprise = policy }).get()
      #expect(plan?.enterpriseAttestation == (enabled ? policy : nil))
    }
  }

  @Test("facts come from getInfo with the specification's defaults")
  func facts() {
    let old = KeyFacts(GetInfoResponse(versions: ["U2F_V2", "FIDO_2_0", "FIDO_2_1_PRE"], aaguid: .zero))
    #expect(old == KeyFacts(speaksCTAP2: true, speaksCTAP21: false, speaksU2F: true))
    #expect(!KeyFacts(GetInfoResponse(versions: ["U2F_V2"], aaguid: .zero)).speaksCTAP2)
    var info = GetInfoResponse(versions: ["FIDO_2_1"], aaguid: .zero)
    info.options = [
      "rk": true, "clientPin": true, "uv": false, "pinUvAuthToken": true, "noMcGaPermissionsWithClientPin": true,
      "alwaysUv": true, "makeCredUvNotRqd": true, "ep": true,
    ]
    info.forcePINChange = true
    info.remainingDiscoverableCredentials = 0
    info.algorithms = [CredentialParameters(algorithm: -8), CredentialParameters(type: "new", algorithm: -7)]
    #expect(
      KeyFacts(info)
        == KeyFacts(
          speaksCTAP2: true, speaksCTAP21: true, residentKeys: true, hasRoom: false, pin: true, builtIn: false,
          tokens: true, pinCannotCreate: true, alwaysVerifies: true, createsUnverified: true, enterprise: true,
          mustChangePIN: true, algorithms: [-8]))
    info.algorithms = []
    #expect(KeyFacts(info).algorithms == nil)
  }

  @Test("wishes come from the request and the policy")
  func fromRequest() throws {
    func wishes(_ more: String, enterprise: [String: EnterpriseAttestation] = [:]) throws -> KeyWishes {
      KeyWishes(
        try creation(requestText(more: more)), relyingPartyID: "example.org",
        policy: AuthenticatorPolicy(enterpriseAttestation: enterprise))
    }
    let platform = #""authenticatorSelection":{"authenticatorAttachment":"platform"}"#
    #expect(try !wishes(platform).allowsSecurityKeys)
    #expect(try wishes(platform + #","hints":["security-key"]"#).allowsSecurityKeys)
    #expect(try !wishes(platform + #","hints":["client-device"]"#).allowsSecurityKeys)
    #expect(try wishes(#""hints":["client-device"]"#).allowsSecurityKeys)
    #expect(
      try wishes(#""attestation":"enterprise""#, enterprise: ["example.org": .platformManaged]).enterprise
        == .platformManaged)
    #expect(try wishes(#""attestation":"enterprise""#, enterprise: ["example.com": .platformManaged]).enterprise == nil)
    #expect(try wishes(#""attestation":"direct""#, enterprise: ["example.org": .platformManaged]).enterprise == nil)
  }
}
