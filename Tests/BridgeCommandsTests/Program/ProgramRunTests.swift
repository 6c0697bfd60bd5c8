import Foundation
import JSONText
import Synchronization
import Testing
import VirtualKey

@testable import BridgeCommands

/// A registration that asks every question that one can ask: name, PIN, touch.
struct AskingRun: Sendable {
  static let pin = "correct horse"
  let folder: Scratch
  let request: String

  init() throws {
    folder = try Scratch()
    try folder.write("virtual-pin", Self.pin + "\n")
    let text = Requests.extensions(#"{"thalesgroup_ext_v1":true}"#).replacingOccurrences(of: "\n", with: "")
    request = text.dropLast() + #","authenticatorSelection":{"userVerification":"required"}}"#
    try folder.write("request", request)
  }

  func arguments(request: Bool = true, presence: String = "ask") -> [String] {
    ["register"] + (request ? [folder["request"]] : []) + [
      "--origin", Requests.origin, "--key", "virtual:\(folder["key"])", "--virtual-pin-file", folder["virtual-pin"],
      "--presence", presence,
    ]
  }

  /// The right answer to a question; nil for what is none.
  static func value(_ event: JSONValue) -> String? {
    switch event.name {
    case "nameNeeded": #""Desk key""#
    case "pinNeeded": #""\#(pin)""#
    case "virtualTouchNeeded": "true"
    case "accountNeeded": "0"
    default: nil
    }
  }

  static func right(_ event: JSONValue) -> Drive.Reply {
    value(event).map { .write(event.answer($0)) } ?? .nothing
  }

  var hasCredential: Bool { get throws { try folder.signatures() > 0 } }
}

@Suite("Driven by another program")
struct ProgramRunTests {
  private let run: AskingRun

  init() throws { run = try AskingRun() }

  @Test("a registration with a name, a PIN and a touch: every event in its order, and the result on stdout")
  func registration() async throws {
    let ending = try await Drive().run(run.arguments(), AskingRun.right)
    #expect(ending.status == .success)
    let names = try ending.names
    #expect(
      names.filter { $0 != "working" && $0 != "touchNeeded" && $0 != "virtualTouchNeeded" } == [
        "hello", "note", "keyFound", "keySelected", "nameNeeded", "pinNeeded", "touchOver", "done",
      ])
    #expect(names.contains("touchNeeded") && names.contains("virtualTouchNeeded"))
    let response = try JSONDocument(parsing: Array(ending.output.utf8)).root
    let name = response["clientExtensionResults"]?["thalesgroup_ext_v1"]?["authenticatorDescription"]?["friendlyName"]
    #expect(name?.stringValue == "Desk key")
    let question = try #require(try ending.events("pinNeeded").first)
    #expect(question["reason"]?.stringValue == "needed" && question["retriesLeft"]?.integerValue == 8)
    #expect(!ending.lines.joined().contains(AskingRun.pin))
  }

