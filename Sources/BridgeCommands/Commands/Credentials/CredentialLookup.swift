import CTAP2
import CTAPMessages
import Octets
import WebAuthnClient

/// Finds credentials on a key, with one token for all of it.
struct CredentialLookup {
  let key: ManagedKey
  /// The RP ID that the command line restricts it to.
  let rpID: String?
  let token: PINUVAuthToken

  /// How many sites there have to be before a person is told how far it is, and how often then.
  private static let progressStep = 50

  /// Gets the token.
  ///
  /// - Parameters:
  ///   - key: the key.
  ///   - rpID: the RP ID that is meant, which the token is then bound to, or nil.
  ///   - changes: whether something will be changed.
  ///   - also: what else the token will be used for.
  init(
    _ key: ManagedKey, rpID: String?, changes: Bool, also: PINUVAuthPermissions = []
  ) async throws(WebAuthnError) {
    // Nobody is asked for a PIN in vain.
    guard key.authenticator.abilities.hasCredentialManagement else { throw key.notOffered("credential management") }
    self.key = key
    self.rpID = rpID
    // A read-only token is for nothing else, and for the whole key.
    let permission = changes || !also.isEmpty ? .credentialManagement : key.listingPermission
    let scope = permission == .credentialManagement ? rpID : nil
    token = try await key.token(permission.union(also), rpID: scope)
  }

  /// The credentials that are meant, in the key's order.
  func all() async throws(WebAuthnError) -> [StoredCredential] {
    let (token, rpID, key) = (token, rpID, key)
    return try await key.run { (session, wait) throws(CTAP2Error) in
      if let rpID { return try session.credentials(of: StoredRelyingParty(id: rpID), token, wait) }
      return try session.credentials(token, wait) { done, total in
        guard total >= Self.progressStep, done % Self.progressStep == 0 else { return }
        key.notify(.progress(key.authenticator, done: done, total: total))
      }
    }
  }

  /// The one credential whose ID begins with a text.
  func one(_ text: String) async throws(WebAuthnError) -> StoredCredential {
    let all = try await all()
    if let exact = all.first(where: { Base64URL.encode($0.id) == text }) { return exact }
    let matches = text.isEmpty ? [] : all.filter { Base64URL.encode($0.id).hasPrefix(text) }
    if matches.count == 1 { return matches[0] }
    guard matches.isEmpty else {
      throw WebAuthnError(
        .notAllowedError, .badRequest,
        "\(matches.count) credentials have an ID that begins with \(PlainText.quoted(text)); give more of it.")
    }
    throw WebAuthnError(
      .notAllowedError, .noCredential,
      "The key has no credential with the ID \(PlainText.quoted(text)); `ctap-bridge credentials list` shows what it has."
    )
  }
}
