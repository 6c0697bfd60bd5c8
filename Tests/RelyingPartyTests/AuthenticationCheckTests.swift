import CTAPMessages
import FIDOCrypto
import RelyingParty
import Testing

@Suite("The checks of a sign-in")
struct AuthenticationCheckTests {
  /// A credential and what signs with it, so that everything under the signature can be chosen.
  struct Signer {
    let key: SigningKey
    var record: CredentialRecord
    var flags: AuthenticatorData.Flags = [.userPresent, .userVerified]
    var signCount: UInt32 = 0
    var relyingPartyID = "example.org"
    var request: AuthenticationRequest

    static let challenge: [UInt8] = [1, 2, 3, 4]

    init() throws {
      key = try SigningKey.generate(.es256)
      guard case .elliptic(_, let x, let y) = try key.publicKey() else { throw CryptoError.unsupported("another key") }
      var vector = try W3CVector.named("none-es256")
      vector = try RegistrationCheckTests.changed(
        vector, flags: { $0.subtracting([.backupEligible, .backedUp]) },
        key: { _ in COSEKey(.ec2(curve: 1, x: x, y: y), alg: -7) })
      record = try vector.record()
      request = AuthenticationRequest(
        challenge: Self.challenge, relyingPartyID: "example.org", allowedCredentials: [record.id],
        requiresUserVerification: true)
    }

    func response(_ change: (inout ReceivedAuthentication) -> Void = { _ in }) throws -> ReceivedAuthentication {
      let clientData = Array(
        #"{"type":"webauthn.get","challenge":"AQIDBA","origin":"https://example.org","crossOrigin":false}"#.utf8)
      let data = try AuthenticatorData(
        rpIDHash: Digest.sha256(Array(relyingPartyID.utf8)), flags: flags, signCount: signCount
      ).encoded()
      var response = ReceivedAuthentication(
        credentialID: record.id, clientDataJSON: clientData, authenticatorData: data,
        signature: try key.sign(data + Digest.sha256(clientData)))
      change(&response)
      return response
    }

    func failures(_ change: (inout ReceivedAuthentication) -> Void = { _ in }) throws -> [Check.Subject] {
      try verify(change).failures
    }

    func verify(_ change: (inout ReceivedAuthentication) -> Void = { _ in }) throws -> Verification {
      let policy = RelyingPartyPolicy(origins: ["https://example.org"], time: 0)
      return try response(change).verify(request, policy, credential: record)
    }
  }

  @Test("pass on an answer that is as it must be, and hold the new counter")
  func whole() throws {
    var signer = try Signer()
    signer.signCount = 7
    let found = try signer.verify()
    #expect(found.failures == [])
    #expect(found.credential?.signCount == 7)
    #expect(found.outcome(.counter) == .passed("7 after 0"))
  }

  @Test("fail on each part that is another's")
  func parts() throws {
    var signer = try Signer()
    #expect(try signer.failures { $0.identifiers = [[9]] } == [.credentialID])
    #expect(try signer.failures { $0.type = "password" } == [.type])
    #expect(try signer.failures { $0.signature[8] ^= 1 } == [.signature])
    #expect(try signer.failures { $0.signature = [] } == [.signature])
    #expect(try signer.failures { $0.authenticatorData.append(0) } == [.authenticatorData])
    signer.relyingPartyID = "example.com"
    #expect(try signer.failures() == [.relyingPartyID])
    signer = try Signer()
    signer.record.publicKey = COSEKey(signer.record.publicKey.material, alg: -47)
    #expect(try signer.failures() == [.signature])
    signer.record.publicKey = COSEKey(.ec2(curve: 1, x: [1], y: [2]), alg: -7)
    #expect(try signer.failures() == [.signature])
    signer = try Signer()
    signer.request.challenge = [9]
    #expect(try signer.failures() == [.challenge])
  }

  @Test("fail on flags that the request or the registration rules out")
  func flags() throws {
    var signer = try Signer()
    signer.flags = [.userVerified]
    #expect(try signer.failures() == [.userPresent])
    signer.flags = [.userPresent]
    #expect(try signer.failures() == [.userVerified])
    signer.request.requiresUserVerification = false
    #expect(try signer.failures() == [])
    signer.flags = [.userPresent, .backedUp]
    #expect(try signer.failures() == [.backup])
    signer.flags = [.userPresent, .backupEligible]
    #expect(try signer.failures() == [.backup], "it was not eligible at the registration")
    signer.record.backupEligible = true
    #expect(try signer.failures() == [])
    signer.flags = [.userPresent, .backupEligible, .backedUp]
    #expect(try signer.verify().credential?.backedUp == true)
  }

  @Test(
    "fail on a counter that has not grown, and pass where there is none",
    arguments: [(0, 0, true), (5, 4, true), (5, 5, false), (4, 5, false), (0, 5, false)])
  func counter(_ new: UInt32, _ old: UInt32, _ passes: Bool) throws {
    var signer = try Signer()
    signer.signCount = new
    signer.record.signCount = old
    #expect(try signer.failures() == (passes ? [] : [.counter]))
  }

  @Test("fail on a credential that the request does not allow")
  func allowed() throws {
    var signer = try Signer()
    signer.request.allowedCredentials = [[1]]
    #expect(try signer.failures() == [.allowed])
    signer.request.allowedCredentials = [[1], signer.record.id]
    #expect(try signer.failures() == [])
  }

  @Test("fail on another user's handle, and on none where the request names no credential")
  func userHandle() throws {
    var signer = try Signer()
    #expect(try signer.failures { $0.userHandle = [1] } == [])
    #expect(try signer.failures { $0.userHandle = [2] } == [.userHandle])
    signer.request.allowedCredentials = []
    #expect(try signer.failures() == [.userHandle])
    #expect(try signer.failures { $0.userHandle = [1] } == [])
    signer.record.userHandle = nil
    #expect(
      try signer.verify { $0.userHandle = [1] }.outcome(.userHandle)
        == .notChecked("the credential's user is not known"))
  }

  @Test("take an application ID in the RP ID's place only where the request and the response say so")
  func applicationID() throws {
    var signer = try Signer()
    signer.relyingPartyID = "https://example.org/u2f"
    #expect(try signer.failures { $0.usedApplicationID = true } == [.relyingPartyID])
    signer.request.applicationID = "https://example.org/u2f"
    #expect(try signer.failures { $0.usedApplicationID = true } == [])
    #expect(try signer.failures() == [.relyingPartyID])
  }

  @Test("say that the credential was believed where its registration was not verified")
  func believed() throws {
    var signer = try Signer()
    #expect(try signer.verify().outcome(.registration) == nil)
    signer.record.isVerified = false
    guard case .notChecked = try signer.verify().outcome(.registration) else {
      Issue.record("nothing is said")
      return
    }
  }
}
