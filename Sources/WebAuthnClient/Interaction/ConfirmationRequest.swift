/// A question before something is done to a key that can't be undone.
public struct ConfirmationRequest: Sendable {
  /// What is about to be done.
  public enum Deed: String, Hashable, Sendable, CaseIterable {
    /// A credential is deleted, and the account that it is for can't be signed in to with this key any more.
    case deleteCredential
    /// Data that is kept with credentials is deleted; the credentials stay.
    case deleteLargeBlob
    /// A fingerprint is removed.
    case removeFingerprint
    /// Everything on the key is erased, its PIN among it.
    case reset
    /// Something is switched on that only a reset switches off.
    case lastingSetting
  }

  /// The key.
  public var authenticator: AuthenticatorInfo
  /// What is about to be done.
  public var deed: Deed
  /// What will be done and lost, in sentences for a person; it may hold names that come from the key.
  public var consequences: String
  /// What a person has to type for a yes; nil where a plain yes will do.
  public var phrase: String?

  /// Creates a question.
  public init(authenticator: AuthenticatorInfo, deed: Deed, consequences: String, phrase: String? = nil) {
    self.authenticator = authenticator
    self.deed = deed
    self.consequences = consequences
    self.phrase = phrase
  }
}
