import BridgeTestSupport
import CTAPMessages
import Testing
import VirtualKey
import WebAuthnClient

struct RegistrationPINTests {
  private let verified = request(verification: "required")

  private func desk(
    _ pins: [String?], attended: Bool = true, _ edit: (inout GetInfoResponse) -> Void = { _ in }
  ) throws -> (Desk, VirtualKeyPort) {
    let desk = Desk(Person(attended: attended, pins: pins))
    return (desk, try desk.key("virtual", .with(pin: "1234", edit)))
  }

  private func tries(_ key: VirtualKeyPort) -> Int {
    key.count { if case .pinTry = $0 { true } else { false } }
  }

  @Test("a wrong PIN is asked for again, with the retries that are left")
  func wrongThenRight() async throws {
    let (desk, key) = try desk(["0000", "1234"])
    _ = try await desk.register(verified)
    #expect(desk.person.questions.map(\.retriesLeft) == [8, 7])
    #expect(desk.person.questions.map(\.occasion) == [.needed, .wrong])
    #expect(desk.person.questions.map(\.attempt) == [1, 2])
    #expect(tries(key) == 2)
  }

  @Test("three wrong PINs in a row need the key to be plugged in again")
  func needsReplug() async throws {
    let (desk, key) = try desk(["0000", "0001", "0002", "1234"])
    let error = try await desk.failure(verified)
    #expect(error.name == .notAllowedError)
    #expect(error.kind == .pinNeedsReplug)
    #expect(error.reason.contains("plug it in"))
    #expect(tries(key) == 3)
    key.clearLog()
    // Not even asked, because the key says so itself.
    #expect(try await desk.failure(verified).kind == .pinNeedsReplug)
    #expect(tries(key) == 0)
    key.powerCycle()
    _ = try await desk.register(verified)
  }

  @Test("a blocked PIN is not asked for")
  func blocked() async throws {
    let (desk, key) = try desk((0..<8).map { "000\($0)" })
    for kind in [WebAuthnError.Kind.pinNeedsReplug, .pinNeedsReplug, .pinBlocked] {
      #expect(try await desk.failure(verified).kind == kind)
      key.powerCycle()
    }
    #expect(desk.person.questions.count == 8)
    let error = try await desk.failure(verified)
    #expect(error.kind == .pinBlocked)
    #expect(error.reason.contains("reset"))
    #expect(desk.person.questions.count == 8)
  }

  @Test("no answer is NotAllowedError, and the key is left alone", arguments: [true, false])
  func noPIN(_ attended: Bool) async throws {
    let (desk, key) = try desk([nil], attended: attended)
    let error = try await desk.failure(verified)
    #expect(error.name == .notAllowedError)
    #expect(error.kind == .pinMissing)
    #expect(tries(key) == 0)
    #expect(key.credentials.isEmpty)
  }

  @Test("cancelling at the PIN ends it, and nothing is created")
  func cancelled() async throws {
    let (desk, key) = try desk([])
    #expect(try await desk.failure(verified).kind == .cancelled)
    #expect(key.credentials.isEmpty)
  }

  @Test("a wrong PIN and no other one is said to be wrong")
  func onlyWrong() async throws {
    let (desk, _) = try desk(["0000", nil])
    #expect(try await desk.failure(verified).kind == .pinInvalid)
  }

  @Test("what cannot be a PIN costs no try and is asked for again, saying why")
  func unusable() async throws {
    let (desk, key) = try desk(["1", String(repeating: "9", count: 64), "a\u{0}bcd", "1234"])
    _ = try await desk.register(verified)
    #expect(tries(key) == 1)
    #expect(desk.person.questions.map(\.retriesLeft) == [8, 8, 8, 8])
    for question in desk.person.questions.dropFirst() {
      guard case .unusable(let why) = question.occasion else {
        Issue.record("\(question.occasion)")
        continue
      }
      #expect(!why.isEmpty)
    }
    let (other, _) = try self.desk(["1", nil])
    #expect(try await other.failure(verified).kind == .pinInvalid)
    let (endless, untouched) = try self.desk(Array(repeating: "1", count: 50))
    let error = try await endless.failure(verified)
    #expect(error.kind == .pinInvalid && error.reason.contains("none of them was tried"), "\(error.reason)")
    #expect(tries(untouched) == 0 && endless.person.questions.count == 5)
  }

