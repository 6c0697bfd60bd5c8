import CTAPMessages
import FaultJudge
import Testing
import Timing

@testable import VirtualKey

@Suite("The judge of listings and changes")
struct ChangeTests {
  static let cases: [(Assignment.Change, VirtualKeyEvent)] = [
    (.deletion([7]), .credentialDeleted(rpID: "bank.example", id: [7])),
    (.renaming([7]), .credentialUpdated(rpID: "bank.example", id: [7])),
    (.newPIN, .pinSet),
  ]

  private func verdict(
    _ task: Assignment.Task, _ outcome: HostReport.Outcome, _ events: [VirtualKeyEvent],
    undisturbed: HostReport.Outcome? = nil
  ) -> Verdict {
    Judge.verdict(
      log: events.map { GoodRun.entry($0) }, report: HostReport(outcome: outcome, typedPINs: 0, end: GoodRun.start),
      assignment: Assignment(
        task: task, deadline: GoodRun.start + .seconds(10), overtime: .seconds(1), undisturbed: undisturbed))
  }

  private func failure(_ text: String, uncertain: Bool = false) -> HostReport.Outcome {
    .failure(
      HostReport.Failure(
        kind: "communication", text: text, saysCredentialExists: false, saysChangeUncertain: uncertain))
  }

  @Test("a change is right where the key made it once", arguments: cases)
  func made(_ change: Assignment.Change, _ event: VirtualKeyEvent) {
    #expect(verdict(.change(change), .changed, [event]) == Verdict(result: .right, violations: []))
    #expect(verdict(.change(change), .changed, []).violations == [.wrongSuccess("nothing was changed")])
    #expect(verdict(.change(change), .changed, [event, event]).violations == [.changedAgain(2)])
  }

  @Test("a change that was made has to be told of, with how to find out", arguments: cases)
  func told(_ change: Assignment.Change, _ event: VirtualKeyEvent) {
    #expect(verdict(.change(change), failure("No."), [event]).violations == [.unreportedChange("No.")])
    #expect(verdict(.change(change), failure("No."), []).violations == [])
    let vague = "It may have been made."
    #expect(verdict(.change(change), failure(vague, uncertain: true), [event]).violations == [.noAdvice(vague)])
    let clear = "It may have been made. List the credentials to find out."
    #expect(verdict(.change(change), failure(clear, uncertain: true), [event]).violations == [])
  }

  @Test(
    "what nobody asked for is found, whatever was to be done",
    arguments: [
      .credentialDeleted(rpID: "bank.example", id: [8]), .credentialUpdated(rpID: "bank.example", id: [8]),
      .configured(.toggleAlwaysUv), .fingerprintEnrolled(id: [1]), .fingerprintRemoved(id: [1]),
      .largeBlobsWritten([1, 7]), .wasReset,
    ] as [VirtualKeyEvent])
  func unasked(_ event: VirtualKeyEvent) {
    for task: Assignment.Task in [.info, .listing, .change(.newPIN), .change(.deletion([7]))] {
      let found = verdict(task, failure("No."), [event]).violations
      #expect(found.contains { if case .unaskedChange = $0 { true } else { false } })
    }
  }

  @Test("a wrong credential is not the one that was to be deleted or renamed")
  func wrongOne() {
    let deleted = verdict(.change(.deletion([7])), .changed, [.credentialDeleted(rpID: "bank.example", id: [8])])
    #expect(deleted.violations.contains(.unaskedChange("a credential was deleted")))
    #expect(deleted.violations.contains(.wrongSuccess("nothing was changed")))
  }

  @Test("a success of a command that nobody sent is altered, and the change is not made")
  func otherCommand() {
    for command in [CTAPCommand.selection, .reset] {
      let event = VirtualKeyEvent.command(command.rawValue, GoodRun.channel, size: 90)
      #expect(verdict(.change(.newPIN), .changed, [event]).result == .altered([.command]))
    }
  }

  @Test("a listing is right as it is without a fault, and else altered")
  func listing() {
    let one = HostReport.ListedCredential(
      rpID: "bank.example", rpIDHash: [1], id: [7], user: UserEntity(id: [1], name: "alice"))
    #expect(verdict(.listing, .listing([one]), [], undisturbed: .listing([one])).result == .right)
    #expect(verdict(.listing, .listing([]), [], undisturbed: .listing([one])).result == .altered([.listing]))
    #expect(verdict(.info, .listing([one]), []).violations == [.wrongSuccess("a listing that nobody asked for")])
  }

  @Test("a result of another kind than the task's is none")
  func otherKind() {
    #expect(verdict(.info, .changed, []).violations == [.wrongSuccess("a change that nobody asked for")])
  }
}
