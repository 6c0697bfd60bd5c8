public import CTAPMessages
internal import FIDOCrypto
public import Octets

/// How full a key's store of discoverable credentials is.
public struct CredentialStoreMetadata: Hashable, Sendable {
  /// How many discoverable credentials there are.
  public let existing: Int
  /// How many more fit, at most; the key's estimate.
  public let remaining: Int
}

/// A relying party that has a discoverable credential on a key.
public struct StoredRelyingParty: Hashable, Sendable {
  /// The SHA-256 hash of the RP ID, 32 bytes: what the key knows it by.
  public let idHash: [UInt8]
  /// The RP ID, where the key tells it; keys may cut a long one.
  public let id: String?
  /// The name, where the key tells it.
  public let name: String?

  /// Creates a relying party.
  public init(idHash: [UInt8], id: String? = nil, name: String? = nil) {
    self.idHash = idHash
    self.id = id
    self.name = name
  }

  /// Creates the relying party with an RP ID.
  public init(id: String) {
    self.init(idHash: Digest.sha256(Array(id.utf8)), id: id)
  }

  /// Whether the RP ID is the one that the key has the hash of; a key that cut it tells another one.
  public var isIDWhole: Bool { id.map { Digest.sha256(Array($0.utf8)) == idHash } ?? false }
}

/// A discoverable credential on a key.
public struct StoredCredential: Sendable {
  /// The relying party that it is for.
  public let relyingParty: StoredRelyingParty
  /// The credential's identifier, as the key wants it back.
  public let descriptor: CredentialDescriptor
  /// The account.
  public private(set) var user: UserEntity
  /// The public key, where the key tells it.
  public let publicKey: COSEKey?
  /// The protection policy, 1 to 3, where the key tells it (CTAP 2.3 §12.1).
  public let protection: Int?
  /// The key to the credential's large blob, where it has one.
  public let largeBlobKey: SecretBytes?
  /// Whether it may be used for payments, where the key tells that.
  public let thirdPartyPayment: Bool?

  /// The credential's identifier.
  public var id: [UInt8] { descriptor.id }

  /// Reads what a key says of a credential.
  init(_ response: CredentialManagementResponse, of relyingParty: StoredRelyingParty) throws(Unfit) {
    guard let user = response.user, let descriptor = response.credentialID, !descriptor.id.isEmpty else {
      throw Unfit("it has no account or no credential")
    }
    self.relyingParty = relyingParty
    self.user = user
    self.descriptor = descriptor
    publicKey = response.publicKey
    protection = response.credProtect
    largeBlobKey = response.largeBlobKey.map { SecretBytes($0) }
    thirdPartyPayment = response.thirdPartyPayment
  }

  /// The same credential with other names for its account.
  public func renamed(_ user: UserEntity) -> StoredCredential {
    var renamed = self
    renamed.user = user
    return renamed
  }
}
