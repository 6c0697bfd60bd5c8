public import CBOR

/// The parameters of authenticatorGetAssertion (CTAP 2.3 §6.2).
public struct GetAssertionRequest: Hashable, Sendable {
  /// The RP ID.
  public var rpID: String
  /// The SHA-256 hash of the client data, 32 bytes.
  public var clientDataHash: [UInt8]
  /// The credentials that may answer; an empty list is left out and means any discoverable one.
  public var allowList: [CredentialDescriptor]
  /// The inputs of authenticator extensions, by identifier; an empty map is left out.
  public var extensions: CBORMap
  /// The options; left out where none is set.
  public var options: RequestOptions
  /// What proves that a PIN/UV token is held; empty bytes ask for nothing but a touch.
  public var pinUvAuthParam: [UInt8]?
  /// The PIN/UV protocol of the token.
  public var pinUvAuthProtocol: Int?
  /// Parameters that are not known.
  public var additional: CBORMap

  /// Creates a request.
  public init(
    rpID: String, clientDataHash: [UInt8], allowList: [CredentialDescriptor] = [],
    extensions: CBORMap = CBORMap(), options: RequestOptions = RequestOptions(), pinUvAuthParam: [UInt8]? = nil,
    pinUvAuthProtocol: Int? = nil, additional: CBORMap = CBORMap()
  ) {
    self.rpID = rpID
    self.clientDataHash = clientDataHash
    self.allowList = allowList
    self.extensions = extensions
    self.options = options
    self.pinUvAuthParam = pinUvAuthParam
    self.pinUvAuthProtocol = pinUvAuthProtocol
    self.additional = additional
  }
}
