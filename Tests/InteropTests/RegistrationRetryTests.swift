import BridgeTestSupport
import CBOR
import CTAPMessages
import JSONText
import Octets
import Testing
import Timing
import VirtualKey
import WebAuthnClient

/// Second attempts, refusals, and credentials that exist although no response is returned.
struct RegistrationRetryTests {
  private func status(_ status: CTAPStatus, times: Int = 1) -> Fault {
    .answer(CTAPCommand.makeCredential.rawValue, .status(status), times: times)
  }

  private func desk(
    _ faults: [Fault], pin: String? = nil, pins: [String?] = [], _ edit: (inout GetInfoResponse) -> Void = { _ in }
  ) throws -> (Desk, VirtualKeyPort) {
    let desk = Desk(Person(pins: pins))
    return (desk, try desk.key("virtual", .with(pin: pin, faults: faults, edit)))
  }

  @Test("a key that wants verification although it was discouraged gets it, once")
  func verificationForced() async throws {
    let (desk, key) = try desk([status(.puatRequired)], pin: "1234", pins: ["1234"])
    let response = try await desk.register(request())
    #expect(response.attestation.authData.flags.contains(.userVerified))
    #expect(desk.person.heard.filter { $0 == "PIN" }.count == 1)
    #expect(key.commands.filter { $0 == .makeCredential }.count == 2)
    let (stubborn, other) = try self.desk([status(.puatRequired, times: .max)], pin: "1234", pins: ["1234"])
    #expect(try await stubborn.failure().kind == .keyRefused)
    #expect(other.commands.filter { $0 == .makeCredential }.count == 2)
  }

  @Test("a key that wants verification and has none set up is told about")
  func verificationImpossible() async throws {
    let (desk, _) = try desk([status(.puatRequired)])
    let error = try await desk.failure()
    #expect(error.kind == .noSuitableKey)
    #expect(error.reason.contains("no PIN yet"))
  }

