import CTAP2
import CTAPMessages
import Octets
import WebAuthnClient

/// The large blob that a command is about, and what its work on the key takes.
struct BlobTarget: Sendable {
  let cipher: LargeBlobCipher
  /// What permits to write; nil for reading, and on a key that asks for nothing.
  let token: PINUVAuthToken?
  /// The credential, where it was looked for on the key.
  let credential: CredentialReport?

  /// Finds it.
  ///
  /// - Parameters:
  ///   - key: the key.
  ///   - cipher: the large-blob key that the command line gives, or nil.
  ///   - arguments: the command line, which says whose blob is meant.
  ///   - writes: whether the array will be written.
  init(
    on key: ManagedKey, _ cipher: LargeBlobCipher?, _ arguments: ParsedArguments, writes: Bool
  ) async throws(WebAuthnError) {
    try key.checkLargeBlobs()
    if let cipher {
      self.cipher = cipher
      token = writes ? try await key.tokenIfProtected(.largeBlobWrite) : nil
      credential = nil
      return
    }
    let lookup = try await CredentialLookup(
      key, rpID: arguments["--rp-id"], changes: false, also: writes ? .largeBlobWrite : [])
    let found = try await Self.credential(lookup, arguments.positionals.first)
    let report = CredentialReport(found)
    guard let secret = found.largeBlobKey else {
      throw WebAuthnError(
        .notAllowedError, .noCredential,
        "The credential \(report.id) has no large-blob key: it was made without, and can't be given one.")
    }
    do throws(CTAP2Error) {
      self.cipher = try LargeBlobCipher(key: secret)
    } catch {
      throw WebAuthnError(.notAllowedError, .communication, "\(error)", cause: error)
    }
    token = writes ? lookup.token : nil
    credential = report
  }

  /// The credential that is named, or the only one of the site that has a large-blob key.
  private static func credential(
    _ lookup: CredentialLookup, _ name: String?
  ) async throws(WebAuthnError) -> StoredCredential {
    if let name { return try await lookup.one(name) }
    let candidates = try await lookup.all().filter { $0.largeBlobKey != nil }
    if candidates.count == 1 { return candidates[0] }
    let site = PlainText.quoted(lookup.rpID ?? "")
    guard candidates.isEmpty else {
      throw WebAuthnError(
        .notAllowedError, .badRequest,
        "\(candidates.count) credentials for \(site) have a large-blob key; name one of them: "
          + candidates.map { Base64URL.encode($0.id) }.joined(separator: ", ") + ".")
    }
    throw WebAuthnError(
      .notAllowedError, .noCredential, "The key has no credential for \(site) that has a large-blob key.")
  }
}

extension ManagedKey {
  /// Refuses a key that keeps no array of large blobs, before anybody is asked for its PIN.
  func checkLargeBlobs() throws(WebAuthnError) {
    guard authenticator.abilities.isOn(.largeBlobs) else { throw notOffered("room for large blobs") }
  }

  /// Tells of an array that fails its own check.
  func warnOfDamage(_ array: LargeBlobArray) {
    guard array.wasDamaged else { return }
    notify(.warning("The key's array of large blobs fails its own check, so that it counts as empty."))
  }
}
