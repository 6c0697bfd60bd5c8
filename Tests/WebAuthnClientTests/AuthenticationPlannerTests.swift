import CTAPMessages
import Testing

@testable import WebAuthnClient

struct AuthenticationPlannerTests {
  private func verification(
    _ requirement: UserVerificationRequirement, _ edit: (inout KeyFacts) -> Void = { _ in }
  ) throws -> KeyPlan.Verification {
    var key = KeyFacts(tokens: true)
    edit(&key)
    return try KeyPlanner.authentication.plan(key, KeyWishes(userVerification: requirement)).verification
  }

  @Test("a protected key signs without verification where it is discouraged, unlike it creates")
  func protected() throws {
    #expect(try verification(.discouraged) { $0.pin = true } == KeyPlan.Verification.none)
    #expect(try verification(.discouraged) { $0.builtIn = true } == KeyPlan.Verification.none)
    #expect(try verification(.preferred) { $0.pin = true } == .pin)
    #expect(try verification(.preferred) == KeyPlan.Verification.none)
    #expect(
      try verification(.discouraged) {
        $0.pin = true
        $0.alwaysVerifies = true
      } == .pin)
  }

  @Test("built-in verification comes first, by token or option, with the PIN to stand in where it may")
  func ways() throws {
    #expect(
      try verification(.required) {
        $0.pin = true
        $0.builtIn = true
      } == .builtInToken(pin: true))
    #expect(
      try verification(.required) {
        $0.builtIn = true
        $0.tokens = false
      } == .builtInOption(pin: false))
    #expect(
      try verification(.required) {
        $0.pin = true
        $0.builtIn = true
        $0.pinCannotCreate = true
      } == .builtInToken(pin: false))
  }

  @Test("a key is no candidate where it cannot verify and must, or speaks no CTAP2")
  func objections() {
    #expect(throws: KeyObjection.self) { try verification(.required) }
    #expect(throws: KeyObjection.self) { try verification(.required) { $0.pin = false } }
    #expect(throws: KeyObjection.self) {
      try verification(.required) {
        $0.pin = true
        $0.mustChangePIN = true
      }
    }
    #expect(throws: KeyObjection.self) { try verification(.discouraged) { $0.speaksCTAP2 = false } }
  }

  @Test("a PIN that must be changed is not needed where verification is only preferred")
  func mustChangeAndNotRequired() throws {
    #expect(
      try verification(.preferred) {
        $0.pin = true
        $0.mustChangePIN = true
      } == KeyPlan.Verification.none)
  }

  @Test("what concerns new credentials does not count: algorithms, room, discoverable credentials")
  func creationOnly() throws {
    #expect(
      try verification(.discouraged) {
        $0.algorithms = [-999]
        $0.hasRoom = false
        $0.residentKeys = false
      } == KeyPlan.Verification.none)
  }
}
