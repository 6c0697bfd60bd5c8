import Foundation
import JSONText
import Testing
import VirtualKey

@testable import BridgeCommands

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// A small file system that only the command sees, made without any rights where the kernel allows that.
private enum SmallDisk {
  private static let arguments = ["/usr/bin/unshare", "--user", "--map-root-user", "--mount", "/bin/sh", "-c"]

  static let isPossible: Bool = {
    guard FileManager.default.isExecutableFile(atPath: arguments[0]) else { return false }
    let process = Process()
    process.executableURL = URL(fileURLWithPath: arguments[0])
    process.arguments = Array(arguments.dropFirst()) + ["mount -t tmpfs -o size=64k tmpfs /tmp"]
    process.standardError = FileHandle.nullDevice
    guard (try? process.run()) != nil else { return false }
    process.waitUntilExit()
    return process.terminationStatus == 0
  }()

  /// The command with a disk at `disk`, which fills up when something is written to the FIFO `full`.
  static func setup(_ words: [String], disk: String, full: String) -> Child.Setup {
    let script = """
      mount -t tmpfs -o size=64k tmpfs "$1" || exit 99
      (read -r word <"$2"; cat /dev/zero >"$1/filling" 2>/dev/null; echo filled >"$2.done") &
      shift 2; exec "$@"
      """
    var setup = Child.Setup(
      arguments: Array(arguments.dropFirst()) + [script, "sh", disk, full, Binary.path] + words, keepsInput: true)
    setup.program = arguments[0]
    return setup
  }
}

@Suite("A disk that is full when the key is done")
struct FullDiskTests {
  private let folder: Scratch

  init() throws { folder = try Scratch() }

  private func saved(_ prefix: String) throws -> JSONValue {
    let names = folder.names.filter { $0.hasPrefix("state/ctap-bridge/\(prefix)-") }
    #expect(names.count == 1)
    let name = try #require(names.first)
    #expect(try folder.mode(name) == 0o600)
    return try JSONDocument(parsing: Array(try folder.read(name).utf8)).root
  }

  /// What registers and signs in, in this order.
  private func words(_ command: String) throws -> [String] {
    let text =
      command == "register"
      ? try Requests.options(Requests.resident) : #"{"challenge":"AAECAwQFBgc","rpId":"example.org"}"#
    return [
      command, try folder.write(command, text), "--origin", Requests.origin, "--key", "virtual:\(folder["key"])",
    ]
  }

  @Test(
    "an output file's disk that fills up after it was opened: no file, and the response is saved",
    .enabled(if: SmallDisk.isPossible, "this system does not let its users make file systems"))
  func fillsUp() async throws {
    let (disk, full) = (folder["disk"], folder["full"])
    try FileManager.default.createDirectory(atPath: disk, withIntermediateDirectories: false)
    for fifo in [full, full + ".done"] { #expect(mkfifo(fifo, 0o600) == 0) }
    for (command, prefix, status) in [("register", "registration", 13), ("authenticate", "authentication", 74)] {
      let options = ["--output", disk + "/response", "--presence", "ask", "--interaction", "json"]
      var setup = SmallDisk.setup(try words(command) + options, disk: disk, full: full)
      setup.environment = ["XDG_STATE_HOME": folder["state"]]
      let ending = try await bridge(setup) { child in
        try child.expect("virtualTouchNeeded")
        let signal = open(full, O_RDWR)
        defer { close(signal) }
        writeOnce(signal, "fill\n")
        let done = open(full + ".done", O_RDWR)
        defer { close(done) }
        var buffer = [UInt8](repeating: 0, count: 16)
        #expect(readOnce(done, &buffer, 7) == 7, "it is full")
        child.send(#"{"type":"answer","id":1,"value":true}"# + "\n")
      }
      #expect(ending.status == status, "\(ending.error)")
      #expect(
        ending.error.contains("cannot be written to the output file (No space left on device)"), "\(ending.error)")
      #expect(ending.error.contains("the response was saved in \(folder["state"])/ctap-bridge/\(prefix)-"))
      #expect(try saved(prefix)["type"]?.stringValue == "public-key")
    }
  }

  @Test("a limit for the size of files is an error of the write, and does not end the command")
  func fileLimit() async throws {
    var setup = Child.Setup(
      arguments: [
        "-c", "ulimit -f 0; exec \"$@\"", "sh", Binary.path, "register",
        try folder.write("request", Requests.options()), "--origin", Requests.origin, "--key", "virtual", "--output",
        folder["response"],
      ], environment: ["XDG_STATE_HOME": folder["state"]])
    setup.program = "/bin/sh"
    let ending = try await bridge(setup)
    #expect(ending.status == 13, "\(ending.error)")
    #expect(ending.error.contains("(File too large)") && ending.error.contains("this is it: {"), "\(ending.error)")
    #expect(folder.names.allSatisfy { !$0.hasSuffix("response") && !$0.hasSuffix(".json") })
  }

  @Test("a sign-in whose stdout is full or closed is saved as well", arguments: [true, false])
  func signIn(isFull: Bool) async throws {
    #expect(try await bridge(Child.Setup(arguments: words("register"))).status == 0)
    var setup = Child.Setup(arguments: try words("authenticate"), environment: ["XDG_STATE_HOME": folder["state"]])
    let (readEnd, writeEnd) = try Pipe.make()
    close(readEnd)
    defer { close(writeEnd) }
    if isFull { setup.outputFile = "/dev/full" } else { setup.outputDescriptor = writeEnd }
    let ending = try await bridge(setup)
    #expect(ending.status == 74)
    let response = try saved("authentication")
    let identifier = try #require(response["id"]?.stringValue)
    let why = isFull ? "No space left on device" : "Broken pipe"
    #expect(
      ending.lastLine
        == "ctap-bridge: OperationError: The response cannot be written to stdout (\(why)); the response was saved in "
        + "\(folder["state"])/ctap-bridge/authentication-\(identifier.prefix(16)).json.")
  }

  @Test("a change whose result cannot be written is told to have been made")
  func change() async throws {
    try folder.write("pin", "4821\n")
    let ending = try await bridge(
      Child.Setup(
        arguments: [
          "pin", "set", "--json", "--new-pin-file", folder["pin"], "--key", "virtual:\(folder["key"])",
        ], outputFile: "/dev/full"))
    #expect(ending.status == 74)
    #expect(
      ending.lastLine == "ctap-bridge: OperationError: The PIN was set. The result cannot be written to stdout: "
        + "No space left on device.")
  }
}
