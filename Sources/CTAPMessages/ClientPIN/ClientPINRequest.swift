public import CBOR

/// The parameters of authenticatorClientPIN (CTAP 2.3 §6.5.5).
///
/// The numbers 7 and 8 were used by drafts of CTAP 2.0 alone; where they come they are in `additional`.
public struct ClientPINRequest: Hashable, Sendable {
  /// The PIN/UV protocol; needed by all subcommands but the two that ask for retries.
  public var pinUvAuthProtocol: Int?
  /// What is asked for.
  public var subCommand: ClientPINSubcommand
  /// The platform's half of the key agreement.
  public var keyAgreement: COSEKey?
  /// What proves that the shared secret is held, over the members below.
  public var pinUvAuthParam: [UInt8]?
  /// The new PIN, padded and encrypted.
  public var newPinEnc: [UInt8]?
  /// The first half of the hash of the present PIN, encrypted.
  public var pinHashEnc: [UInt8]?
  /// What the token is to be used for.
  public var permissions: PINUVAuthPermissions?
  /// The RP ID that the token is to be used for.
  public var rpID: String?
  /// Parameters that are not known.
  public var additional: CBORMap

  /// Creates a request.
  public init(
    _ subCommand: ClientPINSubcommand, pinUvAuthProtocol: Int? = nil, keyAgreement: COSEKey? = nil,
    pinUvAuthParam: [UInt8]? = nil, newPinEnc: [UInt8]? = nil, pinHashEnc: [UInt8]? = nil,
    permissions: PINUVAuthPermissions? = nil, rpID: String? = nil, additional: CBORMap = CBORMap()
  ) {
    self.pinUvAuthProtocol = pinUvAuthProtocol
    self.subCommand = subCommand
    self.keyAgreement = keyAgreement
    self.pinUvAuthParam = pinUvAuthParam
    self.newPinEnc = newPinEnc
    self.pinHashEnc = pinHashEnc
    self.permissions = permissions
    self.rpID = rpID
    self.additional = additional
  }
}
