import CTAP2
import CTAPMessages
import JSONText
import WebAuthnClient

/// `ctap-bridge blobs list`: whose large blobs there are.
enum BlobsListCommand: BridgeCommand {
  static let specification = CommandSpecification(
    "blobs list",
    summary: "list the large blobs on a key",
    discussion: """
      Lists the large blobs by the credentials that they belong to, with their sizes before and after compression, and how
      many there are that belong to no credential on the key; what these are, nobody can tell. With --rp-id only those of
      one site are listed. Needs the key's PIN, or its own verification.
      """,
    options: [CredentialCommands.rpID] + ManagementOptions.common)

  /// One entry of the array.
  private struct Line: Sendable {
    /// Whose it is, where that is known.
    let credential: CredentialReport?
    /// The size before compression and the size on the key, in bytes; nil for what is no entry.
    let sizes: (UInt64, Int)?

    var json: JSONOutput {
      let sizes: [(String, JSONOutput)] = [
        ("size", sizes.map { .raw(Array(String($0.0).utf8)) } ?? .null),
        ("sizeOnKey", sizes.map { .int($0.1) } ?? .null),
      ]
      return .object([("credential", credential?.json ?? .null)] + sizes)
    }

    var words: String {
      let size = sizes.map { "\($0.0) bytes (\($0.1) on the key)" } ?? "not readable"
      guard let credential else { return "  of no credential on the key: \(size)" }
      return "  \(credential.id)  \(credential.account) at \(credential.site): \(size)"
    }
  }

  private struct Listing: Sendable {
    var lines: [Line] = []
    var used = 0
    var capacity = 0
  }

  static func run(_ arguments: ParsedArguments, _ environment: CommandEnvironment) async throws(CommandFailure) {
    let rpID = arguments["--rp-id"]
    let listing = try await manage(arguments, environment) { (key) throws(WebAuthnError) in
      try key.checkLargeBlobs()
      let credentials = try await CredentialLookup(key, rpID: rpID, changes: false).all()
      let array = try await key.run { (session, wait) throws(CTAP2Error) in try session.largeBlobs(wait) }
      key.warnOfDamage(array)
      return Listing(
        lines: lines(array, credentials, all: rpID == nil), used: array.size,
        capacity: key.authenticator.abilities.largeBlobCapacity)
    }
    if listing.lines.isEmpty { environment.say("There is no large blob\(rpID.map { " for \($0)" } ?? " on the key").") }
    try report(
      [
        "used": .int(listing.used), "capacity": .int(listing.capacity), "blobs": .array(listing.lines.map(\.json)),
      ], ["\(listing.used) of \(listing.capacity) bytes are used."] + listing.lines.map(\.words), arguments, environment
    )
  }

  private static func lines(_ array: LargeBlobArray, _ credentials: [StoredCredential], all: Bool) -> [Line] {
    var owners: [Int: StoredCredential] = [:]
    for credential in credentials {
      guard let key = credential.largeBlobKey, let cipher = try? LargeBlobCipher(key: key) else { continue }
      for place in array.places(under: cipher) { owners[place] = credential }
    }
    return (0..<array.count).compactMap { place in
      guard all || owners[place] != nil else { return nil }
      return Line(
        credential: owners[place].map(CredentialReport.init),
        sizes: array[place].map { ($0.origSize, $0.ciphertext.count) })
    }
  }
}
