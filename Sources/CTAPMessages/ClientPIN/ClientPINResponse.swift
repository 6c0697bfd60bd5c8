public import CBOR

/// What authenticatorClientPIN returns; which members are there depends on the subcommand (CTAP 2.3 §6.5.5).
public struct ClientPINResponse: Hashable, Sendable {
  /// The key's half of the key agreement.
  public var keyAgreement: COSEKey?
  /// The token, encrypted with the shared secret.
  public var pinUvAuthToken: [UInt8]?
  /// How many wrong PINs are left before the PIN is blocked for good.
  public var pinRetries: Int?
  /// Whether the key must be plugged in again before the PIN can be tried.
  public var powerCycleState: Bool?
  /// How many failed built-in verifications are left.
  public var uvRetries: Int?
  /// Members that are not known.
  public var additional: CBORMap

  /// Creates a response.
  public init(
    keyAgreement: COSEKey? = nil, pinUvAuthToken: [UInt8]? = nil, pinRetries: Int? = nil,
    powerCycleState: Bool? = nil, uvRetries: Int? = nil, additional: CBORMap = CBORMap()
  ) {
    self.keyAgreement = keyAgreement
    self.pinUvAuthToken = pinUvAuthToken
    self.pinRetries = pinRetries
    self.powerCycleState = powerCycleState
    self.uvRetries = uvRetries
    self.additional = additional
  }
}
