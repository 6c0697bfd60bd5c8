public import CBOR

/// What authenticatorCredentialManagement returns; which members are there depends on the subcommand (CTAP 2.3 §6.8).
public struct CredentialManagementResponse: Hashable, Sendable {
  /// How many discoverable credentials there are.
  public var existingResidentCredentialsCount: Int?
  /// How many more fit, at most.
  public var maxPossibleRemainingResidentCredentialsCount: Int?
  /// The relying party; keys may cut its ID.
  public var rp: RelyingPartyEntity?
  /// The SHA-256 hash of the RP ID, 32 bytes.
  public var rpIDHash: [UInt8]?
  /// How many relying parties have a credential.
  public var totalRPs: Int?
  /// The account.
  public var user: UserEntity?
  /// The credential.
  public var credentialID: CredentialDescriptor?
  /// The credential's public key.
  public var publicKey: COSEKey?
  /// How many credentials the relying party has.
  public var totalCredentials: Int?
  /// The credential's protection policy, 1 to 3.
  public var credProtect: Int?
  /// The key that encrypts the credential's large blob; a secret, 32 bytes.
  public var largeBlobKey: [UInt8]?
  /// Whether the credential may be used for payments.
  public var thirdPartyPayment: Bool?
  /// Members that are not known.
  public var additional: CBORMap = CBORMap()

  /// Creates a response without any member.
  public init() {}
}
