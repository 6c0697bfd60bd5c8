import CBOR
import CTAPHID
import CTAPMessages
import FaultJudge
import Testing
import Timing

@testable import VirtualKey

@Suite("The judge")
struct JudgeTests {
  @Test("a registration that went well is right")
  func right() throws {
    var run = try GoodRun()
    #expect(try run.verdict() == Verdict(result: .right, violations: []))
    run.undisturbed = .registration(try run.response())
    #expect(try run.verdict() == Verdict(result: .right, violations: []))
  }

  /// One thing spoilt in a success, and the words for it.
  struct SpoiltRun: Sendable, CustomTestStringConvertible {
    let words: String
    let spoil: @Sendable (inout GoodRun) -> Void
    var testDescription: String { words }
  }

  static let spoilt: [SpoiltRun] = [
    SpoiltRun(words: "the id is not the credential's") { $0.id = [8, 8, 8] },
    SpoiltRun(words: "it is for another RP ID") { $0.rpID = "other.example" },
    SpoiltRun(words: "there was no touch") { $0.flags = [] },
    SpoiltRun(words: "the user was not verified") { $0.task.demandsVerification = true },
    SpoiltRun(words: "the algorithm was not asked for") { $0.task.algorithms = [-8] },
    SpoiltRun(words: "the client data is not the request's") { $0.task.challenge = [9] },
    SpoiltRun(words: "the client data is not the request's") { $0.task.origin = "https://other.example" },
    SpoiltRun(words: "the signature does not verify") { $0.signsOther = true },
    SpoiltRun(words: "the statement is broken") { $0.spoil = { $0["sig"] = nil } },
    SpoiltRun(words: "x5c is no list") { $0.spoil = { $0["x5c"] = [] } },
    SpoiltRun(words: "there is no format \"packet\" on this key") { $0.format = "packet" },
    SpoiltRun(words: "the key made no credential") {
      $0.log.removeAll { $0.event == .credentialMade(rpID: "bank.example", id: [7, 7, 7], resident: false) }
    },
    SpoiltRun(words: "a response without a registration") { $0.taskKind = .info },
  ]

  @Test("a success with one thing spoilt is none", arguments: spoilt)
  func spoiltSuccess(_ spoilt: SpoiltRun) throws {
    var run = try GoodRun()
    spoilt.spoil(&run)
    #expect(try run.verdict().violations == [.wrongSuccess(spoilt.words)])
  }

  @Test("what nothing vouches for is an altered success")
  func altered() throws {
    var run = try GoodRun()
    run.undisturbed = .registration(try run.response())
    run.transports = ["nfc"]
    #expect(try run.verdict() == Verdict(result: .altered([.transports]), violations: []))
    run.transports = ["usb"]
    run.task.isResident = true
    #expect(try run.verdict() == Verdict(result: .altered([.residence]), violations: []))
    run = try GoodRun()
    run.spoil = { $0["x5c"] = [.bytes([1, 2, 3])] }
    #expect(try run.verdict() == Verdict(result: .altered([.certificate]), violations: []))
    run = try GoodRun()
    (run.format, run.spoil) = ("none", { $0 = CBORMap() })
    #expect(try run.verdict() == Verdict(result: .altered([.unsigned]), violations: []))
    run.undisturbed = .failure(HostReport.Failure(kind: "excluded", text: "excluded", saysCredentialExists: false))
    #expect(try run.verdict() == Verdict(result: .altered([.unsigned, .list]), violations: []))
  }

  @Test("an attestation that is gone is a wrong success")
  func attestationGone() throws {
    var run = try GoodRun()
    run.undisturbed = .registration(try run.response())
    (run.format, run.spoil) = ("none", { $0 = CBORMap() })
    #expect(try run.verdict().violations == [.wrongSuccess("the attestation is gone")])
  }

  static func failure(_ text: String, saysExists: Bool = false, unnamed: Bool = false) -> HostReport.Outcome {
    .failure(
      HostReport.Failure(kind: "communication", text: text, saysCredentialExists: saysExists, isUnnamed: unnamed))
  }

  @Test("a credential that the error does not mention is found")
  func unreported() throws {
    var run = try GoodRun()
    run.outcome = Self.failure("The key stopped answering.")
    #expect(try run.verdict().violations == [.unreportedCredential("The key stopped answering.")])
  }

