import CTAPMessages
import FIDOCrypto
import FaultJudge
import Testing
import Timing

@testable import VirtualKey

/// A sign-in that went well, to be spoilt in one place at a time.
struct GoodSignIn {
  var id: [UInt8] = [7, 7, 7]
  var flags: AuthenticatorData.Flags = [.userPresent]
  var rpID = "bank.example"
  var counter: UInt32 = 5
  var clientData = #"{"type":"webauthn.get","challenge":"AQIDBA","origin":"https://bank.example"}"#
  var userHandle: [UInt8]? = [1]
  var signsOther = false
  var isListed = true
  var wanted: [UInt8]?
  var demandsVerification = false
  var log: [VirtualKeyLogEntry] = [GoodRun.entry(.signed(rpID: "bank.example", id: [7, 7, 7], counter: 5))]

  func verdict() throws -> Verdict {
    let key = try SigningKey.generate(.es256)
    guard case .elliptic(_, let x, let y) = try key.publicKey() else { throw CryptoError.invalidKey("no point") }
    let publicKey = COSEKey(.ec2(curve: COSEKey.Curve.p256, x: x, y: y), alg: -7)
    let known = try [[7, 7, 7], [8, 8, 8]].compactMap { (id: [UInt8]) in
      KnownCredential(
        try AttestedCredential(aaguid: .zero, credentialID: id, publicKey: publicKey), userHandle: [1])
    }
    let data = try AuthenticatorData(
      rpIDHash: Digest.sha256(Array(rpID.utf8)), flags: flags, signCount: counter
    ).encoded()
    let assertion = HostReport.Assertion(
      credentialID: id, clientDataJSON: Array(clientData.utf8), authenticatorData: data,
      signature: try key.sign(data + Digest.sha256(Array((signsOther ? "{}" : clientData).utf8))),
      userHandle: userHandle)
    let task = Assignment.SignIn(
      rpID: "bank.example", origin: "https://bank.example", challenge: [1, 2, 3, 4], credentials: known,
      isListed: isListed, wanted: wanted, demandsVerification: demandsVerification)
    return Judge.verdict(
      log: log, report: HostReport(outcome: .assertion(assertion), typedPINs: 0, end: GoodRun.start),
      assignment: Assignment(task: .signIn(task), deadline: GoodRun.start + .seconds(10), overtime: .seconds(1)))
  }
}

@Suite("The judge of sign-ins")
struct SignInTests {
  @Test("a sign-in that went well is right, with a list of credentials and without")
  func right() throws {
    var run = GoodSignIn()
    #expect(try run.verdict() == Verdict(result: .right, violations: []))
    run.userHandle = nil
    #expect(try run.verdict() == Verdict(result: .right, violations: []))
    (run.userHandle, run.isListed, run.wanted) = ([1], false, [7, 7, 7])
    #expect(try run.verdict() == Verdict(result: .right, violations: []))
  }

  struct Spoilt: Sendable, CustomTestStringConvertible {
    let words: String
    let spoil: @Sendable (inout GoodSignIn) -> Void
    var testDescription: String { words }
  }

  static let spoilt: [Spoilt] = [
    Spoilt(words: "the credential was not asked for") { $0.id = [9] },
    Spoilt(words: "the client data is not the request's") { $0.clientData = "{}" },
    Spoilt(words: "it is for another RP ID") { $0.rpID = "other.example" },
    Spoilt(words: "there was no touch") { $0.flags = [] },
    Spoilt(words: "the user was not verified") { $0.demandsVerification = true },
    Spoilt(words: "it does not say whose it is") { ($0.isListed, $0.userHandle) = (false, nil) },
    Spoilt(words: "the key gave no signature with this counter") { $0.counter = 6 },
    Spoilt(words: "the key gave no signature with this counter") { $0.log = [] },
    Spoilt(words: "a credential was made") {
      $0.log.append(GoodRun.entry(.credentialMade(rpID: "bank.example", id: [1], resident: false)))
    },
  ]

  @Test("a success with one thing spoilt is none", arguments: spoilt)
  func spoiltSuccess(_ spoilt: Spoilt) throws {
    var run = GoodSignIn()
    spoilt.spoil(&run)
    #expect(try run.verdict().violations == [.wrongSuccess(spoilt.words)])
  }

  @Test("what only the relying party can find out is an altered success")
  func altered() throws {
    var run = GoodSignIn()
    run.signsOther = true
    #expect(try run.verdict().result == .altered([.signature]))
    run = GoodSignIn()
    run.userHandle = [2]
    #expect(try run.verdict().result == .altered([.user]))
    run = GoodSignIn()
    (run.isListed, run.wanted) = (false, [8, 8, 8])
    #expect(try run.verdict().result == .altered([.user]))
    (run.wanted, run.id) = (nil, [9])
    #expect(try run.verdict().result == .altered([.user]))
  }
}
