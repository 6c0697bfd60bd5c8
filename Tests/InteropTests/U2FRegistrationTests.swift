import BridgeTestSupport
import CTAPHID
import CTAPMessages
import FIDOCrypto
import Octets
import RelyingParty
import Testing
import Timing
import VirtualKey
import WebAuthnClient

/// Registrations on keys that speak U2F, alone or beside CTAP2.
struct U2FRegistrationTests {
  private func desk(
    presence: PresencePolicy = .after(.seconds(2)), use: U2FUse = .automatic,
    _ edit: (inout VirtualKeyConfiguration) -> Void = { $0.profile = .u2f }
  ) throws -> (desk: Desk, key: VirtualKeyPort) {
    var desk = Desk(Person(pins: ["1234", "1234"]))
    desk.options.waitsForKey = false
    desk.options.u2f = use
    var configuration = VirtualKeyConfiguration(presence: presence)
    edit(&configuration)
    return (desk, try desk.key("virtual", configuration))
  }

  @Test("a U2F key registers after a touch, with the attestation that the specification has for it")
  func register() async throws {
    let (desk, key) = try desk()
    let options = request(extensions: #"{"credProps":true}"#)
    let response = try await desk.register(options)
    #expect(response.attestation.fmt == "fido-u2f")
    #expect(response.attestation.authData.flags.rawValue == 0x41)
    #expect(response.attestation.authData.attestedCredential?.aaguid == .zero)
    #expect(response.attestation.authData.signCount == 0)
    #expect(response.publicKeyAlgorithm == -7)
    #expect(response.transports == ["usb"])
    #expect(try response.results == #"{"credProps":{"rk":false}}"#)
    #expect(key.u2fMade == [response.credentialID])
    #expect(desk.person.heard.count { $0 == "touch virtual" } == 1)
    #expect(!desk.person.heard.contains("PIN"))

    let registered = try ReceivedRegistration(parsing: response.json())
    let judged = registered.verify(
      try RegistrationRequest(parsing: Array(options.utf8)), VerificationTests.policy)
    #expect(judged.checks.filter(\.isFailure).isEmpty, "\(judged.checks)")
  }

  @Test("attestation that is not wanted is taken away, for U2F too")
  func conveyance() async throws {
    let (desk, _) = try desk()
    #expect(try await desk.register(request(attestation: "none")).attestation.fmt == "none")
    #expect(try await desk.register(request(attestation: "enterprise")).attestation.fmt == "fido-u2f")
  }

  @Test(
    "what U2F cannot do is told with the reason, before anybody touches anything",
    arguments: [
      (request(residentKey: "required"), "discoverable credentials"),
      (request(verification: "required"), "the user must be verified, which U2F cannot do"),
      (request(params: #"[{"type":"public-key","alg":-8}]"#), "ES256 (-7) alone, and the request allows (-8)"),
      (
        request(
          extensions:
            #"{"credentialProtectionPolicy":"userVerificationRequired","enforceCredentialProtectionPolicy":true}"#),
        "cannot protect credentials"
      ),
    ])
  func conditions(_ options: String, _ reason: String) async throws {
    for protocols in [VirtualKeyProfile.u2f, .standard] {
      let (desk, key) = try desk(use: protocols == .u2f ? .automatic : .force) { $0.profile = protocols }
      let error = try await desk.failure(options)
      #expect(error.name == .notAllowedError)
      #expect(error.kind == .noSuitableKey)
      #expect(error.reason.contains(reason), "\(error)")
      #expect(key.u2fMade.isEmpty)
      #expect(!desk.person.heard.contains("touch virtual"))
    }
  }

  @Test("what is only preferred is left out: discoverable credentials, verification, other algorithms")
  func preferences() async throws {
    let (desk, _) = try desk()
    let params = #"[{"type":"public-key","alg":-8},{"type":"public-key","alg":-7}]"#
    let response = try await desk.register(
      request(params: params, residentKey: "preferred", verification: "preferred"))
    #expect(response.attestation.fmt == "fido-u2f")
  }

  @Test("U2F is left alone where the caller says so, and insisted on where the caller says that")
  func use() async throws {
    var (desk, key) = try desk(use: .never)
    #expect(try await desk.failure().reason.contains("it speaks U2F alone, which is not to be used"))
    #expect(key.u2fMade.isEmpty)

    (desk, key) = try self.desk(use: .force) { $0.profile = .standard }
    let response = try await desk.register(request(extensions: #"{"credProps":true}"#))
    #expect(response.attestation.fmt == "fido-u2f")
    #expect(try response.results == #"{"credProps":{"rk":false}}"#)
    #expect(response.transports == ["usb"])
    #expect(response.authenticator.aaguid == .zero)

    (desk, key) = try self.desk(use: .force) { $0.profile.info.versions = ["FIDO_2_0", "FIDO_2_1"] }
    #expect(try await desk.failure().reason.contains("it does not speak U2F, which is to be used"))
    (desk, key) = try self.desk(use: .force) { $0.profile.info.options?["alwaysUv"] = true }
    #expect(try await desk.failure().reason.contains("it always verifies its user"))
  }

  struct OldKey: CustomTestStringConvertible, Sendable {
    var options: AuthenticatorOptions = ["rk": true, "up": true, "clientPin": true]
    var versions = ["U2F_V2", "FIDO_2_0"]
    var use = U2FUse.automatic
    var verification = "discouraged"
    var residentKey = "discouraged"
    var extensions = "{}"
    var mustChange = false
    let format: String
    let isAsked: Bool
    let testDescription: String
  }

  @Test(
    "a key of CTAP 2.0 that wants its PIN although the request does not registers over U2F, where that serves",
    arguments: [
      OldKey(format: "fido-u2f", isAsked: false, testDescription: "PIN set, discouraged"),
      OldKey(verification: "preferred", format: "packed", isAsked: true, testDescription: "PIN set, preferred"),
      OldKey(verification: "required", format: "packed", isAsked: true, testDescription: "PIN set, required"),
      OldKey(residentKey: "required", format: "packed", isAsked: true, testDescription: "discoverable"),
      OldKey(residentKey: "preferred", format: "packed", isAsked: true, testDescription: "discoverable preferred"),
      OldKey(
        extensions: #"{"hmacCreateSecret":true}"#, format: "packed", isAsked: true, testDescription: "an extension"),
      OldKey(use: .never, format: "packed", isAsked: true, testDescription: "U2F ruled out"),
      OldKey(versions: ["FIDO_2_0"], format: "packed", isAsked: true, testDescription: "no U2F"),
      OldKey(
        options: ["rk": true, "up": true, "clientPin": true, "makeCredUvNotRqd": true, "pinUvAuthToken": true],
        format: "packed", isAsked: false, testDescription: "makeCredUvNotRqd"),
      OldKey(
        options: ["rk": true, "up": true, "clientPin": true, "alwaysUv": true, "pinUvAuthToken": true],
        format: "packed",
        isAsked: true, testDescription: "alwaysUv"),
      OldKey(
        verification: "preferred", mustChange: true, format: "fido-u2f", isAsked: false,
        testDescription: "PIN to be changed, preferred"),
    ])
  func insteadOfPIN(_ old: OldKey) async throws {
    let (desk, _) = try desk(presence: .auto, use: old.use) { configuration in
      configuration.profile.info.versions = old.versions
      configuration.profile.info.options = old.options
      configuration.profile.info.extensions = ["hmac-secret"]
      if old.mustChange { configuration.profile.info.forcePINChange = true }
      configuration.pin = SecretBytes(Array("1234".utf8))
    }
    let response = try await desk.register(
      request(residentKey: old.residentKey, verification: old.verification, extensions: old.extensions))
    #expect(response.attestation.fmt == old.format)
    #expect(desk.person.heard.contains("PIN") == old.isAsked)
  }

  @Test("a credential of the exclude list ends the registration after a touch, and not before", arguments: [1, 40])
  func excluded(_ others: Int) async throws {
    let (desk, key) = try desk()
    let held = try await desk.register(request()).credentialID
    let ids = (0..<others).map { [UInt8](repeating: UInt8($0), count: 64) } + [held, [UInt8](repeating: 1, count: 300)]
    let list = ids.map { #"{"type":"public-key","id":"\#(Base64URL.encode($0))"}"# }.joined(separator: ",")
    let before = key.log.count
    let error = try await desk.failure(request(more: #""excludeCredentials":[\#(list)]"#))
    #expect(error.name == .invalidStateError)
    #expect(error.kind == .credentialExcluded)
    #expect(key.log[before...].contains { $0.event == .touched })

    let stranger = #"{"type":"public-key","id":"\#(Base64URL.encode([UInt8](repeating: 7, count: 64)))"}"#
    #expect(try await desk.register(request(more: #""excludeCredentials":[\#(stranger)]"#)).publicKeyAlgorithm == -7)
  }

  @Test("without a touch nothing is made, and the registration ends with its time")
  func notTouched() async throws {
    var (desk, key) = try desk(presence: .never)
    desk.options.timeout = .seconds(5)
    let start = desk.clock.now
    let error = try await desk.failure()
    #expect(error.kind == .timedOut)
    #expect(error.reason.contains("nobody touched it in time"))
    #expect(key.u2fMade.isEmpty)
    #expect(desk.clock.now.since(start) < .seconds(6))
    // Four times a second or so: a key that is polled more often gets nothing else done.
    let polls = key.count { if case .u2fCommand(U2FInstruction.register, _, _) = $0 { true } else { false } }
    #expect((15...25).contains(polls))
  }

  @Test("a cancelled registration ends at once and says that nothing was made")
  func cancelled() async throws {
    let (touches, feed) = AsyncStream.makeStream(of: Void.self)
    var desk = Desk(
      Person(onEvent: { if $0.hasPrefix("touch") { feed.yield() } }), clock: SystemClock())
    desk.options.waitsForKey = false
    var configuration = VirtualKeyConfiguration(presence: .never)
    configuration.profile = .u2f
    let key = try desk.key("virtual", configuration)
    let task = Task { [desk] in try await desk.register(request()) }
    for await _ in touches { break }
    task.cancel()
    await #expect(throws: WebAuthnError.self) { try await task.value }
    #expect(key.u2fMade.isEmpty)
  }

  @Test("of two U2F keys the one that is touched registers")
  func twoKeys() async throws {
    // Two keys at a time turn one clock faster than either of them means to.
    var desk = Desk(clock: SystemClock())
    desk.options.waitsForKey = false
    let first = try desk.key("virtual", VirtualKeyConfiguration(profile: .u2f, presence: .after(.milliseconds(100))))
    let second = try desk.key("virtual:2", VirtualKeyConfiguration(profile: .u2f, presence: .never), seed: 9)
    let response = try await desk.register(request())
    #expect(first.u2fMade.contains(response.credentialID))
    #expect(second.u2fMade.isEmpty)
    #expect(desk.person.heard.contains("touch one of virtual,virtual:2"))
  }
}

extension VirtualKeyPort {
  /// The identifiers of the credentials that the key made over U2F, but those for no site.
  var u2fMade: [[UInt8]] {
    let none = Digest.sha256(Array("touch.invalid".utf8))
    return log.compactMap {
      if case .u2fRegistered(let application, let id) = $0.event, application != none { id } else { nil }
    }
  }
}
