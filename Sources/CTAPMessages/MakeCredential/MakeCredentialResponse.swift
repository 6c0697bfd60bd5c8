public import CBOR

/// What authenticatorMakeCredential returns (CTAP 2.3 §6.1).
public struct MakeCredentialResponse: Hashable, Sendable {
  /// The format of the attestation statement, such as `packed`.
  public var fmt: String
  /// The authenticator data, with the new credential in it.
  public var authData: AuthenticatorData
  /// The attestation statement; nil where the key left it out because none was wanted.
  public var attStmt: CBORMap?
  /// Whether the attestation is an enterprise attestation.
  public var epAtt: Bool?
  /// The key that encrypts the credential's large blob; a secret, 32 bytes.
  public var largeBlobKey: [UInt8]?
  /// Extension outputs that no signature covers, by identifier.
  public var unsignedExtensionOutputs: CBORMap?
  /// Members that are not known.
  public var additional: CBORMap

  /// Creates a response.
  public init(
    fmt: String, authData: AuthenticatorData, attStmt: CBORMap?, epAtt: Bool? = nil, largeBlobKey: [UInt8]? = nil,
    unsignedExtensionOutputs: CBORMap? = nil, additional: CBORMap = CBORMap()
  ) {
    self.fmt = fmt
    self.authData = authData
    self.attStmt = attStmt
    self.epAtt = epAtt
    self.largeBlobKey = largeBlobKey
    self.unsignedExtensionOutputs = unsignedExtensionOutputs
    self.additional = additional
  }
}
