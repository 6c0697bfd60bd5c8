/// What authenticatorClientPIN is asked to do (CTAP 2.3 §6.5.5); other numbers are kept.
public struct ClientPINSubcommand: RawRepresentable, Hashable, Sendable {
  /// The number on the wire.
  public let rawValue: Int

  /// Creates a subcommand from a number, known or not.
  public init(rawValue: Int) { self.rawValue = rawValue }

  /// How many wrong PINs are left.
  public static let getPINRetries = ClientPINSubcommand(rawValue: 0x01)
  /// The key's half of the key agreement.
  public static let getKeyAgreement = ClientPINSubcommand(rawValue: 0x02)
  /// Sets the first PIN.
  public static let setPIN = ClientPINSubcommand(rawValue: 0x03)
  /// Replaces the PIN.
  public static let changePIN = ClientPINSubcommand(rawValue: 0x04)
  /// A token for a PIN, without permissions (CTAP 2.0).
  public static let getPINToken = ClientPINSubcommand(rawValue: 0x05)
  /// A token with permissions for built-in verification.
  public static let getPINUVAuthTokenUsingUVWithPermissions = ClientPINSubcommand(rawValue: 0x06)
  /// How many failed built-in verifications are left.
  public static let getUVRetries = ClientPINSubcommand(rawValue: 0x07)
  /// A token with permissions for a PIN. The number 8 is not assigned.
  public static let getPINUVAuthTokenUsingPINWithPermissions = ClientPINSubcommand(rawValue: 0x09)
}