  @Test("the request may be the first line of stdin, and what follows it is answers")
  func requestLine() async throws {
    let ending = try await Drive(input: run.request + "\n").run(run.arguments(request: false), AskingRun.right)
    #expect(ending.status == .success)
    // All at once: the answers are there before their questions, which is too early.
    let early = [1, 2].map { #"{"type":"answer","id":\#($0),"value":"x"}"# + "\n" }.joined()
    let second = try await Drive(input: run.request + "\n" + early).run(run.arguments(request: false)) { event in
      AskingRun.right(event)
    }
    #expect(second.status == .success)
  }

  @Test("a wrong PIN, then one that cannot be one, then the right one; the tries that are left are told")
  func wrongPIN() async throws {
    let answers = Mutex(["\"wrong horse\"", "\"abc\"", "\"\\u0000\\u0000\\u0000\\u0000\"", "\"\(AskingRun.pin)\""])
    let ending = try await Drive().run(run.arguments(presence: "auto")) { event in
      guard event.name == "pinNeeded" else { return AskingRun.right(event) }
      return .write(event.answer(answers.withLock { $0.removeFirst() }))
    }
    #expect(ending.status == .success)
    let questions = try ending.events("pinNeeded")
    #expect(questions.map { $0["reason"]?.stringValue } == ["needed", "wrong", "unusable", "unusable"])
    #expect(questions.map { $0["retriesLeft"]?.integerValue } == [8, 7, 7, 7])
    #expect(Set(questions.map(\.id)).count == 4, "each question has a number of its own")
    #expect(questions[3]["text"]?.stringValue == "The PIN has a NUL character in it, which no key takes.")
  }

  @Test("null declines: no name, no PIN")
  func null() async throws {
    let ending = try await Drive().run(run.arguments()) { event in
      event["id"] == nil ? .nothing : .write(event.answer("null"))
    }
    #expect(ending.status == .pin)
    #expect(try ending.reason?.hasSuffix("needs its PIN, and none was given; nothing was created.") == true)
    #expect(try !run.hasCredential)
  }

  @Test("false does not touch the virtual key")
  func declined() async throws {
    let ending = try await Drive().run(run.arguments()) { event in
      event.name == "virtualTouchNeeded" ? .write(event.answer("false")) : AskingRun.right(event)
    }
    #expect(ending.status == .declined)
    #expect(try !run.hasCredential)
  }

  @Test(
    "cancelled at each question, by a line or by the end of stdin: told, and nothing is created",
    arguments: [
      ("nameNeeded", Drive.Reply.end), ("pinNeeded", .end), ("nameNeeded", .cancel), ("pinNeeded", .cancel),
      ("virtualTouchNeeded", .cancel),
    ])
  func cancelled(question: String, how: Drive.Reply) async throws {
    let ending = try await Drive().run(run.arguments()) { event in
      event.name == question ? how : AskingRun.right(event)
    }
    #expect(ending.status == .declined, "\(ending.lines)")
    let over = try ending.events("questionOver").map(\.id)
    #expect(try over == [ending.events(question).first?.id])
    #expect(try ending.names.last == "error")
    #expect(try ending.events("error")[0]["status"]?.integerValue == Int(ending.status.rawValue))
    #expect(ending.output.isEmpty)
    #expect(try !run.hasCredential)
  }

  @Test("after the end of stdin a question counts as cancelled at once, and what asks nothing goes on")
  func noInput() async throws {
    let asking = try await Drive().run(run.arguments()) { $0.name == "hello" ? .end : .nothing }
    #expect(asking.status == .declined)
    #expect(try asking.reason == "The question for the key's name was cancelled; nothing was created.")
    let pin = ["--pin-file", run.folder["virtual-pin"], "--name", "Desk key"]
    let silent = try await Drive().run(run.arguments(presence: "auto") + pin) { $0.name == "hello" ? .end : .nothing }
    #expect(silent.status == .success)
    #expect(try silent.events("questionOver").isEmpty)
  }

  @Test("cancelled while the key waits for a touch, and in place of the request")
  func cancelledElsewhere() async throws {
    let cancel = #" {"type":"cancel"} "# + "\n"
    let touching = try await Drive().run(run.arguments(presence: "never")) { event in
      event.name == "touchNeeded" ? .write(cancel + cancel) : AskingRun.right(event)
    }
    #expect(touching.status == .declined)
    #expect(try touching.names.suffix(2) == ["touchOver", "error"])
    let early = try await Drive(input: cancel).run(run.arguments(request: false))
    #expect(early.status == .declined)
    #expect(try early.reason == "Cancelled before the request was there.")
    let none = try await Drive().run(run.arguments(request: false)) { $0.name == "hello" ? .end : .nothing }
    #expect(none.status == .badRequest, "an empty request is no JSON")
    #expect(try !run.hasCredential)
  }

  @Test("when time is up a question is over")
  func timeout() async throws {
    let ending = try await Drive().run(run.arguments() + ["--timeout", "0.5"])
    #expect(ending.status == .tryAgain)
    // On a busy machine the time may be up before the question.
    #expect(try ending.events("questionOver").count == ending.events("nameNeeded").count)
  }

  @Test("a request that is too long is refused, whole or without an end")
  func longRequest() async throws {
    for tail in ["\n", ""] {
      let input = String(repeating: " ", count: ProgramInput.requestLimit) + "{}" + tail
      let ending = try await Drive(input: input).run(run.arguments(request: false)) { event in
        event.name == "hello" && tail.isEmpty ? .end : .nothing
      }
      #expect(ending.status == .badRequest)
      #expect(
        try ending.reason == "The request in the first line of stdin is larger than 1048576 bytes, which is the limit.")
    }
  }

  @Test("an account is chosen by its index; one that is not there is refused")
  func account() async throws {
    for (user, name) in [("AQ", "alice"), ("Ag", "bob")] {
      let request = try Requests.options(
        #"{"user":{"id":"\#(user)","name":"\#(name)","displayName":"\#(name)"},"#
          + #""authenticatorSelection":{"residentKey":"required","userVerification":"required"}}"#)
      try run.folder.write("request", request)
      #expect(try await Drive().run(run.arguments(presence: "auto"), AskingRun.right).status == .success)
    }
    try run.folder.write(
      "request", #"{"challenge":"AAECAwQFBgc","rpId":"example.org","userVerification":"required"}"#)
    func signIn(_ choice: String) async throws -> Drive.Ending {
      var arguments = run.arguments(presence: "auto")
      arguments[0] = "authenticate"
      return try await Drive().run(arguments) { event in
        event.name == "accountNeeded"
          ? .write(event.answer("2") + event.answer("-1") + event.answer("\"bob\"") + event.answer(choice))
          : AskingRun.right(event)
      }
    }
    for index in [0, 1] {
      let ending = try await signIn("\(index)")
      #expect(ending.status == .success)
      let question = try #require(try ending.events("accountNeeded").first)
      let account = try #require(question["accounts"]?.elements?[index])
      #expect(["alice", "bob"].contains(account["name"]?.stringValue))
      let response = try JSONDocument(parsing: Array(ending.output.utf8)).root
      #expect(response["id"]?.stringValue == account["credentialId"]?.stringValue)
      #expect(
        try ending.events("answerRefused").map { $0["reason"]?.stringValue }
          == Array(
            repeating: "The value is a number from 0 to 1, or null for none of them.", count: 3))
    }
    #expect(try await signIn("null").status == .unavailable)
  }
}
