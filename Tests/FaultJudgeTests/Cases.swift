import CBOR
import CTAPHID
import CTAPMessages
import FIDOCrypto
import FaultJudge
import Octets
import Timing

@testable import VirtualKey

/// A registration that went well, to be spoilt in one place at a time.
struct GoodRun {
  static let challenge: [UInt8] = [1, 2, 3, 4]
  static let start = Instant(nanoseconds: 1_000_000_000)

  var task = Assignment.Registration(
    rpID: "bank.example", origin: "https://bank.example", challenge: challenge, algorithms: [-7], isResident: false,
    demandsVerification: false)
  var id: [UInt8] = [7, 7, 7]
  var flags: AuthenticatorData.Flags = [.userPresent]
  var rpID = "bank.example"
  var clientData = #"{"type":"webauthn.create","challenge":"AQIDBA","origin":"https://bank.example"}"#
  var transports = ["usb"]
  var isSelfAttested = true
  /// What is done to the attestation object's statement.
  var spoil: (inout CBORMap) -> Void = { _ in }
  /// Whether the client data that was signed was another one.
  var signsOther = false
  var format = "packed"

  let key: SigningKey
  var log: [VirtualKeyLogEntry] = []
  var typedPINs = 0
  var end = start + .seconds(1)
  var outcome: HostReport.Outcome?
  var undisturbed: HostReport.Outcome?
  var taskKind: Assignment.Task?

  init() throws {
    key = try SigningKey.generate(.es256)
    log = [
      Self.entry(.poweredUp), Self.entry(.initialised(.broadcast)), Self.entry(.command(1, Self.channel, size: 100)),
      Self.entry(.touchAsked(.makeCredential)), Self.entry(.touched), made(), Self.entry(.answered(1, .ok, size: 500)),
    ]
  }

  static let channel = ChannelIDs.own

  static func entry(_ event: VirtualKeyEvent, after: Duration = .zero) -> VirtualKeyLogEntry {
    VirtualKeyLogEntry(instant: start + after, event: event)
  }

  func made(resident: Bool = false) -> VirtualKeyLogEntry {
    Self.entry(.credentialMade(rpID: "bank.example", id: [7, 7, 7], resident: resident))
  }

  func response() throws -> HostReport.Response {
    guard case .elliptic(_, let x, let y) = try key.publicKey() else { throw CryptoError.invalidKey("no point") }
    let credential = try AttestedCredential(
      aaguid: .zero, credentialID: id, publicKey: COSEKey(.ec2(curve: COSEKey.Curve.p256, x: x, y: y), alg: -7))
    let data = try AuthenticatorData(
      rpIDHash: Digest.sha256(Array(rpID.utf8)), flags: flags, signCount: 1, attestedCredential: credential)
    let hash = Digest.sha256(Array((signsOther ? "{}" : clientData).utf8))
    var statement: CBORMap = ["alg": -7, "sig": .bytes(try key.sign(data.encoded() + hash))]
    spoil(&statement)
    let object = AttestationObject(fmt: format, attStmt: statement, authData: data)
    return HostReport.Response(
      credentialID: id, clientDataJSON: Array(clientData.utf8), attestationObject: object.cbor().encoded(),
      transports: transports)
  }

  func verdict() throws -> Verdict {
    let outcome = try outcome ?? .registration(response())
    return Judge.verdict(
      log: log, report: HostReport(outcome: outcome, typedPINs: typedPINs, end: end),
      assignment: Assignment(
        task: taskKind ?? .registration(task), deadline: Self.start + .seconds(10), overtime: .seconds(1),
        undisturbed: undisturbed))
  }
}
