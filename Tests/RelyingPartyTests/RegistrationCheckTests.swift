import CBOR
import CTAPMessages
import FIDOCrypto
import Octets
import RelyingParty
import Testing

@Suite("The checks of a registration")
struct RegistrationCheckTests {
  static let whole: W3CVector = {
    guard let vector = try? W3CVector.named("packed-es256") else { fatalError("no vector") }
    return vector
  }()

  /// The client data with one piece of text replaced by another.
  static func clientData(_ old: String, _ new: String) -> W3CVector {
    var spoiled = whole
    let text = String(decoding: spoiled.registration.clientDataJSON, as: UTF8.self)
    spoiled.registration.clientDataJSON = Array(text.replacing(old, with: new).utf8)
    return spoiled
  }

  /// The attestation object taken apart, changed and put together again.
  static func changed(
    _ vector: W3CVector = whole, flags: (AuthenticatorData.Flags) -> AuthenticatorData.Flags = { $0 },
    key: (COSEKey) -> COSEKey = { $0 }, object change: (inout AttestationObject) -> Void = { _ in }
  ) throws -> W3CVector {
    var object = try AttestationObject(cbor: CBORDecoder.decode(vector.registration.attestationObject))
    let data = object.authData
    let credential = try #require(data.attestedCredential)
    object.authData = try AuthenticatorData(
      rpIDHash: data.rpIDHash, flags: flags(data.flags), signCount: data.signCount,
      attestedCredential: AttestedCredential(
        aaguid: credential.aaguid, credentialID: credential.credentialID, publicKey: key(credential.publicKey)))
    change(&object)
    var changed = vector
    changed.registration.attestationObject = object.cbor().encoded()
    return changed
  }

  @Test("fail on client data that is another's, in the check that it concerns")
  func clientData() {
    let cases: [(String, String, Check.Subject)] = [
      ("webauthn.create", "webauthn.get", .clientData), ("{\"type\"", "[\"type\"", .clientData),
      ("\"challenge\":\"w", "\"challenge\":\"x", .challenge), ("\"challenge\"", "\"challenger\"", .challenge),
      ("https://example.org", "https://example.org.evil.example", .origin),
      ("https://example.org", "http://example.org", .origin), ("\"origin\"", "\"orogin\"", .origin),
      ("\"crossOrigin\":false", "\"crossOrigin\":\"false\"", .crossOrigin),
      ("\"crossOrigin\":false", "\"crossOrigin\":true,\"topOrigin\":\"https://evil.example\"", .crossOrigin),
      ("\"crossOrigin\":false", "\"crossOrigin\":false,\"topOrigin\":\"https://example.com\"", .crossOrigin),
      ("\"crossOrigin\":false", "\"crossOrigin\":true,\"topOrigin\":7", .crossOrigin),
    ]
    for (old, new, subject) in cases {
      let found = Self.clientData(old, new).verifyRegistration()
      #expect(found.failures.contains(subject), "\(new): \(found.failures)")
      #expect(found.failures.contains(.attestation), "\(new): the statement covers it too")
      #expect(!found.passed && found.credential == nil)
    }
  }

