import BridgeTestSupport
import CTAPMessages
import Octets
import Testing
import VirtualKey
import WebAuthnClient

/// User verification at sign-in.
struct AuthenticationPINTests {
  private func registered(
    _ pins: [String?], _ configuration: VirtualKeyConfiguration
  ) async throws -> (Desk, VirtualKeyPort, RegistrationResponse) {
    let desk = Desk(Person(pins: pins))
    let key = try desk.key("virtual", configuration)
    let registration = try await desk.register(request())
    key.clearLog()
    return (desk, key, registration)
  }

  @Test(
    "the PIN verifies, with either protocol and with tokens of CTAP 2.0 and 2.1", arguments: [1, 2], [false, true])
  func pin(_ version: Int, _ permissions: Bool) async throws {
    let (desk, key, registration) = try await registered(
      permissions ? ["1234"] : ["1234", "1234"],
      .with(pin: "1234") { info in
        info.pinUvAuthProtocols = [version]
        if !permissions {
          info.versions = ["FIDO_2_0"]
          info.options = ["rk": true, "clientPin": true]
        }
      })
    let response = try await desk.authenticate(signIn([registration.credentialID], verification: "required"))
    #expect(response.authenticatorData.flags.contains(.userVerified))
    #expect(try response.verifies(with: registration))
    #expect(key.commands.last == .getAssertion)
    let given = key.log.compactMap { entry -> PINUVAuthPermissions? in
      if case .tokenGiven(let permissions, _) = entry.event { permissions } else { nil }
    }
    #expect(given.count == 1)
    if permissions { #expect(given == [.getAssertion]) }
  }

  @Test(
    "without being asked for, verification takes place only where it is preferred and set up",
    arguments: [("discouraged", true, false), ("preferred", true, true), ("preferred", false, false)])
  func preference(_ verification: String, _ hasPIN: Bool, _ isVerified: Bool) async throws {
    let (desk, _, registration) = try await registered(["1234"], .with(pin: hasPIN ? "1234" : nil))
    let response = try await desk.authenticate(signIn([registration.credentialID], verification: verification))
    #expect(response.authenticatorData.flags.contains(.userVerified) == isVerified)
    #expect(desk.person.heard.contains("PIN") == isVerified)
  }

  @Test("a key that cannot verify is no candidate where it must")
  func impossible() async throws {
    var (desk, key, registration) = try await registered([], .with())
    desk.options.waitsForKey = false
    let error = try await desk.signInFailure(signIn([registration.credentialID], verification: "required"))
    #expect(error.kind == .noSuitableKey)
    #expect(key.commands == [.getInfo])
  }

  @Test("a wrong PIN is asked for again, and a cancelled one signs nobody in")
  func wrong() async throws {
    let (desk, _, registration) = try await registered(["0000", "1234"], .with(pin: "1234"))
    let request = signIn([registration.credentialID], verification: "required")
    _ = try await desk.authenticate(request)
    #expect(desk.person.questions.map(\.occasion) == [.needed, .wrong])
    let error = try await desk.signInFailure(request)
    #expect(error.kind == .cancelled)
    #expect(error.reason.contains("nothing was signed"))
  }

  @Test("built-in verification comes first, by token or by option, and the PIN stands in", arguments: [true, false])
  func builtIn(_ tokens: Bool) async throws {
    var configuration = VirtualKeyConfiguration.with(pin: "1234") { info in
      info.options = ["rk": true, "clientPin": true, "uv": true, "makeCredUvNotRqd": true]
      if tokens { info.options?[.pinUvAuthToken] = true } else { info.versions = ["FIDO_2_0"] }
    }
    let (desk, _, registration) = try await registered([], configuration)
    let response = try await desk.authenticate(signIn([registration.credentialID], verification: "required"))
    #expect(response.authenticatorData.flags.contains(.userVerified))
    #expect(!desk.person.heard.contains("PIN"))

    configuration.verification = .blocked
    configuration.profile.info.options?["makeCredUvNotRqd"] = true
    let other = Desk(Person(pins: ["1234", "1234"]))
    try other.key("virtual", configuration)
    let second = try await other.register(request(verification: "required"))
    let fallback = try await other.authenticate(signIn([second.credentialID], verification: "required"))
    #expect(fallback.authenticatorData.flags.contains(.userVerified))
    #expect(try fallback.verifies(with: second))
    #expect(other.person.questions.count == 2)
  }

  @Test("a key that always verifies does so although it is discouraged")
  func alwaysVerified() async throws {
    let (desk, _, registration) = try await registered(
      ["1234", "1234"], .with(pin: "1234") { $0.options?["alwaysUv"] = true })
    let response = try await desk.authenticate(signIn([registration.credentialID]))
    #expect(response.authenticatorData.flags.contains(.userVerified))
  }

  @Test("credentials that credProtect hides are found with verification, in a long list too")
  func protected() async throws {
    let desk = Desk(Person(pins: ["1234", "1234"]))
    let key = try desk.key("virtual", .with(pin: "1234") { $0.maxCredentialCountInList = 2 })
    let registration = try await desk.register(
      request(
        residentKey: "required", extensions: #"{"credentialProtectionPolicy":"userVerificationRequired"}"#))
    let list = (0..<9).map { [UInt8](repeating: UInt8($0), count: 40) } + [registration.credentialID]
    key.clearLog()
    #expect(try await desk.authenticate(signIn(list, verification: "required")).verifies(with: registration))
    let error = try await desk.signInFailure(signIn(list))
    #expect(error.kind == .noCredential)
    #expect(error.reason.contains("without verifying its user"))
  }
}
