import Foundation
import JSONText
import Testing

@testable import BridgeCommands

/// The interpreter for the example, where the machine has one.
enum Python {
  static let path = ["/usr/bin/python3", "/usr/local/bin/python3"].first {
    FileManager.default.isExecutableFile(atPath: $0)
  }
}

@Suite("The process that a program drives")
struct ProgramProcessTests {
  /// Every line of stderr, valid under the schema.
  private func events(_ ending: Child.Ending) throws -> [JSONValue] {
    let schema = try #require(JSONSchema.interaction)
    return try ending.error.split(separator: "\n").map { line in
      let event = try JSONDocument(parsing: Array(line.utf8)).root
      #expect(schema.errors(event, "event").isEmpty, "\(line)")
      return event
    }
  }

  @Test(
    "errors of the command line are events too",
    arguments: [
      ["--interaction", "json"], ["--interaction=json", "regster"],
      ["register", "--interaction", "json", "--orign", "x"],
      ["register", "--interaction", "json"], ["list", "--interaction=json", "extra"], ["pin", "--interaction", "json"],
      ["list", "--interaction", "json", "--interaction", "text"], ["help", "nothing", "--interaction=json"],
    ])
  func usage(arguments: [String]) async throws {
    let ending = try await bridge(Child.Setup(arguments: arguments))
    #expect(ending.status == 64 && ending.output.isEmpty)
    let events = try events(ending)
    #expect(events.map(\.name) == ["hello", "error"], "\(ending.error)")
    #expect(events.last?["name"]?.stringValue == "UsageError" && events.last?["status"]?.integerValue == 64)
  }

  @Test("--interaction is text or json")
  func value() async throws {
    let ending = try await bridge("list", "--interaction", "xml")
    #expect(ending.status == 64)
    #expect(
      ending.error
        == "ctap-bridge: UsageError: --interaction is text or json, not \"xml\". See `ctap-bridge list --help`.\n")
    #expect(try await bridge("list", "--interaction", "text").status == 0)
  }

  @Test(
    "options that would read stdin are refused, because it is for answers",
    arguments: ["--pin-file -", "--pin-fd 0", "--pin-fd 00", "--metadata -", "--profile -", "--virtual-pin-file -"])
  func stdinOptions(option: String) async throws {
    let words = option.split(separator: " ").map(String.init)
    let ending = try await bridge(
      Child.Setup(arguments: ["register", "--origin", Requests.origin, "--interaction", "json"] + words))
    #expect(ending.status == 64)
    #expect(
      try events(ending).last?["reason"]?.stringValue?.hasPrefix(
        "With --interaction json stdin is for answers; give \(words[0]) a file or another descriptor.") == true)
  }

  @Test("without stdin, or with an empty one, nothing hangs", arguments: [nil, []] as [[UInt8]?])
  func noInput(input: [UInt8]?) async throws {
    let run = try AskingRun()
    let ending = try await bridge(
      Child.Setup(arguments: run.arguments() + ["--interaction", "json"], input: input))
    #expect(ending.status == 12)
    #expect(try events(ending).suffix(3).map(\.name) == ["nameNeeded", "questionOver", "error"])
  }

  @Test("at a terminal nothing but JSON is shown, nothing is read from it, and the result is on stdout")
  func atTerminal() async throws {
    let run = try AskingRun()
    let pin = ["--pin-file", run.folder["virtual-pin"], "--name", "Desk key"]
    let ending = try await bridge(
      Child.Setup(arguments: run.arguments(presence: "auto") + pin + ["--interaction=json"], terminal: true))
    #expect(ending.status == 0)
    for line in ending.screen.split(whereSeparator: \.isNewline) {
      #expect(throws: Never.self) { try JSONDocument(parsing: Array(line.utf8)) }
    }
    #expect(try ending.response()["type"]?.stringValue == "public-key")
  }

  @Test("a signal cancels the question; the last line is an error, and the status is the signal's")
  func signal() async throws {
    let run = try AskingRun()
    let ending = try await bridge(
      Child.Setup(arguments: run.arguments() + ["--interaction", "json"], keepsInput: true)
    ) { child in
      try child.expect("nameNeeded")
      child.signal(SIGTERM)
    }
    #expect(ending.status == 143)
    #expect(try events(ending).suffix(2).map(\.name) == ["questionOver", "error"])
    #expect(try !run.hasCredential)
  }

  @Test("the other commands end with done")
  func otherCommands() async throws {
    for arguments in [["info", "--key", "virtual"], ["list"], ["list", "--json"]] {
      let ending = try await bridge(Child.Setup(arguments: arguments + ["--interaction", "json"]))
      #expect(ending.status == 0)
      #expect(try events(ending).last?.name == "done")
    }
  }

  @Test("a response that cannot be written is saved, and an event says where")
  func lostOutput() async throws {
    let run = try AskingRun()
    let pin = ["--pin-file", run.folder["virtual-pin"], "--no-name"]
    let ending = try await bridge(
      Child.Setup(
        arguments: run.arguments(presence: "auto") + pin + ["--interaction", "json"], outputFile: "/dev/full",
        environment: ["XDG_STATE_HOME": run.folder["state"]]))
    #expect(ending.status == 13)
    #expect(try events(ending).last?["reason"]?.stringValue?.contains("the response was saved in ") == true)
  }

  // MARK: The example

  private func example(_ run: AskingRun, _ arguments: [String], answers: String) async throws -> Child.Ending {
    try await bridge(
      Child.Setup(
        arguments: [Binary.package.appendingPathComponent("Examples/interaction.py").path] + arguments,
        input: Array(answers.utf8), environment: ["CTAP_BRIDGE": Binary.path, "PYTHONDONTWRITEBYTECODE": "1"],
        program: Python.path))
  }

  @Test(
    "the example in Python registers with a name, a wrong and a right PIN and a touch, and signs in to one of two accounts",
    .enabled(if: Python.path != nil, "there is no Python"))
  func python() async throws {
    let run = try AskingRun()
    let first = try await example(run, run.arguments(), answers: "Desk key\nwrong horse\n\(AskingRun.pin)\n\n")
    #expect(first.status == 0, "\(first.error)")
    #expect(try first.name() == "Desk key")
    #expect(first.error.contains("That PIN is wrong. PIN of Virtual Key (7 tries left): "))
    #expect(!first.error.contains(AskingRun.pin))

    for (user, name) in [("AQ", "alice"), ("Ag", "bob")] {
      let request = try Requests.options(
        #"{"user":{"id":"\#(user)","name":"\#(name)","displayName":"\#(name)"},"#
          + #""authenticatorSelection":{"residentKey":"required","userVerification":"required"}}"#)
      try run.folder.write("request", request)
      let ending = try await example(run, run.arguments(presence: "auto"), answers: "\(AskingRun.pin)\n")
      #expect(ending.status == 0, "\(ending.error)")
    }
    try run.folder.write(
      "request", #"{"challenge":"AAECAwQFBgc","rpId":"example.org","userVerification":"required"}"#)
    var arguments = run.arguments(presence: "auto")
    arguments[0] = "authenticate"
    let ending = try await example(run, arguments, answers: "\(AskingRun.pin)\n1\n")
    #expect(ending.status == 0 && ending.error.contains("  1  "), "\(ending.error)")
    let cancelled = try await example(run, arguments, answers: "")
    #expect(cancelled.status == 12, "the end of its own input cancels")
  }
}