  @Test("take a ceremony inside another site's page only where that page was named")
  func crossOrigin() throws {
    let vector = try W3CVector.named("none-es256-topOrigin")
    #expect(vector.verifyRegistration().outcome(.crossOrigin) == .passed("inside a page of https://example.com"))
    var policy = vector.policy
    policy.topOrigins = ["https://other.example"]
    #expect(vector.verifyRegistration(policy).failures == [.crossOrigin])
    policy.topOrigins = []
    #expect(vector.verifyRegistration(policy).failures == [.crossOrigin])
    // This one does not say which page it was.
    let silent = try W3CVector.named("none-es256-crossOrigin")
    #expect(
      silent.verifyRegistration().outcome(.crossOrigin)
        == .notChecked("the response does not say which page it was inside"))
    #expect(silent.verifyRegistration(policy).failures == [.crossOrigin])
  }

  @Test("fail on a request that the response does not answer, in the check that it concerns")
  func otherRequest() {
    func failures(_ change: (inout RegistrationRequest) -> Void) -> [Check.Subject] {
      var request = Self.whole.registrationRequest
      change(&request)
      return Self.whole.registration.verify(request, Self.whole.policy).failures
    }
    #expect(failures { _ in } == [])
    #expect(failures { $0.challenge[0] ^= 1 } == [.challenge])
    #expect(failures { $0.challenge = [] } == [.challenge])
    #expect(failures { $0.relyingPartyID = "example.com" } == [.relyingPartyID])
    #expect(failures { $0.relyingPartyID = nil } == [])
    #expect(failures { $0.algorithms = [-8, -257] } == [.algorithm])
  }

  @Test("fail where the user was to be verified and was not")
  func verification() throws {
    let unverified = try W3CVector.named("fido-u2f-es256")
    var request = unverified.registrationRequest
    #expect(
      unverified.verifyRegistration().outcome(.userVerified) == .passed("not verified, and not required"))
    request.requiresUserVerification = true
    #expect(unverified.registration.verify(request, unverified.policy).failures == [.userVerified])
    #expect(Self.whole.registration.verify(request, Self.whole.policy).outcome(.userVerified) == .passed("verified"))
  }

  @Test("fail on flags that must not be")
  func flags() throws {
    let none = try W3CVector.named("none-es256")
    let absent = try Self.changed(none, flags: { $0.subtracting(.userPresent) })
    #expect(absent.verifyRegistration().failures == [.userPresent])
    let contradicting = try Self.changed(none, flags: { $0.subtracting(.backupEligible).union(.backedUp) })
    #expect(contradicting.verifyRegistration().failures == [.backup])
    // Where there is a signature it covers the flags.
    let signed = try Self.changed(flags: { $0.subtracting(.userVerified) })
    #expect(signed.verifyRegistration().failures == [.attestation, .trustChain])
  }

  @Test("fail on a public key that cannot be one, and say where one is not supported")
  func publicKey() throws {
    let none = try W3CVector.named("none-es256")
    let off = try Self.changed(
      none,
      key: { _ in
        COSEKey(.ec2(curve: 1, x: [UInt8](repeating: 1, count: 32), y: [UInt8](repeating: 1, count: 32)), alg: -7)
      })
    #expect(off.verifyRegistration().failures == [.publicKey])
    let short = try Self.changed(none, key: { _ in COSEKey(.ec2(curve: 1, x: [1], y: [1]), alg: -7) })
    #expect(short.verifyRegistration().failures == [.publicKey])
    let even = try Self.changed(
      none,
      key: { _ in
        COSEKey(.rsa(n: [UInt8](repeating: 0xfe, count: 256), e: [1, 0, 1]), alg: -257)
      })
    #expect(even.verifyRegistration().failures == [.publicKey])
    let unknown = try Self.changed(none, key: { COSEKey($0.material, alg: -47) })
    #expect(unknown.verifyRegistration().failures == [.algorithm])
    #expect(unknown.verifyRegistration().outcome(.publicKey) == .notChecked("COSE algorithm -47 is not supported"))
    let unnamed = try Self.changed(none, key: { COSEKey($0.material, alg: nil) })
    #expect(unnamed.verifyRegistration().failures == [.algorithm, .publicKey])
  }

  @Test("fail on identifiers and a type that are not the credential's")
  func identifiers() {
    var other = Self.whole
    other.registration.identifiers = [[1, 2, 3]]
    #expect(other.verifyRegistration().failures == [.credentialID])
    other = Self.whole
    other.registration.identifiers.append([1, 2, 3])
    #expect(other.verifyRegistration().failures == [.credentialID])
    other = Self.whole
    other.registration.type = "password"
    #expect(other.verifyRegistration().failures == [.type])
  }

  @Test("fail on an attestation object that cannot be read or holds no credential")
  func unreadable() throws {
    var other = Self.whole
    other.registration.attestationObject.removeLast()
    #expect(other.verifyRegistration().failures == [.credentialID, .authenticatorData])
    let bare = try Self.changed(object: { object in
      if let data = try? AuthenticatorData(rpIDHash: object.authData.rpIDHash, flags: .userPresent, signCount: 0) {
        object.authData = data
      }
    })
    #expect(bare.verifyRegistration().failures == [.credentialID, .authenticatorData])
  }

  @Test("fail on copies that differ from the attestation object, and name those that agree")
  func copies() throws {
    let object = try AttestationObject(cbor: CBORDecoder.decode(Self.whole.registration.attestationObject))
    let key = try #require(object.authData.attestedCredential?.publicKey)
    var full = Self.whole
    full.registration.authenticatorData = object.authData.encoded()
    full.registration.publicKeyAlgorithm = -7
    full.registration.publicKey = try PublicKey.elliptic(.p256, x: key.x ?? [], y: key.y ?? []).subjectPublicKeyInfo()
    #expect(
      full.verifyRegistration().outcome(.copies) == .passed("authenticatorData, publicKeyAlgorithm, publicKey"))
    var spoiled = full
    spoiled.registration.authenticatorData?[33] ^= 1
    #expect(spoiled.verifyRegistration().failures == [.copies])
    spoiled = full
    spoiled.registration.publicKeyAlgorithm = -8
    #expect(spoiled.verifyRegistration().failures == [.copies])
    spoiled = full
    spoiled.registration.publicKey?[30] ^= 1
    #expect(spoiled.verifyRegistration().failures == [.copies])
    #expect(Self.whole.verifyRegistration().outcome(.copies) == .notChecked("the response has none"))
  }

  @Test("say what cannot be checked without more, and pass")
  func notChecked() throws {
    var policy = Self.whole.policy
    policy.trustAnchors = nil
    policy.origins = []
    let found = Self.whole.verifyRegistration(policy)
    #expect(found.passed)
    #expect(found.outcome(.trustChain) == .notChecked("no trust anchors were given"))
    #expect(found.outcome(.origin) == .notChecked("no origin was given; the response has https://example.org"))
    guard case .notChecked = found.outcome(.unused) else {
      Issue.record("\(found.checks)")
      return
    }
    var request = Self.whole.registrationRequest
    request.relyingPartyID = nil
    guard case .notChecked = Self.whole.registration.verify(request, policy).outcome(.relyingPartyID) else {
      Issue.record("no RP ID is known")
      return
    }
    var extended = Self.whole
    extended.registration.extensions = ["credProps"]
    guard case .notChecked(let words) = extended.verifyRegistration().outcome(.extensions) else {
      Issue.record("the extension is not named")
      return
    }
    #expect(words.contains("credProps"))
  }

  @Test("fail where trust anchors are given and nothing leads to them", arguments: W3CVector.all)
  func untrusted(_ vector: W3CVector) throws {
    let key = try SigningKey.generate(.es256)
    var policy = vector.policy
    policy.trustAnchors = [
      try Certificate.makeAuthority(
        key: key,
        subject: CertificateName(country: "AA", organization: "X", organizationalUnit: "X", commonName: "X"),
        serialNumber: [1], notBefore: 0, notAfter: W3CVector.time * 2)
    ]
    #expect(vector.verifyRegistration(policy).failures == [.trustChain])
    policy.trustAnchors = []
    #expect(vector.verifyRegistration(policy).failures == [.trustChain])
    // Neither do certificates before their time.
    policy = vector.policy
    policy.time = 0
    #expect(vector.verifyRegistration(policy).failures == (vector.isCertified ? [.trustChain] : []))
  }

  @Test("fail on a statement under format none, and on none where the format is renamed over a packed one")
  func formats() throws {
    let none = try W3CVector.named("none-es256")
    let filled = try Self.changed(none, object: { $0.attStmt["alg"] = -7 })
    #expect(filled.verifyRegistration().failures == [.attestation])
    let other = try Self.changed(none, object: { $0.fmt = "vendor-2031" })
    #expect(other.verifyRegistration().outcome(.attestation) == .notChecked("format \"vendor-2031\" is not known"))
    let renamed = try Self.changed(object: { $0.fmt = "packet" })
    #expect(renamed.verifyRegistration().failures.contains(.attestation))
  }

  @Test("fail on a chain over a statement that could not be checked")
  func uncheckedStatement() throws {
    let ecdaa = try Self.changed(object: { $0.attStmt["ecdaaKeyId"] = .bytes([1]) })
    #expect(ecdaa.verifyRegistration().failures == [.trustChain])
    #expect(
      ecdaa.verifyRegistration().outcome(.attestation)
        == .notChecked("format \"packed\": ECDAA signatures are not supported"))
  }

  @Test("stop at the first that fails where the policy says so")
  func brief() {
    var policy = Self.whole.policy
    policy.stopsAtFirstFailure = true
    let found = Self.clientData("webauthn.create", "webauthn.get").verifyRegistration(policy)
    #expect(found.checks.map(\.subject) == [.type, .credentialID, .clientData])
  }
}
