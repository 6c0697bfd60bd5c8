import BridgeTestSupport
import CTAPMessages
import FIDOCrypto
import Octets
import RelyingParty
import Testing
import VirtualKey
import WebAuthnClient

/// Sign-ins on keys that speak U2F, alone or beside CTAP2, with and without AppIDs.
struct U2FAuthenticationTests {
  static let appID = "https://example.org/u2f/app-id.json"

  private func desk(
    _ profile: VirtualKeyProfile = .u2f, presence: PresencePolicy = .after(.seconds(2)), use: U2FUse = .automatic
  ) throws -> (desk: Desk, key: VirtualKeyPort) {
    var desk = Desk()
    desk.options.waitsForKey = false
    desk.options.u2f = use
    return (desk, try desk.key("virtual", VirtualKeyConfiguration(profile: profile, presence: presence)))
  }

  @Test("a U2F key signs in after a touch, and the counter goes up")
  func signInWithU2F() async throws {
    let (desk, _) = try desk()
    let registration = try await desk.register(request())
    let stranger = [UInt8](repeating: 3, count: 64)
    let options = signIn([stranger, registration.credentialID, [UInt8](repeating: 4, count: 300)])
    let response = try await desk.authenticate(options)
    #expect(response.credentialID == registration.credentialID)
    #expect(response.authenticatorData.flags == .userPresent)
    #expect(response.authenticatorData.signCount == 1)
    #expect(response.userHandle == nil)
    #expect(try response.verifies(with: registration))
    #expect(try response.results == "{}")
    #expect(try await desk.authenticate(options).authenticatorData.signCount == 2)
  }

  @Test(
    "credentials of U2F and of CTAP2 serve in both ways on a key that speaks both",
    arguments: [U2FUse.automatic, .force], [U2FUse.automatic, .force])
  func bothWays(_ made: U2FUse, _ signed: U2FUse) async throws {
    var (desk, key) = try desk(.standard)
    desk.options.u2f = made
    let registration = try await desk.register(request())
    #expect(registration.attestation.fmt == (made == .force ? "fido-u2f" : "packed"))
    desk.options.u2f = signed
    let response = try await desk.authenticate(signIn([registration.credentialID]))
    #expect(try response.verifies(with: registration))
    let isU2F = key.count { if case .u2fSigned = $0 { true } else { false } } == 1
    #expect(isU2F == (signed == .force))
  }

  @Test("what U2F cannot do is told with the reason, before anybody touches anything")
  func conditions() async throws {
    let (desk, key) = try desk()
    let registration = try await desk.register(request())
    let before = desk.person.heard.count
    for (options, reason) in [
      (signIn(nil), "it needs to be told the credential"),
      (signIn([registration.credentialID], verification: "required"), "the user must be verified, which U2F cannot do"),
    ] {
      let error = try await desk.signInFailure(options)
      #expect(error.kind == .noSuitableKey)
      #expect(error.reason.contains(reason), "\(error)")
    }
    #expect(!desk.person.heard[before...].contains("touch virtual"))
    #expect(key.count { if case .u2fSigned = $0 { true } else { false } } == 0)
  }

  @Test("a key without the credential is touched before that is said")
  func nothing() async throws {
    let (desk, key) = try desk()
    let error = try await desk.signInFailure(signIn([[UInt8](repeating: 3, count: 64)]))
    #expect(error.kind == .noCredential)
    #expect(desk.person.heard.contains("touch virtual"))
    #expect(key.log.contains { $0.event == .touched })
  }

  @Test("of two U2F keys the one that has the credential is used, without a touch to choose it")
  func twoKeys() async throws {
    let (desk, _) = try desk()
    let registration = try await desk.register(request())
    let second = try desk.key(
      "virtual:2", VirtualKeyConfiguration(profile: .u2f, presence: .never), seed: 9)
    let response = try await desk.authenticate(signIn([registration.credentialID]))
    #expect(try response.verifies(with: registration))
    #expect(!desk.person.heard.contains { $0.hasPrefix("touch one of") })
    #expect(second.count { $0 == .touched } == 0)
  }

