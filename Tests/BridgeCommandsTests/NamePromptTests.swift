import Testing

@Suite("The name prompt")
struct NamePromptTests {
  private func register(
    _ options: String..., steps: @escaping @Sendable (Child) throws -> Void = { _ in }
  ) async throws -> (Child.Ending, Scratch) {
    let folder = try Scratch()
    let arguments = ["register", "--origin", Requests.origin, "--key", "virtual:\(folder["key"])"] + options
    let setup = Child.Setup(arguments: arguments, input: Array(Requests.named.utf8), terminal: true)
    return (try await bridge(setup, steps), folder)
  }

  private static let question = "Name for this key [Virtual Key]: "

  @Test(
    "Enter takes the suggestion, a typed name is trimmed and kept as it is",
    arguments: [("", "Virtual Key"), ("   ", "Virtual Key"), ("Desk", "Desk"), ("  Schlüssel 🔑 鍵  ", "Schlüssel 🔑 鍵")])
  func typed(line: String, name: String) async throws {
    let (ending, folder) = try await register { child in
      try child.expect(Self.question)
      #expect(child.echoes)
      child.type(line + "\n")
    }
    #expect(ending.status == 0)
    #expect(try folder.signatures() == 1)
    #expect(try ending.name() == name)
  }

  @Test(
    "a name with a control character or a direction override is refused with its number and asked for again",
    arguments: [
      ("\u{7}", "U+0007"), ("\u{1b}[2J", "U+001B"), ("\u{202e}", "U+202E"), ("\u{2066}", "U+2066"),
      ("\u{9b}", "U+009B"),
    ])
  func refused(characters: String, number: String) async throws {
    let (ending, _) = try await register { child in
      try child.expect(Self.question)
      child.type("a\(characters)b\n")
      try child.expect("The name has the control or direction character \(number); leave it out.")
      try child.expect(Self.question)
      child.type("ab\n")
    }
    #expect(ending.status == 0)
    #expect(try ending.name() == "ab")
  }

  @Test("a name that is not UTF-8 is asked for again")
  func notText() async throws {
    let (ending, _) = try await register { child in
      try child.expect(Self.question)
      child.type([0x61, 0xff, 0x0a])
      try child.expect("That is not text in UTF-8; try again.")
      try child.expect(Self.question)
      child.type("Desk\n")
    }
    #expect(try ending.name() == "Desk")
  }

  @Test("a name of more than 128 UTF-16 units is cut, and that is said")
  func long() async throws {
    let (ending, _) = try await register("--name", String(repeating: "a", count: 200))
    #expect(try ending.name() == String(repeating: "a", count: 128))
    #expect(ending.screen.contains("Warning: The name is longer than 128 characters and was cut"))
  }

  @Test("Ctrl-C cancels the registration: exit status 130, and nothing is created")
  func interrupted() async throws {
    let (ending, folder) = try await register { child in
      try child.expect(Self.question)
      child.type([3])
    }
    #expect(ending.status == 130 && ending.output.isEmpty)
    #expect(ending.screen.contains("ctap-bridge: NotAllowedError: "))
    #expect(try folder.signatures() == 0)
  }

  @Test("the end of the terminal's input cancels too, as a refusal")
  func ended() async throws {
    let (ending, folder) = try await register { child in
      try child.expect(Self.question)
      child.type([4])
    }
    #expect(ending.status == 12)
    #expect(ending.screen.contains("The question for the key's name was cancelled; nothing was created."))
    #expect(try folder.signatures() == 0)
  }

  @Test("--name and --no-name need no prompt, at a terminal either")
  func options() async throws {
    let (given, _) = try await register("--name", "  Desk ")
    #expect(try given.name() == "Desk")
    let (blank, _) = try await register("--name", "")
    #expect(try blank.name() == "Virtual Key")
    let (declined, _) = try await register("--no-name")
    #expect(declined.status == 0)
    #expect(try declined.name() == nil)
    for ending in [given, blank, declined] { #expect(!ending.screen.contains("Name for this key")) }
  }

  @Test("without a terminal, or with stderr in a file, the suggested name is used and nothing is asked")
  func nobody() async throws {
    let folder = try Scratch()
    let arguments = ["register", "--origin", Requests.origin, "--key", "virtual"]
    // Were stdin read for an answer, the line after the request would be it; the request would then not be JSON.
    let plain = try await bridge(Child.Setup(arguments: arguments, input: Array(Requests.named.utf8)))
    let redirected = try await bridge(
      Child.Setup(
        arguments: arguments, input: Array(Requests.named.utf8), terminal: true, errorFile: folder["stderr"]))
    for ending in [plain, redirected] {
      #expect(ending.status == 0)
      #expect(try ending.name() == "Virtual Key")
    }
    #expect(redirected.screen.isEmpty)
    #expect(!(try folder.read("stderr")).contains("Name"))
  }

  @Test("a request that does not ask for a name asks nobody")
  func notAsked() async throws {
    let request = Requests.extensions(#"{"thalesgroup_ext_v1":false}"#)
    let ending = try await bridge(
      atTerminal: "register", "--origin", Requests.origin, "--key", "virtual", input: request)
    #expect(ending.status == 0)
    #expect(!ending.screen.contains("Name for this key"))
  }
}
