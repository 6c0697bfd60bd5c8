import Foundation
import Octets
import Testing

@testable import BridgeCommands
@testable import VirtualKey

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

@Suite("Signals at each kind of prompt")
struct PromptSignalTests {
  /// A question at the terminal, and how to get there.
  struct Prompt: Sendable, CustomTestStringConvertible {
    let shown: String
    let words: @Sendable (Scratch) throws -> [String]
    /// What is typed before, each after its prompt.
    var before: [(prompt: String, answer: String)] = []
    var echoes = true

    var testDescription: String { shown }
  }

  private static let pin = "4821"

  private static func key(_ folder: Scratch, hasPIN: Bool = true) -> [String] {
    ["--key", "virtual:\(folder["key"])"] + (hasPIN ? ["--virtual-pin-file", folder["pin"]] : [])
  }

  private static func register(_ folder: Scratch, _ request: String, hasPIN: Bool = true) throws -> [String] {
    ["register", try folder.write("request", request), "--origin", Requests.origin]
      + key(folder, hasPIN: hasPIN)
  }

  private static let prompts: [Prompt] = [
    Prompt(shown: "Name for this key [", words: { try register($0, Requests.named) }),
    Prompt(shown: "PIN of ", words: { try register($0, Requests.options(Requests.verified)) }, echoes: false),
    Prompt(
      shown: "PIN of ", words: { try register($0, Requests.options(Requests.verified)) },
      before: [("PIN of ", "0000")], echoes: false),
    Prompt(
      shown: "Touch your key now",
      words: { try register($0, Requests.options(), hasPIN: false) + ["--presence", "never"] }),
    Prompt(
      shown: "Account",
      words: { folder in
        let request = #"{"challenge":"AAECAwQFBgc","rpId":"example.org","userVerification":"required"}"#
        return ["authenticate", try folder.write("sign-in", request), "--origin", Requests.origin] + key(folder)
          + ["--pin-file", folder["pin"]]
      }),
    Prompt(shown: "New PIN of ", words: { ["pin", "set"] + key($0, hasPIN: false) }, echoes: false),
    Prompt(
      shown: "The same again: ", words: { ["pin", "set"] + key($0, hasPIN: false) },
      before: [("New PIN of ", "9999")], echoes: false),
    Prompt(shown: "PIN of ", words: { ["pin", "change"] + key($0) }, echoes: false),
    Prompt(shown: "New PIN of ", words: { ["pin", "change"] + key($0) }, before: [("PIN of ", pin)], echoes: false),
    Prompt(
      shown: "to go on, anything else to stop: ", words: { ["reset"] + key($0) },
      before: [("or Enter to go on without it", "")]),
  ]

  /// A key with two accounts of one site.
  private func prepare(_ folder: Scratch) async throws {
    try folder.write("pin", Self.pin + "\n")
    for (user, name) in [("AQ", "alice"), ("Ag", "bob")] {
      let request = try Requests.options(
        #"{"user":{"id":"\#(user)","name":"\#(name)","displayName":"\#(name)"},"#
          + #""authenticatorSelection":{"residentKey":"required","userVerification":"required"}}"#)
      let ending = try await bridge(
        Child.Setup(arguments: try Self.register(folder, request) + ["--pin-file", folder["pin"]]))
      #expect(ending.status == 0, "\(ending.error)")
    }
  }

  @Test(
    "SIGINT, SIGTERM and SIGHUP end it with 128 plus their number, the echo on, and the key as it was",
    arguments: prompts, [SIGINT, SIGTERM, SIGHUP])
  func ends(prompt: Prompt, number: Int32) async throws {
    let folder = try Scratch()
    let words = try prompt.words(folder)
    let needsAccounts = words[0] == "authenticate"
    try folder.write("pin", Self.pin + "\n")
    if needsAccounts { try await prepare(folder) }
    let before = try folder.key()
    let ending = try await bridge(Child.Setup(arguments: words, terminal: true)) { child in
      for (question, answer) in prompt.before {
        try child.expect(question)
        child.type(answer + "\n")
      }
      try child.expect(prompt.shown)
      #expect(child.echoes == prompt.echoes)
      child.type("12")
      child.signal(number)
    }
    #expect(ending.status == 128 + number, "\(ending.screen)")
    #expect(ending.echoes && ending.output.isEmpty)
    #expect(ending.screen.contains("ctap-bridge: NotAllowedError: "), "\(ending.screen)")
    let after = try folder.key()
    #expect((after?.credentials ?? []) == (before?.credentials ?? []))
    if words[0] == "pin" { #expect(after?.pin == before?.pin) }
  }
}
