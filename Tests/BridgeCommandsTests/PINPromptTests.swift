import Foundation
import Testing

@testable import VirtualKey

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

@Suite("The PIN")
struct PINPromptTests {
  private struct Run: Sendable {
    let folder: Scratch
    var arguments: [String]

    init(_ options: [String] = []) throws {
      folder = try Scratch()
      try folder.write("virtual-pin", "4821\n")
      arguments = [
        "register", "--origin", Requests.origin, "--key", "virtual:\(folder["key"])",
        "--virtual-pin-file", folder["virtual-pin"],
      ]
      arguments += options
    }

    func callAsFunction(
      atTerminal: Bool = true, extra: [UInt8]? = nil, _ steps: @escaping @Sendable (Child) throws -> Void = { _ in }
    ) async throws -> Child.Ending {
      let input = Array(try Requests.options(Requests.verified).utf8)
      return try await bridge(
        Child.Setup(arguments: arguments, input: input, terminal: atTerminal, extra: extra), steps)
    }

    var triesLeft: Int { get throws { try folder.key()?.pinRetries ?? 8 } }
    var hasCredential: Bool { get throws { try folder.signatures() > 0 } }
  }

  private static func question(_ tries: String) -> String { "PIN of CTAPBridge Virtual Key (virtual) (\(tries)): " }

  @Test("the prompt says how many tries are left, does not echo, and the echo is there again afterwards")
  func right() async throws {
    let run = try Run()
    let ending = try await run { child in
      try child.expect(Self.question("8 tries left"))
      #expect(!child.echoes)
      child.type("4821\n")
    }
    #expect(ending.status == 0 && ending.echoes)
    #expect(!ending.screen.contains("4821") && !ending.text.contains("4821"))
    #expect(try run.triesLeft == 8)
  }