  @Test(
    "a full key makes a credential that is not discoverable where that was only preferred, and the PIN is asked once")
  func storeFull() async throws {
    let (desk, key) = try desk([status(.keyStoreFull)], pin: "1234", pins: ["1234"])
    let response = try await desk.register(
      request(residentKey: "preferred", verification: "preferred", extensions: #"{"credProps":true}"#))
    #expect(try response.results == #"{"credProps":{"rk":false}}"#)
    #expect(desk.person.questions.count == 1)
    #expect(desk.person.heard.contains { $0.hasPrefix("warning: The key has no room") })
    #expect(key.commands.filter { $0 == .makeCredential }.count == 2)
  }

  @Test("a full key ends it where a discoverable credential is required")
  func storeFullRequired() async throws {
    let (desk, key) = try desk([status(.keyStoreFull)])
    let error = try await desk.failure(request(residentKey: "required"))
    #expect(error.name == .notAllowedError)
    #expect(error.kind == .keyStoreFull)
    #expect(key.commands.filter { $0 == .makeCredential }.count == 1)
  }

  @Test(
    "a refusal by the key has its WebAuthn name",
    arguments: [
      (CTAPStatus.unsupportedAlgorithm, WebAuthnErrorName.notSupportedError, WebAuthnError.Kind.keyRefused),
      (.unsupportedOption, .constraintError, .keyRefused), (.invalidOption, .constraintError, .keyRefused),
      (.credentialExcluded, .invalidStateError, .credentialExcluded), (.operationDenied, .notAllowedError, .keyRefused),
      (.userActionTimeout, .notAllowedError, .timedOut), (.actionTimeout, .notAllowedError, .timedOut),
      (.pinAuthBlocked, .notAllowedError, .pinNeedsReplug), (.pinBlocked, .notAllowedError, .pinBlocked),
      (.pinNotSet, .notAllowedError, .pinNotSet), (.pinPolicyViolation, .notAllowedError, .pinMustChange),
      (.other, .notAllowedError, .keyRefused), (CTAPStatus(rawValue: 0xf3), .notAllowedError, .keyRefused),
    ])
  func refusals(_ status: CTAPStatus, _ name: WebAuthnErrorName, _ kind: WebAuthnError.Kind) async throws {
    let (desk, key) = try desk([self.status(status, times: .max)])
    let error = try await desk.failure()
    #expect(error.name == name)
    #expect(error.kind == kind)
    #expect(error.cause != nil)
    #expect(error.credentialID == nil)
    #expect(error.reason.hasSuffix(".") && !error.reason.hasSuffix(".."), "\(error.reason)")
    #expect(key.commands.filter { $0 == .makeCredential }.count == 1)
  }

  @Test("makeCredential that times out on the key ends the ceremony long before the deadline")
  func touchTimedOut() async throws {
    let desk = Desk()
    let key = try desk.key("virtual", .with(presence: .never))
    let start = desk.clock.now
    let error = try await desk.failure()
    #expect(error.kind == .timedOut)
    #expect(desk.clock.now.since(start) < .seconds(60))
    #expect(key.count { $0 == .touchTimedOut } == 1)
    #expect(desk.person.heard.contains("touch virtual"))
  }

  @Test("an answer that is lost may have left a credential, and it is not asked for twice")
  func lost() async throws {
    let (desk, key) = try desk([.answer(CTAPCommand.makeCredential.rawValue, .lost, times: 1)])
    let error = try await desk.failure(request(residentKey: "required"))
    #expect(error.kind == .credentialExists)
    #expect(error.credentialID == nil)
    #expect(error.reason.contains("may now exist"))
    #expect(key.credentials.count == 1)
  }

  @Test("a key pulled out while it works is a trouble of its own")
  func unplugged() async throws {
    let desk = Desk(clock: SystemClock())
    let source = desk.source
    try desk.key("virtual", .with(presence: .ask { _ in Task { source.unplug(id: "virtual") } }))
    let error = try await desk.failure()
    #expect(error.reason.contains("pulled out"))
    #expect(error.name == .notAllowedError)
  }

  @Test("a key that is silent from the start is skipped with the reason")
  func silent() async throws {
    var (desk, _) = try desk([.answer(CTAPCommand.getInfo.rawValue, .silence)])
    desk.options.waitsForKey = false
    let error = try await desk.failure()
    #expect(error.name == .notAllowedError)
    #expect(error.reason.contains("said nothing"))
  }

  @Test("a key that names no version that is known is skipped with the reason")
  func neither() async throws {
    var (desk, _) = try desk([]) { $0.versions = ["VENDOR_1"] }
    desk.options.waitsForKey = false
    #expect(try await desk.failure().reason.contains("it speaks neither FIDO2 nor U2F"))
  }

  @Test("trouble at getInfo is told and never taken for an old key")
  func troubleAtGetInfo() async throws {
    var (desk, _) = try desk([.answer(CTAPCommand.getInfo.rawValue, .status(.other))])
    desk.options.waitsForKey = false
    #expect(try await desk.failure().reason.contains("CTAP1_ERR_OTHER"))
  }

  @Test("a user who was not verified although that was required is not passed off as verified")
  func notVerified() async throws {
    // The answer of a key that ignores the token: made without one, given to a request with one.
    let unverified = try await recorded(request())
    let (desk, _) = try desk(
      [.answer(CTAPCommand.makeCredential.rawValue, .bytes([0] + unverified), times: 1)], pin: "1234", pins: ["1234"])
    let error = try await desk.failure(request(verification: "required"))
    #expect(error.kind == .credentialExists)
    #expect(error.reason.contains("did not verify its user"))
    #expect(error.credentialID?.isEmpty == false)
    #expect(error.reason.contains(Base64URL.encode(error.credentialID ?? [])))
  }

  /// What a key answers to a request, as CTAP has it.
  private func recorded(
    _ text: String, edit: (inout MakeCredentialResponse) -> Void = { _ in }
  ) async throws -> [UInt8] {
    let desk = Desk()
    var configuration = VirtualKeyConfiguration()
    configuration.attestation = .none
    try desk.key("virtual", configuration)
    let made = try await desk.register(text).attestation
    var response = MakeCredentialResponse(fmt: made.fmt, authData: made.authData, attStmt: made.attStmt)
    edit(&response)
    return response.cbor().encoded()
  }

  @Test("flags that cannot be are not passed on", arguments: [false, true])
  func flags(_ isPresent: Bool) async throws {
    let flags: AuthenticatorData.Flags = isPresent ? [.userPresent, .backedUp] : []
    let made = try await recorded(request()) { response in
      let data = response.authData
      guard
        let spoilt = try? AuthenticatorData(
          rpIDHash: data.rpIDHash, flags: flags, signCount: 0, attestedCredential: data.attestedCredential)
      else { return }
      response.authData = spoilt
    }
    let (desk, _) = try desk([.answer(CTAPCommand.makeCredential.rawValue, .bytes([0] + made), times: 1)])
    let error = try await desk.failure()
    #expect(error.kind == .credentialExists)
    #expect(error.reason.contains(isPresent ? "backed up and cannot be" : "did not see a touch"))
  }

  @Test("an attestation that is wrong is an error that names the credential")
  func wrongAttestation() async throws {
    let made = try await recorded(request()) { response in
      response.fmt = "packed"
      response.attStmt = ["alg": -7, "sig": .bytes([0x30, 0x06, 0x02, 0x01, 0x01, 0x02, 0x01, 0x01])]
    }
    let (desk, _) = try desk([.answer(CTAPCommand.makeCredential.rawValue, .bytes([0] + made), times: 1)])
    let error = try await desk.failure()
    #expect(error.kind == .credentialExists)
    #expect(error.credentialID?.isEmpty == false)
    #expect(error.reason.contains("attestation is wrong"))
  }

  @Test("an attestation that cannot be checked is a warning")
  func uncheckableAttestation() async throws {
    let made = try await recorded(request()) { response in
      response.fmt = "packed"
      response.attStmt = ["alg": -7, "sig": .bytes([1]), "x5c": .array([.bytes([1, 2, 3])])]
    }
    let (desk, _) = try desk([.answer(CTAPCommand.makeCredential.rawValue, .bytes([0] + made), times: 1)])
    let response = try await desk.register(request())
    #expect(response.attestation.fmt == "packed")
    #expect(desk.person.heard.contains { $0.hasPrefix("warning: The key's attestation could not be checked") })
  }
}
