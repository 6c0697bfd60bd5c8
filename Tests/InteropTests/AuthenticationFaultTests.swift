import BridgeTestSupport
import CTAPMessages
import Testing
import VirtualKey
import WebAuthnClient

/// What goes wrong on the way: a sign-in is safe to try again, and never comes out wrong.
struct AuthenticationFaultTests {
  private static let getAssertion: UInt8 = 2

  private func failure(_ answer: Fault.Answer) async throws -> WebAuthnError {
    var desk = Desk()
    try desk.key("virtual", .with(faults: [.answer(Self.getAssertion, answer)]))
    let registration = try await desk.register(request())
    desk.options.timeout = .seconds(60)
    return try await desk.signInFailure(signIn([registration.credentialID]))
  }

  @Test("an answer that is lost once is asked for again")
  func lostOnce() async throws {
    let desk = Desk()
    let key = try desk.key("virtual", .with(faults: [.answer(Self.getAssertion, .lost, times: 1)]))
    let registration = try await desk.register(request())
    let response = try await desk.authenticate(signIn([registration.credentialID]))
    #expect(try response.verifies(with: registration))
    #expect(key.commands.filter { $0 == .getAssertion }.count == 2)
  }

  @Test("silence, a late answer and a damaged one are typed errors, and name no credential")
  func trouble() async throws {
    for (answer, kinds) in [
      (.silence, [.communication, .timedOut]), (.late(.seconds(300)), [.timedOut]),
      (.bytes([0, 0xa0]), [.communication, .timedOut]), (.status(.operationDenied), [.keyRefused]),
      (.status(.other), [.keyRefused]),
    ] as [(Fault.Answer, [WebAuthnError.Kind])] {
      let error = try await failure(answer)
      #expect(error.name == .notAllowedError)
      #expect(kinds.contains(error.kind), "\(answer): \(error)")
      #expect(error.credentialID == nil)
    }
  }

  @Test("PUAT_REQUIRED brings verification in once")
  func forced() async throws {
    let desk = Desk(Person(pins: ["1234"]))
    let key = try desk.key(
      "virtual", .with(pin: "1234", faults: [.answer(Self.getAssertion, .status(.puatRequired), times: 1)]))
    let registration = try await desk.register(request())
    let response = try await desk.authenticate(signIn([registration.credentialID]))
    #expect(response.authenticatorData.flags.contains(.userVerified))
    #expect(key.commands.filter { $0 == .getAssertion }.count == 2)
  }
}
