import Foundation
import JSONText
import Testing

@testable import BridgeCommands
@testable import VirtualKey

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

@Suite("Where the response goes")
struct DeliveryTests {
  private let folder: Scratch

  init() throws { folder = try Scratch() }

  private func setup(_ options: [String]) throws -> Child.Setup {
    Child.Setup(
      arguments: ["register", "--origin", Requests.origin, "--key", "virtual:\(folder["key"])"] + options,
      input: Array(try Requests.options(Requests.resident).utf8),
      environment: ["HOME": folder["home"], "XDG_STATE_HOME": folder["state"]])
  }

  private func output(_ path: String) async throws -> Child.Ending { try await bridge(try setup(["--output", path])) }

  private var credentials: Int { get throws { try folder.key()?.credentials.count ?? 0 } }

  /// The one response in a state folder.
  private func saved(in state: String) throws -> JSONValue {
    let names = folder.names.filter { $0.hasPrefix(state) && $0.hasSuffix(".json") }
    let name = try #require(names.first)
    #expect(names.count == 1)
    #expect(try folder.mode(name) == 0o600)
    return try JSONDocument(parsing: Array(try folder.read(name).utf8)).root
  }

  @Test("--output writes the file whole, with the mode that the umask leaves, and nothing to stdout")
  func file() async throws {
    let ending = try await output(folder["response"])
    #expect(ending.status == 0 && ending.output.isEmpty)
    #expect(
      try JSONDocument(parsing: Array(try folder.read("response").utf8)).root["type"]?.stringValue == "public-key")
    let mask = umask(0)
    umask(mask)
    #expect(try folder.mode("response") == Int(0o666 & ~mask))
    #expect(folder.names == ["key", "key.lock", "response"], "no temporary file is left")
  }

  @Test("--output - is stdout")
  func dash() async throws {
    let ending = try await output("-")
    #expect(ending.status == 0)
    #expect(try ending.response()["type"]?.stringValue == "public-key")
  }

  @Test("an old file is replaced and keeps its mode, and a link to it stays a link")
  func replaced() async throws {
    try folder.write("old", "old", mode: 0o640)
    try FileManager.default.createSymbolicLink(atPath: folder["link"], withDestinationPath: folder["old"])
    let reader = try FileHandle(forReadingFrom: URL(fileURLWithPath: folder["old"]))
    let ending = try await output(folder["link"])
    #expect(ending.status == 0)
    #expect(try folder.read("old").hasPrefix("{"))
    #expect(try folder.mode("old") == 0o640)
    #expect(try FileManager.default.destinationOfSymbolicLink(atPath: folder["link"]) == folder["old"])
    #expect(try reader.readToEnd() == Data("old".utf8), "whoever has the old file open keeps the old content")
  }

  @Test("what is no plain file is written to, not replaced")
  func device() async throws {
    #expect(try await output("/dev/null").status == 0)
    var status = stat()
    #expect(stat("/dev/null", &status) == 0 && status.st_mode & S_IFMT == S_IFCHR)
  }

  @Test(
    "a place that cannot be written is found before a key is touched",
    arguments: [
      ("none/response", "No such file or directory"), ("plain/response", "Not a directory"), (".", "Is a directory"),
      ("", ""),
    ])
  func unwritable(name: String, why: String) async throws {
    try folder.write("plain", "")
    let ending = try await output(name.isEmpty ? "" : folder[name])
    if !name.isEmpty {
      #expect(
        ending.error
          == "ctap-bridge: OperationError: The output file \(folder[name]) cannot be created: \(why). Nothing was done on a "
          + "key.\n")
    }
    #expect(ending.status == 73)
    #expect(folder.names == ["plain"], "not even the key's file was made")
  }

  @Test("a failed registration leaves the old file and no temporary one")
  func failed() async throws {
    try folder.write("old", "old")
    var setup = try setup(["--output", folder["old"]])
    setup.input = Array(try Requests.options(#"{"authenticatorSelection":{"userVerification":"required"}}"#).utf8)
    let ending = try await bridge(setup)
    #expect(ending.status == 69, "\(ending.error)")
    #expect(try folder.read("old") == "old")
    #expect(folder.names.filter { $0.hasPrefix(".") }.isEmpty)
  }

  @Test(
    "a full disk behind stdout: the response is saved, its path is told, and the status says that a credential exists")
  func fullOutput() async throws {
    var setup = try setup([])
    setup.outputFile = "/dev/full"
    let ending = try await bridge(setup)
    #expect(ending.status == 13)
    let identifier = try #require(try saved(in: "state/ctap-bridge/")["id"]?.stringValue)
    #expect(
      ending.lastLine
        == "ctap-bridge: OperationError: The response cannot be written to stdout (No space left on device), and a credential "
        + "with the ID \(identifier) exists on the key now; the response was saved in "
        + "\(folder["state"])/ctap-bridge/registration-\(identifier.prefix(16)).json.")
    #expect(try folder.mode("state/ctap-bridge") == 0o700)
    #expect(try credentials == 1)
  }

  @Test("a closed pipe behind stdout is noticed, and the response is saved")
  func closedPipe() async throws {
    var setup = try setup([])
    let (readEnd, writeEnd) = try Pipe.make()
    close(readEnd)
    defer { close(writeEnd) }
    setup.outputDescriptor = writeEnd
    let ending = try await bridge(setup)
    #expect(ending.status == 13 && ending.error.contains("(Broken pipe)"), "\(ending.error)")
    #expect(try saved(in: "state/ctap-bridge/")["type"]?.stringValue == "public-key")
  }

  @Test("an output that fails after the credential was made is saved in the home folder where no state folder is set")
  func fullFile() async throws {
    var setup = try setup(["--output", "/dev/full"])
    setup.environment["XDG_STATE_HOME"] = "relative"
    let ending = try await bridge(setup)
    #expect(
      ending.status == 13 && ending.error.contains("cannot be written to the output file (No space left on device)"))
    #expect(try saved(in: "home/.local/state/ctap-bridge/")["type"]?.stringValue == "public-key")
    // The same credential again would have another name; a second file never takes the first one's place.
    #expect(try credentials == 1)
  }

  @Test("where even saving fails, the response itself is told")
  func nowhere() async throws {
    try folder.write("state", "a file where the folder should be")
    var setup = try setup(["--output", "/dev/full"])
    setup.environment["HOME"] = nil
    let ending = try await bridge(setup)
    #expect(ending.status == 13)
    let start = try #require(ending.lastLine.range(of: "this is it: "))
    let response = try JSONDocument(parsing: Array(ending.lastLine[start.upperBound...].utf8)).root
    #expect(response["id"]?.stringValue != nil)
  }

  @Test("a closed stdout is noticed before a key is touched")
  func closedOutput() async throws {
    var setup = try setup([])
    setup.closesOutput = true
    let ending = try await bridge(setup)
    #expect(ending.status == 73)
    #expect(
      ending.error
        == "ctap-bridge: OperationError: stdout cannot be written: Bad file descriptor. Nothing was done on a key.\n")
    #expect(folder.names.isEmpty)
  }

  @Test(
    "help, list and info that cannot be written say so",
    arguments: [["--help"], ["--version"], ["info", "--key", "virtual"]])
  func otherOutput(arguments: [String]) async throws {
    let ending = try await bridge(Child.Setup(arguments: arguments, outputFile: "/dev/full"))
    #expect(
      ending.lastLine == "ctap-bridge: OperationError: The result cannot be written to stdout: No space left on device."
    )
    #expect(ending.status == 74)
  }
}
