public import CBOR

/// A credential by its identifier: `PublicKeyCredentialDescriptor` (WebAuthn L3 §5.8.3).
public struct CredentialDescriptor: Hashable, Sendable {
  /// The credential identifier, which only its authenticator can read.
  public var id: [UInt8]
  /// The type, `public-key` where it is one that WebAuthn knows.
  public var type: String
  /// How the authenticator may be reached, as hints; nil where nothing was said.
  public var transports: [String]?
  /// Members that are not known.
  public var additional: CBORMap

  /// Creates a descriptor.
  public init(
    id: [UInt8], type: String = CredentialParameters.publicKey, transports: [String]? = nil,
    additional: CBORMap = CBORMap()
  ) {
    self.id = id
    self.type = type
    self.transports = transports
    self.additional = additional
  }
}
