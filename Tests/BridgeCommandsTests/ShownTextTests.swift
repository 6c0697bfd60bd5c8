import CTAPHID
import Foundation
import JSONText
import Octets
import Testing
import VirtualKey

@testable import BridgeCommands

@Suite("What is shown")
struct ShownTextTests {
  private static let hostile = "Key\u{1b}[2J\u{202e}\u{9b}31m\n\u{200b}"
  private static let escaped = #"Key\u{1b}[2J\u{202e}\u{9b}31m\u{a}\u{200b}"#
  private static let description = KeyDescription(
    id: "/dev/hidraw3", vendorID: 0x08e6, productID: 0x34, vendor: hostile, product: hostile, serialNumber: hostile)

  @Test("what a key calls itself reaches no terminal raw, in the list nor elsewhere")
  func names() async throws {
    var listed = Self.description
    listed.obstacle = .unsuitable(Self.hostile)
    let list = await InProcess(usb: ListedKeys(list: [listed])).run("list")
    #expect(
      list.output == "/dev/hidraw3: \(Self.escaped) \(Self.escaped) (08e6:0034, serial \(Self.escaped)), device-bound, "
        + "not usable: \(Self.escaped)\n")

    let folder = try Scratch()
    var configuration = VirtualKeyConfiguration()
    configuration.identity = VirtualKeyIdentity(vendor: Self.hostile, product: Self.hostile, serialNumber: Self.hostile)
    let source = VirtualKeySource(try VirtualKeyPort(configuration: configuration))
    let request = try folder.write("request", Requests.named)
    let ending = await InProcess(usb: source).run("register", request, "--origin", Requests.origin)
    #expect(ending.status == .success)
    #expect(!ending.error.contains("\u{1b}") && !ending.error.contains("\u{202e}") && !ending.error.contains("\u{9b}"))
    let response = try JSONDocument(parsing: Array(ending.output.utf8)).root
    let name = response["clientExtensionResults"]?["thalesgroup_ext_v1"]?["authenticatorDescription"]?["friendlyName"]
    #expect(name?.stringValue == "Key[2J31m\u{200b}", "the suggested name is one that the name rules allow")
  }

  @Test("the prompts show a hostile key's name escaped")
  func prompt() async throws {
    let pty = try PseudoTerminal()
    let terminal = try #require(Terminal(stderr: pty.slave, tty: pty.path))
    async let answer = terminal.line(prompt: "PIN of \(Self.hostile): ", echo: false)
    var screen = [UInt8](repeating: 0, count: 4096)
    var used = 0
    // The terminal's own wait needs a thread of the shared pool to begin, so none is blocked here.
    _ = fcntl(pty.master, F_SETFL, O_NONBLOCK)
    while !String(decoding: screen[..<used], as: UTF8.self).contains(": ") {
      used += screen.withUnsafeMutableBytes { max(0, readOnce(pty.master, $0.baseAddress?.advanced(by: used), 1000)) }
      try await Task.sleep(for: .milliseconds(2))
    }
    #expect(String(decoding: screen[..<used], as: UTF8.self) == "PIN of \(Self.escaped): ")
    writeOnce(pty.master, "1234\n")
    #expect(await answer?.withBytes { Array($0) } == Array("1234".utf8))
  }

  @Test("JSON keeps what a key calls itself, and is for programs")
  func json() async throws {
    let list = await InProcess(usb: ListedKeys(list: [Self.description])).run("list", "--json")
    let row = try #require(try JSONDocument(parsing: Array(list.output.utf8)).root.elements?.first)
    #expect(
      row.members?.map(\.name) == [
        "path", "vendorId", "productId", "vendor", "product", "serialNumber", "clientType", "usable", "obstacle",
      ])
    #expect(row["product"]?.stringValue == Self.hostile && row["productId"]?.stringValue == "0034")
    #expect(row["usable"]?.boolValue == true && row["obstacle"]?.kind == .null)
  }

  @Test("the list names the udev rule where a key may not be opened")
  func listedPermission() async throws {
    var key = Self.description
    (key.vendor, key.product, key.serialNumber) = ("Thales", "eToken", nil)
    key.obstacle = .permission
    let list = await InProcess(usb: ListedKeys(list: [key])).run("list")
    #expect(
      list.output
        == "/dev/hidraw3: Thales eToken (08e6:0034), device-bound, not usable: This user may not open the key "
        + "/dev/hidraw3; install the udev rule 70-ctap-bridge.rules with `sudo make install` and plug the key in again.\n"
    )
  }

  @Test("the list asks a key for its model where models are declared")
  func syncableList() async throws {
    let source = VirtualKeySource(try VirtualKeyPort())
    let plain = await InProcess(usb: source).run("list")
    #expect(plain.output == "virtual: CTAPBridge Virtual Key (1209:0001), device-bound, usable\n")
    let declared = await InProcess(usb: source).run("list", "--syncable", "c7a9b21d-6e0f-4c58-8d1e-2f57b9a40316")
    #expect(declared.output == "virtual: CTAPBridge Virtual Key (1209:0001), syncable, usable\n")
  }

  @Test("colour is for terminals alone, and never with NO_COLOR or a dumb terminal")
  func colour() async throws {
    func screen(_ environment: [String: String], terminal: Bool = true) async throws -> String {
      let ending = try await bridge(
        Child.Setup(
          arguments: ["register", "--origin", Requests.origin, "--key", "virtual", "--presence", "after=0.05"],
          input: Array(try Requests.options().utf8), terminal: terminal, environment: environment))
      #expect(ending.status == 0)
      return ending.screen + ending.error
    }
    #expect(try await screen([:]).contains("\u{1b}[1mTouch your key now"))
    #expect(try await screen(["NO_COLOR": ""]).contains("\u{1b}[1m"), "an empty NO_COLOR does not count")
    for environment in [["NO_COLOR": "1"], ["TERM": "dumb"]] {
      #expect(!(try await screen(environment)).contains("\u{1b}"))
    }
    #expect(!(try await screen([:], terminal: false)).contains("\u{1b}"))
  }
}
