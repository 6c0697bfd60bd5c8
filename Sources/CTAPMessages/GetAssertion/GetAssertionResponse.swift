public import CBOR

/// What authenticatorGetAssertion and authenticatorGetNextAssertion return (CTAP 2.3 §6.2, §6.3).
public struct GetAssertionResponse: Hashable, Sendable {
  /// The credential that answered; a key may leave it out where the request allowed exactly one.
  public var credential: CredentialDescriptor?
  /// The authenticator data.
  public var authData: AuthenticatorData
  /// The signature over the authenticator data and the hash of the client data.
  public var signature: [UInt8]
  /// The account of a discoverable credential.
  public var user: UserEntity?
  /// How many credentials can answer; nil means one, and it is never in a next assertion.
  public var numberOfCredentials: Int?
  /// Whether the person chose the account on the key itself.
  public var userSelected: Bool?
  /// The key that encrypts the credential's large blob; a secret, 32 bytes.
  public var largeBlobKey: [UInt8]?
  /// Extension outputs that no signature covers, by identifier.
  public var unsignedExtensionOutputs: CBORMap?
  /// Members that are not known.
  public var additional: CBORMap

  /// Creates a response.
  public init(
    credential: CredentialDescriptor?, authData: AuthenticatorData, signature: [UInt8], user: UserEntity? = nil,
    numberOfCredentials: Int? = nil, userSelected: Bool? = nil, largeBlobKey: [UInt8]? = nil,
    unsignedExtensionOutputs: CBORMap? = nil, additional: CBORMap = CBORMap()
  ) {
    self.credential = credential
    self.authData = authData
    self.signature = signature
    self.user = user
    self.numberOfCredentials = numberOfCredentials
    self.userSelected = userSelected
    self.largeBlobKey = largeBlobKey
    self.unsignedExtensionOutputs = unsignedExtensionOutputs
    self.additional = additional
  }
}
