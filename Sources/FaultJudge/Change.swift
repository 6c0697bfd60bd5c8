public import CTAPMessages

extension Assignment {
  /// Something that is to be changed on the key.
  public enum Change: Hashable, Sendable {
    /// The credential with this id is to be deleted.
    case deletion([UInt8])
    /// The account of the credential with this id is to get other names.
    case renaming([UInt8])
    /// The PIN is to be another one.
    case newPIN
    /// A large blob is to be written beside those of others.
    case largeBlob(LargeBlobWrite)
  }
}

extension HostReport {
  /// A credential as the key tells it to who lists them.
  public struct ListedCredential: Hashable, Sendable {
    /// The RP ID, where it is told.
    public var rpID: String?
    /// The hash of the RP ID.
    public var rpIDHash: [UInt8]
    /// The credential's id.
    public var id: [UInt8]
    /// The account.
    public var user: UserEntity

    /// Creates a credential.
    public init(rpID: String?, rpIDHash: [UInt8], id: [UInt8], user: UserEntity) {
      self.rpID = rpID
      self.rpIDHash = rpIDHash
      self.id = id
      self.user = user
    }
  }
}
