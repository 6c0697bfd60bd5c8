import BridgeTestSupport
import CTAPMessages
import FIDOCrypto
import RelyingParty
import Testing
import VirtualKey
import WebAuthnClient

/// What the virtual key makes, judged by the other side of the protocol.
struct VerificationTests {
  static let policy = RelyingPartyPolicy(origins: ["https://example.org"], time: 1_767_225_600)

  @Test(
    "what the virtual key makes verifies in both ceremonies, for each algorithm and attestation",
    arguments: [-7, -8, -35, -36, -257], [AttestationPolicy.packed, .selfSigned, .none])
  func virtualKey(_ algorithm: Int, _ attestation: AttestationPolicy) async throws {
    let desk = Desk()
    var configuration = VirtualKeyConfiguration()
    configuration.attestation = attestation
    try desk.key("virtual", configuration)
    let options = request(params: #"[{"type":"public-key","alg":\#(algorithm)}]"#, attestation: "direct")
    let registered = try ReceivedRegistration(parsing: try await desk.register(options).json())
    let made = registered.verify(try RegistrationRequest(parsing: Array(options.utf8)), Self.policy)
    #expect(made.failures.isEmpty, "\(made.checks)")
    #expect(
      made.outcome(.copies)
        == .passed("authenticatorData, publicKeyAlgorithm, publicKey"))
    switch attestation {
    case .packed: #expect(made.outcome(.attestation) == .passed("format \"packed\", with a certificate"))
    case .selfSigned:
      #expect(made.outcome(.attestation) == .passed("format \"packed\", signed by the credential itself"))
    case .none: #expect(made.outcome(.attestation) == .notChecked("format \"none\" vouches for nothing"))
    }

    let record = try #require(made.credential)
    let question = signIn([record.id])
    let answered = try ReceivedAuthentication(parsing: try await desk.authenticate(question).json())
    let signed = answered.verify(
      try AuthenticationRequest(parsing: Array(question.utf8)), Self.policy, credential: record)
    #expect(signed.failures.isEmpty, "\(signed.checks)")
    #expect(signed.outcome(.counter) != .passed("the key has none"))
    // The same answer a second time is a replay, and its counter says so.
    let again = answered.verify(
      try AuthenticationRequest(parsing: Array(question.utf8)), Self.policy, credential: try #require(signed.credential)
    )
    #expect(again.failures == [.counter])
  }

  @Test("an answer to one request does not verify against another")
  func otherRequest() async throws {
    let desk = Desk()
    try desk.key()
    let options = request(attestation: "direct")
    let registered = try ReceivedRegistration(parsing: try await desk.register(options).json())
    var other = try RegistrationRequest(parsing: Array(options.utf8))
    other.challenge.append(0)
    #expect(registered.verify(other, Self.policy).failures == [.challenge])
    var elsewhere = Self.policy
    elsewhere.origins = ["https://example.com"]
    #expect(
      registered.verify(try RegistrationRequest(parsing: Array(options.utf8)), elsewhere).failures == [.origin])
  }
}

extension Verification {
  fileprivate func outcome(_ subject: Check.Subject) -> Check.Outcome? {
    checks.last { $0.subject == subject }?.outcome
  }

  fileprivate var failures: [Check.Subject] { checks.filter(\.isFailure).map(\.subject) }
}
