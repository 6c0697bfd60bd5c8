import CTAPMessages
import Foundation
import Testing
import WebAuthnClient

@testable import BridgeCommands
@testable import VirtualKey

@Suite("A key with hostile texts")
struct HostileKeyTests {
  /// A sequence that clears the screen, one of one byte, an override, an isolate, line ends, a hidden character, a bell.
  private static let hostile = "A\u{1b}[2J\u{9b}31m\u{202e}\u{2066}\r\n\u{2028}\u{200b}\u{7}Z"

  private static func desk() throws -> KeyDesk {
    var state = VirtualKeyState.holding(sites: 3, each: 2)
    for (index, site) in ["\u{430}pple.com", hostile, "site.example"].enumerated() {
      for user in 0..<2 {
        state.credentials[2 * index + user].rpID = site
        state.credentials[2 * index + user].rpName = hostile
        state.credentials[2 * index + user].userName = hostile
        state.credentials[2 * index + user].userDisplayName = hostile + hostile
      }
    }
    state.fingerprints = [StoredFingerprint(id: [1], name: hostile)]
    return try KeyDesk(state: state) { configuration in
      configuration.identity = VirtualKeyIdentity(vendor: hostile, product: hostile, serialNumber: hostile)
      configuration.profile.info.options?[.bioEnroll] = false
      configuration.profile.info.options?[.uv] = false
      configuration.profile.info.extensions?.append(hostile)
      configuration.profile.info.transports = [hostile]
      configuration.profile.info.certifications = [hostile: 1]
      configuration.fingerprints = FingerprintPolicy()
    }
  }

  private static let tries: [[String]] = [
    ["blobs", "list"], ["blobs", "get", hostile], ["blobs", "get", "BwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHAAE"],
    ["blobs", "set", hostile, "--input", "/nonexistent" + hostile], ["blobs", "delete", "--yes", hostile],
    ["list"], ["info"], ["identify"], ["ping"], ["credentials", "list"], ["credentials", "list", "--rp-id", hostile],
    ["credentials", "list", "--rp-id", hostile + "x"], ["credentials", "show", hostile],
    ["credentials", "show", "BwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHAAE"],
    ["credentials", "rename", "BwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHAAE", "--name", "new"],
    ["credentials", "rename", "BwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHAAE", "--name", hostile],
    ["credentials", "delete", "--yes", "BwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHAAA"],
    ["credentials", "delete", "--yes", hostile], ["fingerprints", "list"], ["fingerprints", "add"],
    ["fingerprints", "add", "--name", hostile], ["fingerprints", "rename", hostile, "new"],
    ["fingerprints", "rename", "01", hostile], ["fingerprints", "remove", "--yes", hostile],
    ["fingerprints", "remove", "--yes", hostile + "x"], ["pin", "status"], ["pin", "min-length", hostile],
    ["pin", "min-length", "6", "--rp-id", hostile], ["config", "always-uv", hostile], ["config", "always-uv", "on"],
    ["reset", "--yes", "--timeout", "0.05"], ["register", "/nonexistent" + hostile, "--origin", Requests.origin],
    ["register", "--origin", hostile], [hostile], ["credentials", hostile], ["list", "--" + hostile],
  ]

  @Test("no command lets one of them through to a terminal", arguments: tries, [false, true])
  func commands(words: [String], asJSON: Bool) async throws {
    let desk = try Self.desk()
    let command = Self.command(of: words)
    let options = command?.options.map { $0.name } ?? []
    if asJSON, !options.contains("--json") { return }
    let given =
      (options.contains("--key") ? ["--key", "desk"] : []) + (asJSON ? ["--json"] : [])
      + (options.contains("--pin-file") && words != ["pin", "status"] ? ["--pin-file", desk.scratch["pin"]] : [])
    let ending = await InProcess(usb: desk.source).run(words + given)
    #expect(!(ending.error + ending.output).isEmpty)
    // What stdout does where it is a terminal; elsewhere JSON keeps the texts as they are.
    let output = asJSON ? PlainText.shownJSON(ending.output) : ending.output
    for scalar in (ending.error + output).unicodeScalars where scalar != "\n" {
      #expect(PlainText.shown(String(scalar)) == String(scalar), "U+\(String(scalar.value, radix: 16))")
    }
    // It was shown, or refused by its number.
    #expect(["[2J", "U+001B"].contains { (ending.error + output).contains($0) }, "\(ending)")
    #expect(asJSON || !output.contains("\u{430}"), "a look-alike is shown in punycode")
  }

  private static func command(of words: [String]) -> CommandSpecification? {
    for command in CommandLineTool.commands {
      let name = command.specification.name.split(separator: " ").map(String.init)
      if words.starts(with: name) { return command.specification }
    }
    return nil
  }

  @Test("of the commands that open a key, only those are left out that show nothing else of it")
  func all() {
    let tried = Set(Self.tries.compactMap { Self.command(of: $0)?.name })
    let other: Set = [
      "authenticate", "virtual-key", "pin set", "pin change", "pin force-change", "config enterprise-attestation",
      "config long-touch-reset",
    ]
    var names: Set<String> = []
    for command in CommandLineTool.commands where command.specification.opensKeys {
      names.insert(command.specification.name)
    }
    #expect(names.subtracting(other).subtracting(tried).isEmpty, "\(names)")
  }
}