  @Test("an error about a credential has to name it, and for a discoverable one say how to look and remove")
  func advice() throws {
    var run = try GoodRun()
    run.outcome = Self.failure("A credential for bank.example may exist.", saysExists: true)
    #expect(try run.verdict().violations.isEmpty)
    run.outcome = Self.failure("A credential may exist.", saysExists: true)
    #expect(try run.verdict().violations == [.noAdvice("A credential may exist.")])
    run.task.isResident = true
    run.outcome = Self.failure("A credential for bank.example may exist.", saysExists: true)
    #expect(try run.verdict().violations == [.noAdvice("A credential for bank.example may exist.")])
    run.outcome = Self.failure("One for bank.example may exist: list and delete it.", saysExists: true)
    #expect(try run.verdict().violations.isEmpty)
  }

  @Test("the right result of a task that cannot succeed is its own error")
  func expectedFailure() throws {
    var run = try GoodRun()
    run.log = []
    run.outcome = Self.failure("no")
    run.undisturbed = Self.failure("no, in other words")
    #expect(try run.verdict().result == .right)
    run.undisturbed = nil
    #expect(try run.verdict().result == .error("communication", text: "no"))
  }

  @Test("errors without a cause, hangs and lateness are found")
  func ends() throws {
    var run = try GoodRun()
    run.log = []
    run.outcome = Self.failure("?", unnamed: true)
    #expect(try run.verdict().violations == [.unnamed("?")])
    run.outcome = .never
    #expect(try run.verdict().violations == [.hang])
    run = try GoodRun()
    run.end = GoodRun.start + .seconds(13)
    #expect(try run.verdict().violations == [.late(.seconds(2))])
  }

  @Test("a second credential is found, whatever the host says")
  func second() throws {
    var run = try GoodRun()
    run.log.append(run.made())
    #expect(try run.verdict().violations == [.secondCredential(2)])
  }

  @Test("tries that are given back are not spent; more wrong ones than PINs typed are found")
  func pinTries() throws {
    var run = try GoodRun()
    run.typedPINs = 1
    run.log += [.pinTry(retriesLeft: 7), .pinRight, .pinTry(retriesLeft: 7), .pinRight].map { GoodRun.entry($0) }
    #expect(try run.verdict().violations.isEmpty)
    run.log += [.pinTry(retriesLeft: 7), .pinTry(retriesLeft: 6)].map { GoodRun.entry($0) }
    #expect(try run.verdict().violations == [.pinTriedAgain(tries: 2, typed: 1)])
  }

  @Test("a key that was left waiting for a touch is found, and one that was stopped with INIT alone")
  func leftAtWork() throws {
    var run = try GoodRun()
    run.outcome = Self.failure("The time is up.")
    run.log.removeLast(3)
    #expect(try run.verdict().violations == [.leftAtWork(1)])
    let working = run.log
    run.log.append(GoodRun.entry(.initialised(GoodRun.channel)))
    #expect(try run.verdict().violations == [.notCancelled(1)])
    for end in [VirtualKeyEvent.cancelled(1), .unplugged, .answered(1, .userActionTimeout, size: 1)] {
      run.log = working + [GoodRun.entry(end)]
      #expect(try run.verdict().violations.isEmpty)
    }
    // What happens when the host has ended is too late.
    run.log = working + [GoodRun.entry(.cancelled(1), after: .seconds(2))]
    #expect(try run.verdict().violations == [.leftAtWork(1)])
  }

  @Test("a channel that was not given out, and CTAP1, are found")
  func channels() throws {
    var run = try GoodRun()
    run.log.append(GoodRun.entry(.refused(.invalidChannel, GoodRun.channel)))
    #expect(try run.verdict().violations == [.strayedChannel])
    run = try GoodRun()
    run.log.append(GoodRun.entry(.u2fCommand(1, GoodRun.channel, size: 71)))
    #expect(try run.verdict().violations == [.universalSecondFactor])
  }

  @Test("what a key says of itself is right, or altered")
  func info() throws {
    var run = try GoodRun()
    run.log = []
    run.taskKind = .info
    let info = GetInfoResponse(versions: ["FIDO_2_1"], aaguid: .zero)
    run.outcome = .info(info)
    run.undisturbed = .info(info)
    #expect(try run.verdict().result == .right)
    run.undisturbed = .info(GetInfoResponse(versions: ["FIDO_2_0"], aaguid: .zero))
    #expect(try run.verdict().result == .altered([.info]))
    run.log = [run.made()]
    #expect(try run.verdict().violations == [.wrongSuccess("a credential was made")])
  }
}
