import JSONText
import Octets
import Testing

@testable import VirtualKey

@Suite("Looking after a key at a terminal")
struct ManagementTerminalTests {
  private let scratch: Scratch

  init() throws {
    scratch = try Scratch()
    try scratch.write("pin", "4821\n")
    try scratch.write("new", "628491\n")
  }

  /// Runs a command on a key that is kept in a file.
  private func run(
    _ words: String..., steps: @escaping @Sendable (Child) throws -> Void = { _ in }
  ) async throws -> Child.Ending {
    let options = words.prefix { $0 != "--" }
    let key = ["--key", "virtual:\(scratch["key"])"]
    let setup = Child.Setup(arguments: options + key + words.dropFirst(options.count), terminal: true)
    return try await bridge(setup, steps)
  }

  @Test("a new PIN is typed twice without echo, until both are the same and it can be one")
  func set() async throws {
    let ending = try await run("pin", "set") { child in
      try child.expect("New PIN of CTAPBridge Virtual Key (virtual) (at least 4 characters): ")
      #expect(!child.echoes)
      child.type("4821\n")
      try child.expect("The same again: ")
      child.type("4812\n")
      try child.expect("The two differ; type the new PIN again.")
      for _ in 0..<2 {
        try child.expect(": ")
        child.type("123\n")
      }
      try child.expect("at least 4")
      for _ in 0..<2 {
        try child.expect(": ")
        child.type("4821\n")
      }
      try child.expect("The PIN was set.")
    }
    #expect(ending.status == 0 && ending.echoes)
    #expect(!ending.screen.contains("4821") && !ending.screen.contains("4812"))
    #expect(try scratch.key()?.pin == StoredPIN(secret("4821")))
  }

  @Test("a wrong old PIN is asked for again with one try fewer, and the new one only once")
  func change() async throws {
    _ = try await run("pin", "set", "--new-pin-file", scratch["pin"])
    let ending = try await run("pin", "change", "--new-pin-file", scratch["new"]) { child in
      try child.expect("PIN of CTAPBridge Virtual Key (virtual) (8 tries left): ")
      child.type("9999\n")
      try child.expect("That PIN is wrong.")
      try child.expect("(7 tries left): ")
      child.type("4821\n")
      try child.expect("The PIN was changed.")
    }
    #expect(ending.status == 0 && !ending.screen.contains("9999"))
    #expect(try scratch.key()?.pin == StoredPIN(secret("628491")))
  }

  @Test("a key is erased only where its name is typed", arguments: [true, false])
  func reset(isMeant: Bool) async throws {
    _ = try await run("pin", "set", "--new-pin-file", scratch["pin"])
    let ending = try await run("reset") { child in
      try child.expect("(8 tries left), or Enter to go on without it: ")
      child.type("\n")
      try child.expect("A reset erases every discoverable credential (how many is not known), the PIN and")
      try child.expect("Type \"Virtual Key\" to go on, anything else to stop: ")
      child.type(isMeant ? "Virtual Key\n" : "yes\n")
    }
    #expect(ending.status == (isMeant ? 0 : 12))
    #expect((try scratch.key()?.pin == nil) == isMeant)
    #expect(ending.screen.contains(isMeant ? "The key was erased; it is as new now." : "nothing was changed"))
  }

  @Test("a credential is shown and deleted after a yes, and after nothing else", arguments: ["yes", "no", ""])
  func delete(word: String) async throws {
    let request = try scratch.write("request", Requests.options(Requests.resident))
    let made = try await run("register", request, "--origin", Requests.origin, "--no-name")
    #expect(made.status == 0)
    _ = try await run("pin", "set", "--new-pin-file", scratch["pin"])
    let id = try #require(made.response()["id"]?.stringValue)
    let ending = try await run("credentials", "delete", "--pin-file", scratch["pin"], "--", id) { child in
      try child.expect("The credential \(id) of alice (Alice) at example.org (Example) will be deleted")
      try child.expect("Go on? Type yes: ")
      child.type(word + "\n")
    }
    #expect(ending.status == (word == "yes" ? 0 : 12))
    #expect(try scratch.key()?.credentials.isEmpty == (word == "yes"))
  }
}

private func secret(_ text: String) -> SecretBytes { SecretBytes(Array(text.utf8)) }
