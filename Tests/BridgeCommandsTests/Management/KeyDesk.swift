import BridgeTestSupport
import CTAPMessages
import Foundation
import JSONText
import Octets
import Testing

@testable import BridgeCommands
@testable import VirtualKey

/// A virtual key on the bus, the command in this process, and a folder for its files.
struct KeyDesk {
  static let pin = "4821"

  let scratch: Scratch
  let store: MemoryStore
  let port: VirtualKeyPort
  let source: VirtualKeySource

  /// Plugs a key in.
  ///
  /// - Parameters:
  ///   - pin: the PIN that it has, which is also in the file `pin`.
  ///   - state: what it remembers from before.
  ///   - change: what differs from the standard configuration.
  init(
    pin: String? = KeyDesk.pin, state: VirtualKeyState? = nil,
    _ change: (inout VirtualKeyConfiguration) -> Void = { _ in }
  ) throws {
    scratch = try Scratch()
    try scratch.write("pin", (pin ?? Self.pin) + "\n")
    store = MemoryStore(state)
    var configuration = VirtualKeyConfiguration(pin: pin.map { SecretBytes(Array($0.utf8)) })
    change(&configuration)
    // The IDs of credentials are the same in every run, and none begins with a dash.
    port = try VirtualKeyPort(configuration: configuration, store: store, random: SeededRandom(seed: 7))
    source = VirtualKeySource(port, id: "desk")
  }

  /// Runs a command without a terminal.
  func run(_ words: String...) async -> InProcess.Ending { await run(words) }

  /// The key is named before what may follow `--`.
  func run(_ words: [String]) async -> InProcess.Ending {
    let options = words.prefix { $0 != "--" }
    return await InProcess(usb: source).run(options + ["--key", "desk"] + words.dropFirst(options.count))
  }

  /// Runs a command with the PIN in a file; it has to succeed.
  @discardableResult
  func done(_ words: String...) async throws -> InProcess.Ending {
    let ending = await run(words + ["--pin-file", scratch["pin"]])
    try #require(ending.status == .success, "\(words): \(ending.error)")
    return ending
  }

  /// The same with `--json`.
  func json(_ words: String...) async throws -> JSONValue {
    let ending = await run(words + ["--pin-file", scratch["pin"], "--json"])
    try #require(ending.status == .success, "\(words): \(ending.error)")
    return try JSONDocument(parsing: Array(ending.output.utf8)).root
  }

  /// Registers a discoverable credential and returns its ID in base64url.
  @discardableResult
  func register(site: String = "example.org", user: String, extensions: String = "{}") async throws -> String {
    let request = try scratch.write(
      "request",
      """
      {"rp":{"id":"\(site)","name":"The \(site) site"},
      "user":{"id":"\(Base64URL.encode(Array(user.utf8)))","name":"\(user)","displayName":"Display \(user)"},
      "challenge":"AAECAwQFBgc","pubKeyCredParams":[{"type":"public-key","alg":-7}],
      "authenticatorSelection":{"residentKey":"required"},"extensions":\(extensions)}
      """)
    let ending = await run([
      "register", request, "--origin", "https://\(site)", "--no-name", "--pin-file", scratch["pin"],
    ])
    try #require(ending.status == .success, "\(ending.error)")
    return try #require(JSONDocument(parsing: Array(ending.output.utf8)).root["id"]?.stringValue)
  }

  /// What the key remembers.
  var state: VirtualKeyState { get throws { try #require(store.load()) } }

  /// How often the key was given a command.
  func requests(_ command: CTAPCommand) -> Int {
    port.log.count { if case .command(command.rawValue, _, _) = $0.event { true } else { false } }
  }

  /// The tokens that the key gave out.
  var tokens: [Token] {
    port.log.compactMap { entry in
      guard case .tokenGiven(let permissions, let rpID) = entry.event else { return nil }
      return Token(permissions: permissions, rpID: rpID)
    }
  }

  struct Token: Hashable {
    let permissions: PINUVAuthPermissions
    var rpID: String?
  }
}

extension VirtualKeyState {
  /// A new key that holds credentials of some sites, numbered from 0.
  static func holding(sites: Int, each: Int) -> VirtualKeyState {
    var state = VirtualKeyState(masterSecret: [UInt8](repeating: 1, count: 32))
    for site in 0..<sites {
      for user in 0..<each {
        let number = UInt16(site * each + user)
        let id = [UInt8(number >> 8), UInt8(truncatingIfNeeded: number)]
        state.credentials.append(
          StoredCredential(
            id: [UInt8](repeating: 7, count: 30) + id, rpID: "site\(site).example", userID: id, userName: "user\(user)",
            key: CredentialKey(algorithm: -7, bytes: [UInt8](repeating: 3, count: 32)), protection: 1,
            secret: [UInt8](repeating: 5, count: 32), isResident: true))
      }
    }
    return state
  }
}