  @Test("before the PIN is asked for, the person sees for which account at which site")
  func site() async throws {
    var run = try Run()
    run.arguments[2] = "https://login.\u{430}pple.com"
    let request = try Requests.options(
      #"{"rp":{"id":"\u0430pple.com","name":"Apple"},"user":{"id":"AQ","name":"al\u202eice","displayName":"A"},"#
        + #""authenticatorSelection":{"residentKey":"required","userVerification":"required"}}"#)
    let input = Array(request.utf8)
    let arguments = run.arguments
    let ending = try await bridge(Child.Setup(arguments: arguments, input: input, terminal: true)) { child in
      try child.expect("Registering \"al\\u{202e}ice\" at xn--pple-43d.com.")
      try child.expect("PIN of ")
      child.type("4821\n")
    }
    #expect(ending.status == 0)
    let signIn = Array(#"{"challenge":"AAECAwQFBgc","rpId":"\u0430pple.com","userVerification":"required"}"#.utf8)
    let words = ["authenticate"] + arguments.dropFirst()
    let second = try await bridge(Child.Setup(arguments: words, input: signIn, terminal: true)) { child in
      try child.expect("Signing in at xn--pple-43d.com.")
      try child.expect("PIN of ")
      child.type("4821\n")
    }
    #expect(second.status == 0)
  }

  @Test("a wrong PIN is said to be wrong and asked for again, with one try fewer")
  func wrong() async throws {
    let run = try Run()
    let ending = try await run { child in
      try child.expect(Self.question("8 tries left"))
      child.type("9999\n")
      try child.expect("That PIN is wrong.")
      try child.expect(Self.question("7 tries left"))
      #expect(!child.echoes)
      child.type("4821\n")
    }
    #expect(ending.status == 0 && ending.echoes)
    #expect(!ending.screen.contains("9999") && !ending.screen.contains("4821"))
    #expect(try run.triesLeft == 8, "the right PIN restores the tries")
  }

  @Test("a PIN that cannot be one, or that the key has just refused, costs no try")
  func unusable() async throws {
    let run = try Run()
    let ending = try await run { child in
      try child.expect(Self.question("8 tries left"))
      child.type("123\n")
      try child.expect(Self.question("8 tries left"))
      child.type("9999\n")
      try child.expect(Self.question("7 tries left"))
      child.type("9999\n")
      try child.expect("It is the PIN that the key has just refused.")
      try child.expect(Self.question("7 tries left"))
      child.type("4821\n")
    }
    #expect(ending.status == 0)
  }

  @Test("three wrong PINs in a row end with the advice to plug the key in anew")
  func replug() async throws {
    let run = try Run()
    let ending = try await run { child in
      for pin in ["1111", "2222", "3333"] {
        try child.expect("PIN of ")
        child.type(pin + "\n")
      }
    }
    #expect(ending.status == 11)
    #expect(ending.screen.contains("pull it out, plug it in and try again"))
    #expect(try !run.hasCredential)
    #expect(try run.triesLeft == 5)
  }

  @Test("Ctrl-C at the prompt: exit status 130, the echo is there again, nothing is created, no try is spent")
  func interrupted() async throws {
    let run = try Run()
    let ending = try await run { child in
      try child.expect(Self.question("8 tries left"))
      child.type("48")
      child.type([3])
    }
    #expect(ending.status == 130 && ending.echoes && ending.output.isEmpty)
    #expect(try !run.hasCredential)
    #expect(try run.triesLeft == 8)
  }

  @Test("a second signal ends the process at once, and the echo is there again")
  func twice() async throws {
    let ending = try await Run()() { child in
      try child.expect("PIN of ")
      child.signal(SIGTERM)
      child.signal(SIGHUP)
    }
    #expect([128 + 15, 128 + 1].contains(ending.status) && ending.echoes)
  }

  @Test("when the time is up at the prompt, the echo is there again")
  func timedOut() async throws {
    let run = try Run(["--timeout", "0.5"])
    let ending = try await run { child in try child.expect("PIN of ") }
    #expect(ending.status == 75 && ending.echoes)
    #expect(ending.screen.contains("ctap-bridge: NotAllowedError: The time for the registration is up."))
    #expect(try !run.hasCredential)
  }

  @Test("--pin-file and --pin-fd supply the PIN, at a terminal and without one", arguments: [true, false])
  func supplied(atTerminal: Bool) async throws {
    var fromFile = try Run()
    try fromFile.folder.write("pin", "4821\r\nsecond line\n")
    fromFile.arguments += ["--pin-file", fromFile.folder["pin"]]
    let fromDescriptor = try Run(["--pin-fd", "3"])
    let endings = [
      try await fromFile(atTerminal: atTerminal),
      try await fromDescriptor(atTerminal: atTerminal, extra: Array("4821".utf8)),
    ]
    for ending in endings {
      #expect(ending.status == 0, "\(ending.error)\(ending.screen)")
      #expect(!(ending.screen + ending.error).contains("PIN of"))
    }
  }

  @Test("a wrong PIN from a file is used once: one try is spent, and nobody is asked", arguments: [true, false])
  func wrongFromFile(atTerminal: Bool) async throws {
    var run = try Run()
    try run.folder.write("pin", "9999\n")
    run.arguments += ["--pin-file", run.folder["pin"]]
    let ending = try await run(atTerminal: atTerminal)
    #expect(ending.status == 11)
    #expect(
      (ending.error + ending.screen).contains(
        "ctap-bridge: NotAllowedError: With the key \"Virtual Key\": the PIN is wrong"))
    #expect(try run.triesLeft == 7)
    #expect(try !run.hasCredential)
  }

  @Test("without a terminal a missing PIN is an error that names the options which supply it")
  func missing() async throws {
    let run = try Run()
    let redirected = try await bridge(
      Child.Setup(
        arguments: run.arguments, input: Array(try Requests.options(Requests.verified).utf8), terminal: true,
        errorFile: run.folder["stderr"]))
    let plain = try await run(atTerminal: false)
    for (status, error) in [(redirected.status, try run.folder.read("stderr")), (plain.status, plain.error)] {
      #expect(status == 11)
      #expect(
        error.hasSuffix(
          "ctap-bridge: NotAllowedError: The key \"Virtual Key\" needs its PIN, and none was given; nothing was created. "
            + "There is no terminal to ask at: supply the PIN with --pin-file FILE or --pin-fd N.\n"), "\(error)")
    }
    #expect(try run.triesLeft == 8)
  }

  @Test("the answer is read from the terminal, never from stdin")
  func notFromStdin() async throws {
    let run = try Run()
    let input = Array((try Requests.options(Requests.verified) + "\n").utf8)
    let ending = try await bridge(Child.Setup(arguments: run.arguments, input: input, terminal: true)) { child in
      try child.expect("PIN of ")
      child.type("4821\n")
    }
    #expect(ending.status == 0)
  }

  @Test(
    "a PIN file that is missing, empty or a folder is an error, before any key is touched",
    arguments: [("none", "No such file or directory"), ("empty", nil), (".", "Is a directory")])
  func badFile(name: String, why: String?) async throws {
    var run = try Run()
    try run.folder.write("empty", "\n4821\n")
    run.arguments += ["--pin-file", run.folder[name]]
    let ending = try await run(atTerminal: false)
    let place = run.folder[name]
    let message =
      why.map { "The PIN cannot be read from \(place): \($0)." } ?? "There is no PIN in the first line of \(place)."
    #expect(ending.error == "ctap-bridge: NotReadableError: \(message)\n")
    #expect(ending.status == 66 && !run.folder.names.contains("key"))
  }

  @Test("a descriptor that is not open is an error")
  func badDescriptor() async throws {
    let ending = try await Run(["--pin-fd", "77"])(atTerminal: false)
    #expect(
      ending.error == "ctap-bridge: NotReadableError: The PIN cannot be read from descriptor 77: Bad file descriptor.\n"
    )
    #expect(ending.status == 66)
  }
}
