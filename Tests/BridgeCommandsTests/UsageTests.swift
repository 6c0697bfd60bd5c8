import Testing
import Timing

@testable import BridgeCommands

@Suite("The command line")
struct UsageTests {
  @Test(
    "what cannot be understood is told in a sentence, with EX_USAGE and nothing on stdout",
    arguments: [
      ([], "A command is missing. See `ctap-bridge --help`."),
      (["regsiter"], #"There is no command "regsiter"; did you mean "register"? See `ctap-bridge --help`."#),
      (["frobnicate"], #"There is no command "frobnicate". See `ctap-bridge --help`."#),
      (["--hlep"], #"There is no option "--hlep"; did you mean "--help"? See `ctap-bridge --help`."#),
      (["help", "lsit"], #"There is no command "lsit"; did you mean "list"? See `ctap-bridge --help`."#),
      (
        ["register", "--orgin", "x"],
        #"There is no option "--orgin"; did you mean "--origin"? See `ctap-bridge register --help`."#
      ),
      (["info", "--frobnicate"], #"There is no option "--frobnicate". See `ctap-bridge info --help`."#),
      (["info", "-x"], #"There is no option "-x". See `ctap-bridge info --help`."#),
      (["list", "--json=yes"], "--json takes no value. See `ctap-bridge list --help`."),
      (["list", "more"], #"There is an argument too many: "more". See `ctap-bridge list --help`."#),
      (["register", "a", "b"], #"There is an argument too many: "b". See `ctap-bridge register --help`."#),
      (["register", "--origin"], "--origin needs a value: --origin ORIGIN. See `ctap-bridge register --help`."),
      (
        ["register", "--origin", "--no-wait"],
        "--origin needs a value: --origin ORIGIN. See `ctap-bridge register --help`."
      ),
      (
        ["register", "--origin", "https://a.example", "--origin=https://b.example"],
        "--origin is given twice. See `ctap-bridge register --help`."
      ),
      (
        ["list", "--error-format", "xml"],
        #"--error-format is text or json, not "xml". See `ctap-bridge list --help`."#
      ),
    ])
  func misuse(arguments: [String], message: String) async throws {
    let ending = try await bridge(Child.Setup(arguments: arguments))
    #expect(ending.error == "ctap-bridge: UsageError: \(message)\n")
    #expect(ending.status == 64 && ending.output.isEmpty)
  }

  @Test(
    "options of register that contradict each other or have no meaning are refused before anything is read",
    arguments: [
      (["--name", "a", "--no-name"], "--name and --no-name contradict each other."),
      (
        ["--name", "a\u{7}b"],
        "--name cannot be used. The name has the control or direction character U+0007; leave it out."
      ),
      (
        ["--name", "a\u{202e}b"],
        "--name cannot be used. The name has the control or direction character U+202E; leave it out."
      ),
      (["--timeout", "0"], #"--timeout is a number of seconds above 0, not "0"."#),
      (["--timeout", "-1"], #"--timeout is a number of seconds above 0, not "-1"."#),
      (["--timeout", "nan"], #"--timeout is a number of seconds above 0, not "nan"."#),
      (["--timeout", "0x10"], #"--timeout is a number of seconds above 0, not "0x10"."#),
      (["--timeout", "99999999"], #"--timeout is a number of seconds above 0, not "99999999"."#),
      (["--u2f", "always"], #"--u2f is one of auto, never, force, not "always"."#),
      (["--pin-file", "a", "--pin-fd", "3"], "--pin-file and --pin-fd contradict each other."),
      (["--pin-fd", "x"], #"--pin-fd is the number of an open descriptor, not "x"."#),
      (["--pin-fd", "-1"], #"--pin-fd is the number of an open descriptor, not "-1"."#),
      (["--pin-fd", "0"], "stdin cannot give both the request and the PIN; name a file for one of them."),
      (["--pin-file", "-"], "stdin cannot give both the request and the PIN; name a file for one of them."),
      (
        ["--syncable", "yes"],
        #"--syncable is an AAGUID such as ee882879-721c-4913-9775-3dfcce97072a, not "yes"."#
      ),
    ])
  func registerOptions(options: [String], message: String) async throws {
    let ending = try await bridge(
      Child.Setup(arguments: ["register", "--origin", Requests.origin, "--key", "virtual"] + options))
    #expect(ending.error == "ctap-bridge: UsageError: \(message) See `ctap-bridge register --help`.\n")
    #expect(ending.status == 64)
  }

  @Test(
    "the virtual key's options are checked, wherever one is used",
    arguments: [
      (["--key", "virtual:"], "--key virtual: needs a file after the colon."),
      (["--key", ""], "--key is empty."),
      (["--backup", "none"], "--backup is for the virtual key; add --key virtual."),
      (["--key", "/dev/hidraw0", "--presence", "auto"], "--presence is for the virtual key; add --key virtual."),
      (["--key", "virtual", "--backup", "maybe"], #"--backup is one of none, eligible, backed-up, not "maybe"."#),
      (["--key", "virtual", "--protocol", "u2f2"], #"--protocol is one of fido2, u2f, not "u2f2"."#),
      (
        ["--key", "virtual", "--protocol", "u2f", "--profile", "x"],
        "--profile says what the key speaks: leave --protocol out."
      ),
      (["--key", "virtual", "--echo-extension", "unsigned:"], "--echo-extension needs the name of an extension."),
      (
        ["--key", "virtual", "--attestation", "direct"],
        #"--attestation is one of packed, self, none, not "direct"."#
      ),
      (
        ["--key", "virtual", "--presence", "after=soon"],
        #"--presence is auto, ask, never or after=SECONDS, not "after=soon"."#
      ),
      (
        ["--key", "virtual", "--presence", "ask"],
        "--presence ask needs a terminal to ask at; use auto, never or after=SECONDS."
      ),
    ])
  func virtualKeyOptions(options: [String], message: String) async throws {
    let info = try await bridge(Child.Setup(arguments: ["info"] + options))
    #expect(info.error == "ctap-bridge: UsageError: \(message) See `ctap-bridge info --help`.\n")
    let register = try await bridge(
      Child.Setup(
        arguments: ["register", "--origin", Requests.origin] + options, input: Array(try Requests.options().utf8)))
    #expect(register.error == "ctap-bridge: UsageError: \(message) See `ctap-bridge register --help`.\n")
    #expect(info.status == 64 && register.status == 64)
  }

  @Test("a value may follow an equals sign, and words after -- are arguments")
  func forms() throws {
    let command = RegisterCommand.specification
    let parsed = try ParsedArguments(
      ["--origin=https://a.example", "--name=--x", "--syncable", "a", "--no-wait", "--syncable=b", "--", "--file"],
      for: command)
    #expect(parsed["--origin"] == "https://a.example" && parsed["--name"] == "--x")
    #expect(parsed.all("--syncable") == ["a", "b"] && parsed.has("--no-wait") && !parsed.has("--no-name"))
    #expect(parsed.positionals == ["--file"])
    #expect(try ParsedArguments(["-"], for: command).positionals == ["-"])
    #expect(try ParsedArguments(["--name="], for: command)["--name"] == "")
  }

  /// The arguments among words, or nil where the words are refused.
  private func positionals(_ words: [String], _ command: CommandSpecification) -> [String]? {
    do throws(UsageError) {
      return try ParsedArguments(words, for: command).positionals
    } catch {
      return nil
    }
  }

  @Test("a credential's ID that begins with a dash is an argument, where a credential is wanted")
  func dashedID() {
    let ids = ["-aBcdefgh", "--abcde9fg", "-_______", "-fXKp5mYVUx0LZ1pLqvU3Xw9pzyQhwhM4nS3yxbyh0Q"]
    let commands = CommandLineTool.commands.map { $0.specification }
    for command in commands where command.positionals.contains(where: { $0.contains("CREDENTIAL") }) {
      for id in ids {
        #expect(positionals([id, "--json"], command) == [id])
        #expect(positionals(["--json", "--", id], command) == [id])
      }
      for word in ["--jsn", "-x", "-json", "--no-such-option", "--Jsn", "-aBc=defgh"] {
        #expect(positionals([word], command) == nil)
      }
    }
    for id in ids { #expect(positionals([id], RegisterCommand.specification) == nil) }
  }

  @Test(
    "the nearest word is suggested where it is near enough",
    arguments: [
      ("--orgin", "--origin"), ("--origni", "--origin"), ("--no-nmae", "--no-name"), ("--jsn", nil),
      ("--pinfile", "--pin-file"), ("", nil), (String(repeating: "-", count: 1000), nil),
    ])
  func suggestion(word: String, nearest: String?) {
    let options = RegisterCommand.specification.options.map(\.name)
    #expect(Suggestion.nearest(to: word, among: options) == nearest)
  }

  @Test(
    "seconds are decimal, above 0 and at most a day",
    arguments: [
      ("1", Duration.seconds(1)), ("0.25", .milliseconds(250)), (".5", .milliseconds(500)),
      ("0.0001", .milliseconds(1)),
      ("86400", .seconds(86_400)), ("86400.1", nil), ("0", nil), ("1e3", nil), ("1,5", nil), ("", nil), ("inf", nil),
      ("1.2.3", nil), (" 1", nil),
    ])
  func seconds(text: String, duration: Duration?) {
    #expect(Seconds.parse(text) == duration)
  }
}
