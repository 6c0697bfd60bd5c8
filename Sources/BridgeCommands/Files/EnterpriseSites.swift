import CTAPMessages
import Recordings
import WebAuthnClient

/// The sites that the administrator lets have enterprise attestations, in `/etc/ctap-bridge/enterprise-sites`.
///
/// A line has an RP ID and, where wanted, the kind: `platform-managed`, which is the usual one, or `vendor-facilitated`,
/// where the list that the vendor put into the key must have the RP ID as well (CTAP 2.1 §7.1).
enum EnterpriseSites {
  static let path = "/etc/ctap-bridge/enterprise-sites"

  private static let kinds: [String: EnterpriseAttestation] = [
    "platform-managed": .platformManaged, "vendor-facilitated": .vendorFacilitated,
  ]

  /// The sites; none where there is no such file.
  static func read(_ path: String?) throws(CommandFailure) -> [String: EnterpriseAttestation] {
    var sites: [String: EnterpriseAttestation] = [:]
    for line in try content(path).map({ AdministratorList.lines($0, of: path ?? Self.path) }) ?? [] {
      let words = line.text.split { $0 == " " || $0 == "\t" }.map(String.init)
      guard words.count <= 2, let kind = kinds[words.count == 2 ? words[1] : "platform-managed"] else {
        throw line.failure(
          "SyntaxError", "Expected an RP ID, and platform-managed or vendor-facilitated behind it.")
      }
      sites[words[0]] = kind
    }
    return sites
  }

  /// The list's content; what a key was asked for depends on it, so a recording has it.
  private static func content(_ path: String?) throws(CommandFailure) -> [UInt8]? {
    let what = "list of enterprise sites"
    if case .replay(let player) = Tape.current { return player.file(what) }
    guard
      let content = try path.flatMap({ (path) throws(CommandFailure) in
        try AdministratorList.content(path, what: what)
      })
    else { return nil }
    return try Tape.current.file(what) { content }
  }
}
