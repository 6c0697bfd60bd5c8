/// The new credential inside authenticator data (WebAuthn L3 §6.5.1).
public struct AttestedCredential: Hashable, Sendable {
  /// The most bytes that a credential identifier may have.
  public static let maximumCredentialIDLength = 1023

  /// The model of the authenticator.
  public let aaguid: AAGUID
  /// The credential identifier, at most 1023 bytes.
  public let credentialID: [UInt8]
  /// The credential's public key.
  public let publicKey: COSEKey
  /// The public key's own bytes, which are what a signature covers.
  public let publicKeyBytes: [UInt8]

  /// Creates a credential whose key is written in canonical form.
  ///
  /// Throws a `MessageError` where the identifier is longer than 1023 bytes.
  public init(aaguid: AAGUID, credentialID: [UInt8], publicKey: COSEKey) throws(MessageError) {
    try self.init(
      aaguid: aaguid, credentialID: credentialID, publicKey: publicKey, publicKeyBytes: publicKey.encoded())
  }

  /// Creates a credential from a key and the bytes that it was read from.
  init(
    aaguid: AAGUID, credentialID: [UInt8], publicKey: COSEKey, publicKeyBytes: [UInt8]
  ) throws(MessageError) {
    try Self.checkLength(credentialID.count)
    self.aaguid = aaguid
    self.credentialID = credentialID
    self.publicKey = publicKey
    self.publicKeyBytes = publicKeyBytes
  }

  static func checkLength(_ length: Int) throws(MessageError) {
    guard length <= maximumCredentialIDLength else {
      throw MessageError(
        message: AuthenticatorData.messageName, member: "credentialId",
        problem: .wrongValue(expected: "at most \(maximumCredentialIDLength) bytes", found: "\(length) bytes"))
    }
  }
}
