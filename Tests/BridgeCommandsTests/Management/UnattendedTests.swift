import CTAPMessages
import Testing

@testable import BridgeCommands
@testable import VirtualKey

@Suite("Looking after a key where nobody can be asked")
struct UnattendedTests {
  struct Row: Sendable, CustomTestStringConvertible {
    let words: [String]
    /// The files and options that are given all the same.
    var given: [String] = []
    let missing: String
    var status = BridgeCommands.ExitStatus.pin
    var testDescription: String { (words + given).joined(separator: " ") + ": \(missing)" }
  }

  static let rows: [Row] =
    [
      ["pin", "change"], ["pin", "force-change"], ["pin", "min-length", "6"], ["credentials", "list"],
      ["credentials", "show", "Bwc"], ["credentials", "rename", "Bwc", "--name", "x"],
      ["credentials", "delete", "Bwc", "--yes"], ["fingerprints", "list"], ["fingerprints", "add"],
      ["fingerprints", "rename", "0001", "x"], ["fingerprints", "remove", "0001", "--yes"],
      ["config", "always-uv", "on"], ["config", "enterprise-attestation", "--yes"],
      ["config", "long-touch-reset", "--yes"],
    ].map { Row(words: $0, missing: "--pin-file FILE or --pin-fd N") }
    + [
      ["credentials", "delete", "Bwc"], ["fingerprints", "remove", "0001"], ["config", "enterprise-attestation"],
      ["config", "long-touch-reset"], ["reset"],
    ].map { Row(words: $0, given: ["--pin-file"], missing: "--yes", status: .declined) }
    + [Row(words: ["pin", "change"], given: ["--pin-file"], missing: "--new-pin-file FILE or --new-pin-fd N")]

  @Test(
    "what is missing is named with the option that gives it, nothing blocks and nothing is changed", arguments: rows)
  func missing(_ row: Row) async throws {
    var state = VirtualKeyState.holding(sites: 1, each: 1)
    state.fingerprints = [StoredFingerprint(id: [0, 1])]
    let desk = try KeyDesk(state: state) {
      $0.profile.info.options?[.bioEnroll] = false
      $0.profile.info.options?[.perCredMgmtRO] = nil
    }
    let given = row.given.flatMap { [$0, desk.scratch["pin"]] }
    let ending = await desk.run(row.words + given)
    #expect(ending.status == row.status, "\(ending.error)")
    #expect(ending.error.contains("There is no terminal to ask at: ") && ending.error.contains(row.missing))
    #expect(ending.output.isEmpty)
    let after = try desk.state
    #expect(after.credentials == state.credentials && after.fingerprints == state.fingerprints)
    #expect(after.alwaysUV == nil && after.enterpriseAttestation == nil && after.longTouchForReset == nil)
    #expect(after.pinRetries == 8 && !after.mustChangePIN && after.minimumPINLength == nil)
  }

  @Test("a first PIN is missing too where a key has none")
  func firstPIN() async throws {
    let desk = try KeyDesk(pin: nil)
    let ending = await desk.run("pin", "set")
    #expect(ending.status == .pin && ending.error.contains("--new-pin-file FILE or --new-pin-fd N"), "\(ending.error)")
    #expect(desk.store.load()?.pin == nil)
  }

  @Test("one stream can't give both PINs, and a file and a descriptor for one contradict each other")
  func contradictions() async throws {
    let desk = try KeyDesk()
    let file = desk.scratch["pin"]
    for words in [
      ["--pin-fd", "3", "--new-pin-fd", "3"], ["--pin-file", "-", "--new-pin-fd", "0"],
      ["--pin-file", file, "--pin-fd", "3"], ["--new-pin-file", file, "--new-pin-fd", "3"], ["--new-pin-fd", "x"],
    ] {
      let ending = await desk.run(["pin", "change"] + words)
      #expect(ending.status == .usage, "\(words): \(ending.error)")
    }
  }
}
