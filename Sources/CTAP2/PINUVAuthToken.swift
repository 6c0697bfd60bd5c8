public import CTAPMessages
internal import FIDOCrypto
internal import Octets

/// A token that a key gave out after its PIN or its own user verification; it proves that to the key's commands.
///
/// A key drops a token that is not used within 30 seconds. It is zeroed when the last copy goes.
public struct PINUVAuthToken: Sendable {
  /// The protocol that it was asked for with.
  public let version: PINUVAuthProtocol
  /// What it may be used for, as it was asked for; a key of CTAP 2.0 gives one for everything it knows.
  public let permissions: PINUVAuthPermissions
  /// The RP ID that it is bound to, or nil.
  public let rpID: String?

  let secret: SecretBytes

  init(_ secret: SecretBytes, version: PINUVAuthProtocol, permissions: PINUVAuthPermissions, rpID: String?) {
    self.secret = secret
    self.version = version
    self.permissions = permissions
    self.rpID = rpID
  }

  /// The `pinUvAuthParam` for a message: 16 bytes with protocol one, 32 with two.
  public func authenticate(_ message: [UInt8]) -> [UInt8] {
    Array(HMAC.sha256(key: secret, message).prefix(version.parameterSize))
  }
}
