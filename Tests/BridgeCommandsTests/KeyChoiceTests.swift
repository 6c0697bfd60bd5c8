import CTAPHID
import Foundation
import JSONText
import Testing
import Timing
import USBHID
import VirtualKey

@testable import BridgeCommands

@Suite("The key to use")
struct KeyChoiceTests {
  private static let closed = KeyDescription(
    id: "/dev/hidraw7", vendorID: 0x08e6, productID: 0x0001, vendor: "Thales", product: "eToken Fusion",
    serialNumber: "S7", obstacle: .permission)
  private static let odd = KeyDescription(
    id: "/dev/hidraw8", vendorID: 0x1234, productID: 0x5678, product: "Odd",
    obstacle: .unsuitable("its reports are too short"))

  private let folder: Scratch
  private let request: String

  init() throws {
    folder = try Scratch()
    request = try folder.write("request", Requests.options())
  }

  private func register(_ keys: [KeyDescription], _ options: [String] = [], terminal: Terminal? = nil) async
    -> InProcess.Ending
  {
    let process = InProcess(usb: ListedKeys(list: keys), terminal: terminal)
    return await process.run(["register", request, "--origin", Requests.origin] + options)
  }

  /// A terminal at which nobody types.
  private final class Desk {
    let pty: PseudoTerminal
    let terminal: Terminal

    init() throws {
      pty = try PseudoTerminal()
      terminal = try #require(Terminal(stderr: pty.slave, tty: pty.path))
    }
  }

  @Test("where nobody can be asked, no key is NotAllowedError at once")
  func noKey() async {
    let ending = await register([])
    #expect(ending.error == "ctap-bridge: NotAllowedError: No security key is plugged in.\n")
    #expect(ending.status == .unavailable)
  }