  @Test("the PIN that was just refused is not sent again, and a program that repeats it is stopped")
  func repeated() async throws {
    let (desk, key) = try desk(["0000", "0000", "1234"])
    _ = try await desk.register(verified)
    #expect(tries(key) == 2)
    let (stubborn, other) = try self.desk(Array(repeating: "0000", count: 50))
    #expect(try await stubborn.failure(verified).kind == .pinInvalid)
    #expect(tries(other) == 1)
  }

  @Test("a PIN in another normal form is the same PIN")
  func normalised() async throws {
    let desk = Desk(Person(pins: ["e\u{301}toile"]))
    try desk.key("virtual", .with(pin: "\u{e9}toile"))
    _ = try await desk.register(verified)
  }

  @Test("a PIN that must be changed is a reason of its own, told without asking for it")
  func mustChange() async throws {
    var (desk, _) = try desk(["1234"]) { $0.forcePINChange = true }
    desk.options.key = .named("virtual")
    let error = try await desk.failure(verified)
    #expect(error.kind == .pinMustChange)
    #expect(error.reason.contains("must be changed"))
    #expect(desk.person.questions.isEmpty)
  }

  @Test("protocol one and protocol two both do", arguments: [[1], [2], [1, 2]])
  func protocols(_ versions: [Int]) async throws {
    let (desk, _) = try desk(["1234"]) { $0.pinUvAuthProtocols = versions }
    let response = try await desk.register(verified)
    #expect(response.attestation.authData.flags.contains(.userVerified))
  }

  @Test("a key of CTAP 2.0 gives its token for the PIN too")
  func oldKey() async throws {
    let (desk, key) = try desk(["1234"]) { info in
      info.versions = ["FIDO_2_0"]
      info.options = ["rk": true, "clientPin": true]
      info.pinUvAuthProtocols = [1]
    }
    _ = try await desk.register(request(verification: "discouraged"))
    #expect(key.transactions == 6)
  }

  // MARK: The key's own verification

  private func finger(
    _ policy: VerificationPolicy, pins: [String?] = [], pin: String? = "1234", tokens: Bool = true
  ) throws -> (Desk, VirtualKeyPort) {
    let desk = Desk(Person(pins: pins))
    var configuration = VirtualKeyConfiguration.with(pin: pin) { info in
      info.options?["uv"] = true
      info.options?["pinUvAuthToken"] = tokens
      if pin == nil { info.options?["clientPin"] = nil }
    }
    configuration.verification = policy
    return (desk, try desk.key("virtual", configuration))
  }

  @Test("built-in verification is used before the PIN", arguments: [true, false])
  func builtIn(_ tokens: Bool) async throws {
    let (desk, key) = try finger(.succeeds, tokens: tokens)
    let response = try await desk.register(verified)
    #expect(response.attestation.authData.flags.contains(.userVerified))
    #expect(desk.person.heard.filter { $0 == "verify" }.count == 1)
    #expect(desk.person.questions.isEmpty)
    #expect(key.count { if case .tokenGiven = $0 { true } else { false } } == (tokens ? 1 : 0))
  }

  @Test("where built-in verification is blocked or fails the PIN stands in once", arguments: [true, false])
  func fallback(_ tokens: Bool) async throws {
    for policy in [VerificationPolicy.blocked, .fails] {
      let (desk, _) = try finger(policy, pins: ["1234"], tokens: tokens)
      let response = try await desk.register(verified)
      #expect(response.attestation.authData.flags.contains(.userVerified), "\(policy)")
      #expect(desk.person.questions.map(\.occasion) == [tokens ? .insteadOfBuiltIn : .needed])
    }
  }

  @Test("without a PIN to stand in it ends", arguments: [true, false])
  func noFallback(_ tokens: Bool) async throws {
    for policy in [VerificationPolicy.blocked, .fails] {
      let (desk, key) = try finger(policy, pin: nil, tokens: tokens)
      let error = try await desk.failure(verified)
      #expect(error.name == .notAllowedError)
      #expect(error.kind == .keyRefused, "\(error)")
      #expect(key.credentials.isEmpty)
    }
  }
}