  /// Registers a credential over U2F under the AppID, as a site of old did.
  private func registerOld(_ desk: Desk, _ key: VirtualKeyPort) throws -> U2FRegisterResponse {
    let line = U2FLine(key, desk.clock)
    return try line.register(application: Digest.sha256(Array(Self.appID.utf8)))
  }

  struct Under: CustomTestStringConvertible, Sendable {
    let name: String
    let profile: VirtualKeyProfile
    var use = U2FUse.automatic
    var testDescription: String { name }

    static let all = [
      Under(name: "U2F alone", profile: .u2f), Under(name: "both", profile: .standard),
      Under(name: "both, U2F forced", profile: .standard, use: .force),
      Under(name: "both, U2F ruled out", profile: .standard, use: .never),
    ]
  }

  @Test(
    "a credential that was registered under an AppID signs in under it, and only then is appid true",
    arguments: Under.all)
  func appID(_ under: Under) async throws {
    let (desk, key) = try desk(under.profile, use: under.use)
    let old = try registerOld(desk, key)
    let extensions = #"{"appid":"\#(Self.appID)"}"#
    let response = try await desk.authenticate(signIn([old.keyHandle], extensions: extensions))
    #expect(response.credentialID == old.keyHandle)
    #expect(response.authenticatorData.rpIDHash == Digest.sha256(Array(Self.appID.utf8)))
    #expect(try response.results == #"{"appid":true}"#)
    let signed = try response.member("authenticatorData") + Digest.sha256(try response.member("clientDataJSON"))
    #expect(try old.publicKey.cryptoKey.verifies(response.signature, of: signed, algorithm: .es256))

    let new = try await desk.register(request())
    let usual = try await desk.authenticate(signIn([old.keyHandle, new.credentialID], extensions: extensions))
    #expect(usual.credentialID == new.credentialID)
    #expect(try usual.results == #"{"appid":false}"#)
    #expect(try usual.verifies(with: new))

    let error = try await desk.signInFailure(signIn([old.keyHandle]))
    #expect(error.kind == .noCredential)
  }

  @Test("a credential under an AppID can be excluded by it, after a touch", arguments: Under.all)
  func appIDExclude(_ under: Under) async throws {
    let (desk, key) = try desk(under.profile, use: under.use)
    let old = try registerOld(desk, key)
    let list = #""excludeCredentials":[{"type":"public-key","id":"\#(Base64URL.encode(old.keyHandle))"}]"#
    let before = key.log.count
    let error = try await desk.failure(request(extensions: #"{"appidExclude":"\#(Self.appID)"}"#, more: list))
    #expect(error.name == .invalidStateError)
    #expect(key.log[before...].contains { $0.event == .touched })
    let other = try await desk.register(
      request(extensions: #"{"appidExclude":"https://example.org/other"}"#, more: list))
    #expect(try other.results == #"{"appidExclude":true}"#)
    #expect(try await desk.register(request(more: list)).results == "{}")
  }

  @Test("an AppID never goes to a key unless it is asked for, nor to a key that has the credential under the RP ID")
  func neverUnasked() async throws {
    let (desk, key) = try desk()
    let registration = try await desk.register(request())
    let hash = Digest.sha256(Array(Self.appID.utf8))
    _ = try await desk.authenticate(
      signIn([registration.credentialID], extensions: #"{"appid":"\#(Self.appID)"}"#))
    let used = key.log.contains { entry in
      if case .u2fSigned(let application, _, _, _) = entry.event { application == hash } else { false }
    }
    #expect(!used)
  }
}

extension COSEKey {
  /// The key as cryptography has it.
  fileprivate var cryptoKey: PublicKey {
    guard case .ec2(_, let x, let y) = material else { return .elliptic(.p256, x: [], y: []) }
    return .elliptic(.p256, x: x, y: y)
  }
}