  @Test("at a terminal a key is waited for until the time is up, and that is said; --no-wait ends at once")
  func wait() async throws {
    let desk = try Desk()
    let start = ContinuousClock.now
    let waited = await register([], ["--timeout", "0.3"], terminal: desk.terminal)
    #expect(ContinuousClock.now - start >= .milliseconds(300))
    #expect(
      waited.error == "Registering \"alice\" at example.org.\nPlug in a security key that suits; waiting for 1 s.\n"
        + "ctap-bridge: NotAllowedError: No security key was plugged in in time.\n")
    #expect(waited.status == .tryAgain)
    let unwilling = await register([], ["--no-wait"], terminal: desk.terminal)
    #expect(unwilling.error.hasSuffix(".\nctap-bridge: NotAllowedError: No security key is plugged in.\n"))
    #expect(unwilling.status == .unavailable)
  }

  @Test("a key that is plugged in while the wait goes on is used")
  func arrival() async throws {
    let desk = try Desk()
    let source = VirtualKeySource()
    let port = try VirtualKeyPort()
    let process = InProcess(usb: source, terminal: desk.terminal)
    async let ending = process.run("register", request, "--origin", Requests.origin)
    try await Task.sleep(for: .milliseconds(50))
    source.plug(port, id: "/dev/hidraw9")
    #expect(await ending.status == .success)
    #expect(await ending.error.hasSuffix("Using CTAPBridge Virtual Key (virtual).\n"))
  }

  @Test("keys that this user may not open alone: EX_NOPERM, with the udev rule")
  func permission() async throws {
    let desk = try Desk()
    let rule =
      "this user may not open it; install the udev rule 70-ctap-bridge.rules with `sudo make install` and plug the key in again"
    let alone = await register([Self.closed])
    #expect(alone.status == .noPermission)
    #expect(
      alone.error == "Skipped Thales eToken Fusion (/dev/hidraw7): \(rule)\n"
        + "ctap-bridge: NotAllowedError: No key that is plugged in can be used: the key \"eToken Fusion\": \(rule).\n")
    let named = await register([Self.closed], ["--key", "S7"])
    #expect(named.status == .noPermission)
    #expect(named.error == "ctap-bridge: NotAllowedError: The key /dev/hidraw7 cannot be used: \(rule).\n")
    let waited = await register([Self.closed], ["--timeout", "0.1"], terminal: desk.terminal)
    #expect(waited.status == .noPermission && waited.error.contains("No key that can be used came in time: "))
    let mixed = await register([Self.closed, Self.odd])
    #expect(mixed.status == .unavailable)
    #expect(mixed.error.contains("Skipped Odd (/dev/hidraw8): its reports are too short\n"))
    let info = await InProcess(usb: ListedKeys(list: [Self.closed])).run("info")
    #expect(info.status == .noPermission && info.error.contains("install the udev rule 70-ctap-bridge.rules"))
  }

  @Test("a named key that does not suit ends at once, at a terminal too", arguments: ["/dev/hidraw8", "virtual"])
  func namedUnsuitable(key: String) async throws {
    let desk = try Desk()
    let impossible = try folder.write("impossible", Requests.options(Requests.verified))
    let process = InProcess(usb: ListedKeys(list: [Self.odd]), terminal: desk.terminal)
    let ending = await process.run("register", impossible, "--origin", Requests.origin, "--key", key)
    #expect(ending.error.contains("ctap-bridge: NotAllowedError: The key \(key) cannot be used: "), "\(ending.error)")
    #expect(ending.status == (key == "virtual" ? .unavailable : .inputOutput))
  }

  @Test(
    "a path or serial number that no key has is said, with those that are there",
    arguments: ["/dev/hidraw99", "X\u{1b}[0m"])
  func unknown(key: String) async throws {
    let shown = key.replacing("\u{1b}", with: #"\u{1b}"#)
    let none = await register([], ["--key", key])
    #expect(
      none.error
        == "ctap-bridge: NotAllowedError: There is no key with the path or serial number \"\(shown)\"; none is plugged in.\n"
    )
    let some = await register([Self.odd], ["--key", key])
    #expect(some.error.hasSuffix("\"\(shown)\"; there are: /dev/hidraw8.\n"))
    let info = await InProcess(usb: ListedKeys(list: [Self.odd])).run("info", "--key", key)
    #expect(none.status == .noInput && some.status == .noInput && info.status == .noInput)
  }

  @Test("of several keys the one that is touched is used, and all of them blink until then")
  func several() async throws {
    let source = VirtualKeySource()
    var configuration = VirtualKeyConfiguration()
    configuration.presence = .never
    let untouched = try VirtualKeyPort(configuration: configuration)
    configuration.presence = .after(.milliseconds(50))
    configuration.identity.product = "Touched Key"
    source.plug(untouched, id: "/dev/hidraw1")
    source.plug(try VirtualKeyPort(configuration: configuration), id: "/dev/hidraw2")
    let ending = await InProcess(usb: source).run("register", request, "--origin", Requests.origin)
    #expect(ending.status == .success, "\(ending.error)")
    #expect(
      ending.error == """
        Touch the key that you want to use (2 are blinking).
        Using CTAPBridge Touched Key (virtual).
        Touch your key now: CTAPBridge Touched Key (virtual).

        """)
    #expect(untouched.log.contains { if case .cancelled = $0.event { true } else { false } })
    let info = await InProcess(usb: source).run("info")
    #expect(info.status == .usage && info.error.contains("2 keys are plugged in; name one with --key: "))
  }

  @Test("virtual:FILE is made with mode 0600 and keeps its credentials between runs")
  func stored() async throws {
    let key = "virtual:\(folder["key"])"
    func register(_ request: String) async throws -> Child.Ending {
      try await bridge("register", "--origin", Requests.origin, "--key", key, input: request)
    }
    let first = try await register(Requests.options())
    #expect(first.status == 0)
    #expect(try folder.mode("key") == 0o600)
    #expect(first.error.hasPrefix("Using a virtual key, which protects nothing.\n"))
    let identifier = try #require(try first.response()["id"]?.stringValue)
    let again = try await register(
      Requests.options(#"{"excludeCredentials":[{"type":"public-key","id":"\#(identifier)"}]}"#))
    #expect(again.status == 10)
    #expect(
      again.lastLine
        == "ctap-bridge: InvalidStateError: The key \"Virtual Key\" is registered already: it holds a credential of the "
        + "exclude list.")
    #expect(try await register(Requests.options()).status == 0)
  }

  @Test("a virtual key's file that others may read is refused and left alone", arguments: [0o640, 0o604, 0o660])
  func exposed(mode: Int) async throws {
    try folder.write("key", "", mode: mode)
    let ending = try await bridge(
      "register", "--origin", Requests.origin, "--key", "virtual:\(folder["key"])", input: try Requests.options())
    #expect(
      ending.error
        == "ctap-bridge: NotReadableError: \(folder["key"]) holds a virtual key's secrets and others may read it (mode "
        + "\(String(mode, radix: 8))): chmod 600 it.\n")
    #expect(ending.status == 78 && ending.output.isEmpty)
    #expect(try folder.mode("key") == mode)
  }

  @Test("a file that is no virtual key's is refused and left alone")
  func damaged() async throws {
    try folder.write("key", "not a key")
    let ending = try await bridge("info", "--key", "virtual:\(folder["key"])")
    #expect(ending.status == 78 && ending.error.contains("is not a virtual key's file, or it is damaged"))
    #expect(try folder.read("key") == "not a key")
  }

  @Test("a virtual key that nobody touches: the time is up, as --timeout says")
  func timeout() async throws {
    let ending = try await bridge(
      "register", "--origin", Requests.origin, "--key", "virtual", "--presence", "never", "--timeout", "0.3",
      input: try Requests.options())
    #expect(ending.status == 75 && ending.output.isEmpty, "\(ending.error)")
    #expect(ending.error.contains("Touch your key now: CTAPBridge Virtual Key (virtual).\n"))
  }

  @Test("a virtual key is touched after a while, or when its owner says so at the terminal")
  func presence() async throws {
    let common = ["register", "--origin", Requests.origin, "--key", "virtual", "--presence"]
    let input = Array(try Requests.options().utf8)
    let later = try await bridge(Child.Setup(arguments: common + ["after=0.1"], input: input))
    #expect(later.status == 0 && later.error.contains("Touch your key now"))
    let question = "Virtual key for example.org: press Enter to touch it, n and Enter to decline: "
    let approved = try await bridge(Child.Setup(arguments: common + ["ask"], input: input, terminal: true)) { child in
      try child.expect(question)
      child.type("\n")
    }
    #expect(approved.status == 0)
    let declined = try await bridge(Child.Setup(arguments: common + ["ask"], input: input, terminal: true)) { child in
      try child.expect(question)
      child.type("n\n")
    }
    #expect(declined.status == 12 && declined.output.isEmpty)
  }

  @Test(
    "on this machine without a key, the built command says the same",
    .enabled(if: (try? USBKeySource().keys())?.isEmpty == true))
  func machine() async throws {
    let nobody = try await bridge("register", "--origin", Requests.origin, input: try Requests.options())
    #expect(nobody.status == 69 && nobody.error == "ctap-bridge: NotAllowedError: No security key is plugged in.\n")
    let waited = try await bridge(
      atTerminal: "register", "--origin", Requests.origin, "--timeout", "0.3", input: try Requests.options())
    #expect(waited.status == 75 && waited.screen.contains("Plug in a security key that suits; waiting for 1 s."))
    let list = try await bridge("list")
    #expect(list.status == 0 && list.output.isEmpty && list.error == "No security key is plugged in.\n")
    #expect(try await bridge("list", "--json").text == "[]\n")
  }
}
