import CTAPHID
import CTAPMessages
import Foundation
import JSONText
import Octets
import Synchronization
import Testing
import WebAuthnClient

@testable import BridgeCommands

@Suite("Answers that do not fit")
struct ProgramAnswerTests {
  /// The questions of a registration, and values that each of them refuses.
  static let unfit: [(question: String, values: [String])] = [
    ("nameNeeded", ["7", "true", #""a\u0007b""#, #""\u202eb""#]),
    ("pinNeeded", ["4821", "false"]),
    ("virtualTouchNeeded", ["null", "1", #""true""#]),
  ]

  @Test("a value of the wrong kind is refused, and the question stays open for the right one", arguments: unfit)
  func wrongKind(question: String, values: [String]) async throws {
    let run = try AskingRun()
    let ending = try await Drive().run(run.arguments()) { event in
      guard event.name == question else { return AskingRun.right(event) }
      let right = AskingRun.value(event) ?? ""
      return .write(values.map(event.answer).joined() + event.answer(right))
    }
    #expect(ending.status == .success)
    let refusals = try ending.events("answerRefused")
    #expect(refusals.count == values.count)
    #expect(try refusals.allSatisfy { try $0.id == ending.events(question).first?.id })
  }

  @Test("lines that are no answers are refused one by one, and do not stop anything")
  func malformed() async throws {
    let run = try AskingRun()
    let long = String(repeating: "x", count: ProgramInput.lineLimit + 1)
    let huge = #"{"type":"answer","id":1,"value":"\#(String(repeating: "9", count: 3_000_000))"}"#
    let foreign = #"{"type":"answer","id":99,"value":"x"}"#
    let lines = ProgramMessageTests.refused.map(\.0) + [long, huge, foreign, #"{"type":"answer","id":0,"value":1}"#]
    let ending = try await Drive().run(run.arguments()) { event in
      guard event.name == "pinNeeded" else { return AskingRun.right(event) }
      return .write("\n\r\n" + lines.joined(separator: "\n") + "\n" + event.answer("\"\(AskingRun.pin)\""))
    }
    #expect(ending.status == .success)
    let refusals = try ending.events("answerRefused")
    #expect(refusals.count == lines.count)
    #expect(refusals.filter { $0["reason"]?.stringValue == "The line is longer than 16384 bytes." }.count == 2)
    #expect(refusals.suffix(2).allSatisfy { $0["reason"]?.stringValue == "No question with this number is open." })
  }

  @Test("a line of the greatest length is taken; of two answers at once the first counts")
  func edges() async throws {
    let run = try AskingRun()
    let ending = try await Drive().run(run.arguments(presence: "auto")) { event in
      guard event.name == "nameNeeded" else { return AskingRun.right(event) }
      let first = event.answer("\"First\"").dropLast()
      let padding = String(repeating: " ", count: ProgramInput.lineLimit - first.utf8.count)
      return .write(first + padding + "\n" + event.answer("\"Second\""))
    }
    #expect(ending.status == .success && ending.output.contains(#""friendlyName":"First""#))
    #expect(try ending.events("answerRefused").count == 1)
  }

  /// A dialogue over a pipe, with what it told and the end to write to.
  private struct Pair {
    let program: ProgramDialogue
    let writeEnd: Int32
    let lines: Lines

    final class Lines: Sendable {
      let list = Mutex<[String]>([])
    }

    init() throws {
      // The reading end stays open: the thread that reads it may outlive the test by a moment.
      let (readEnd, writeEnd) = try Pipe.make()
      let lines = Lines()
      (self.writeEnd, self.lines) = (writeEnd, lines)
      program = ProgramDialogue(input: readEnd) { line in lines.list.withLock { $0.append(line) } }
      program.start(expectsRequest: false)
    }

    func end() { close(writeEnd) }
  }

  private static let authenticator = AuthenticatorInfo(
    key: KeyDescription(id: "virtual", vendorID: 0, productID: 0),
    abilities: GetInfoResponse(versions: ["FIDO_2_1"], aaguid: AAGUID.zero))

  @Test("a last line without a line feed counts")
  func lastLine() async throws {
    let pair = try Pair()
    writeOnce(pair.writeEnd, #"{"type":"answer","id":1,"value":"Desk key"}"#)
    async let name = ProgramInteraction(program: pair.program).retrieveAuthenticatorDescription(Self.authenticator)
    while pair.lines.list.withLock({ $0.isEmpty }) { try await Task.sleep(for: .milliseconds(1)) }
    pair.end()
    #expect(try await name?.friendlyName == "Desk key")
  }

  @Test(
    "a confirmation takes true, or the phrase where there is one; false stops, and anything else is refused",
    arguments: [
      (nil, ["true"], true), (nil, ["false"], false), (nil, ["\"yes\"", "1", "null", "true"], true),
      ("My key", ["\"My key\""], true), ("My key", ["true", "\"my key\"", "\"\"", "null", "\"My key\""], true),
      ("My key", ["\"x\"", "false"], false),
    ] as [(String?, [String], Bool)])
  func confirmation(phrase: String?, values: [String], outcome: Bool) async throws {
    let pair = try Pair()
    let request = ConfirmationRequest(
      authenticator: Self.authenticator, deed: .reset, consequences: "All is lost.", phrase: phrase)
    async let answer = ProgramInteraction(program: pair.program).confirm(request)
    while pair.lines.list.withLock({ $0.isEmpty }) { try await Task.sleep(for: .milliseconds(1)) }
    for value in values { writeOnce(pair.writeEnd, #"{"type":"answer","id":1,"value":\#(value)}"# + "\n") }
    #expect(try await answer == outcome)
    #expect(pair.lines.list.withLock { $0.count } == values.count, "a refusal for each but the last")
    pair.end()
  }

  @Test("a new PIN, and null where none is to be had")
  func newPIN() async throws {
    let request = NewPINRequest(
      authenticator: Self.authenticator, occasion: .first, attempt: 1, minimumLength: 4, maximumLength: 63)
    for (value, pin) in [("\"n\\u00e9w 4821\"", "néw 4821"), ("null", nil)] as [(String, String?)] {
      let pair = try Pair()
      async let answer = ProgramInteraction(program: pair.program).requestNewPIN(request)
      while pair.lines.list.withLock({ $0.isEmpty }) { try await Task.sleep(for: .milliseconds(1)) }
      writeOnce(pair.writeEnd, #"{"type":"answer","id":1,"value":\#(value)}"# + "\n")
      #expect(try await answer?.exposed() == pin.map { Array($0.utf8) })
      pair.end()
    }
  }

  @Test("a cancelled task leaves no question open")
  func cancelledTask() async throws {
    let pair = try Pair()
    let question = Task {
      try await ProgramInteraction(program: pair.program).retrieveAuthenticatorDescription(Self.authenticator)
    }
    while pair.lines.list.withLock({ $0.isEmpty }) { try await Task.sleep(for: .milliseconds(1)) }
    question.cancel()
    await #expect(throws: UserCancelled.self) { try await question.value }
    #expect(pair.lines.list.withLock { $0.last } == #"{"event":"questionOver","id":1}"#)
    let late = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      return try await ProgramInteraction(program: pair.program).retrieveAuthenticatorDescription(Self.authenticator)
    }
    await #expect(throws: UserCancelled.self) { try await late.value }
    pair.end()
  }
}
