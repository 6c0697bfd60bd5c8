import RelyingParty
import Testing

@Suite("The vectors of WebAuthn L3")
struct VectorTests {
  @Test("each registration verifies", arguments: W3CVector.all)
  func registrations(_ vector: W3CVector) throws {
    let found = vector.verifyRegistration()
    #expect(found.failures.isEmpty, "\(found.checks)")
    #expect(found.passed)
    if vector.isCertified {
      #expect(found.outcome(.trustChain) == .passed("revocation was not looked at"))
      #expect(found.outcome(.attestationCertificate) == .passed(""))
    }
    if !vector.id.hasPrefix("none") {
      guard case .passed = found.outcome(.attestation) else {
        Issue.record("\(found.checks)")
        return
      }
    }
    #expect(found.credential?.id == vector.registration.identifiers.first)
    #expect(found.credential?.userHandle == [1])
  }

  @Test("each sign-in verifies with the credential of its registration", arguments: W3CVector.all)
  func authentications(_ vector: W3CVector) throws {
    let found = vector.authentication.verify(
      vector.authenticationRequest, vector.policy, credential: try vector.record())
    #expect(found.failures.isEmpty, "\(found.checks)")
    #expect(found.outcome(.signature) == .passed(""))
  }

  @Test("there are 15 of them")
  func count() { #expect(W3CVector.all.count == 15) }
}
