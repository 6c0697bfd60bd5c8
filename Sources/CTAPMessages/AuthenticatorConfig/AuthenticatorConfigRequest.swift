public import CBOR

/// The parameters of authenticatorConfig (CTAP 2.3 §6.11); it returns a status and nothing else.
public struct AuthenticatorConfigRequest: Hashable, Sendable {
  /// What is asked for.
  public var subCommand: AuthenticatorConfigSubcommand
  /// The parameters of the subcommand.
  public var subCommandParams: Parameters?
  /// The PIN/UV protocol of the token.
  public var pinUvAuthProtocol: Int?
  /// What proves that a PIN/UV token is held, over `authenticatedBytes`.
  public var pinUvAuthParam: [UInt8]?
  /// Parameters that are not known.
  public var additional: CBORMap

  /// The parameters, by the subcommand that they belong to.
  public enum Parameters: Hashable, Sendable {
    /// Those of setMinPINLength.
    case setMinPINLength(SetMinPINLengthParameters)
    /// Those of vendorPrototype.
    case vendorPrototype(VendorPrototypeParameters)
    /// Those of a subcommand that has none, or that is not known.
    case other(CBORMap)
  }

  /// Creates a request.
  public init(
    _ subCommand: AuthenticatorConfigSubcommand, _ subCommandParams: Parameters? = nil,
    pinUvAuthProtocol: Int? = nil, pinUvAuthParam: [UInt8]? = nil, additional: CBORMap = CBORMap()
  ) {
    self.subCommand = subCommand
    self.subCommandParams = subCommandParams
    self.pinUvAuthProtocol = pinUvAuthProtocol
    self.pinUvAuthParam = pinUvAuthParam
    self.additional = additional
  }

  /// What `pinUvAuthParam` is computed over: 32 bytes FF, 0D, the subcommand and its parameters in canonical CBOR.
  public var authenticatedBytes: [UInt8] {
    [UInt8](repeating: 0xff, count: 32)
      + [CTAPCommand.config.rawValue, UInt8(truncatingIfNeeded: subCommand.rawValue)]
      + (subCommandParams?.cbor().encoded() ?? [])
  }
}

/// What authenticatorConfig is asked to do; other numbers are kept.
public struct AuthenticatorConfigSubcommand: RawRepresentable, Hashable, Sendable {
  /// The number on the wire.
  public let rawValue: Int

  /// Creates a subcommand from a number, known or not.
  public init(rawValue: Int) { self.rawValue = rawValue }

  /// Switches enterprise attestation on, for good.
  public static let enableEnterpriseAttestation = AuthenticatorConfigSubcommand(rawValue: 0x01)
  /// Switches "always verify" on or off.
  public static let toggleAlwaysUv = AuthenticatorConfigSubcommand(rawValue: 0x02)
  /// Raises the minimum PIN length, says who may read it, or demands a new PIN.
  public static let setMinPINLength = AuthenticatorConfigSubcommand(rawValue: 0x03)
  /// Makes a reset need a long touch, for good.
  public static let enableLongTouchForReset = AuthenticatorConfigSubcommand(rawValue: 0x04)
  /// A command of the vendor's own.
  public static let vendorPrototype = AuthenticatorConfigSubcommand(rawValue: 0xff)
}

/// The parameters of setMinPINLength (CTAP 2.3 §6.11.4).
public struct SetMinPINLengthParameters: Hashable, Sendable {
  /// The new minimum, in code points.
  public var newMinPINLength: Int?
  /// The RP IDs that may read the minimum.
  public var minPinLengthRPIDs: [String]?
  /// Whether the PIN must be changed before it is used again.
  public var forceChangePin: Bool?
  /// Whether the key is to enforce its policy on PINs beyond their length.
  public var pinComplexityPolicy: Bool?
  /// Parameters that are not known.
  public var additional: CBORMap

  /// Creates parameters.
  public init(
    newMinPINLength: Int? = nil, minPinLengthRPIDs: [String]? = nil, forceChangePin: Bool? = nil,
    pinComplexityPolicy: Bool? = nil, additional: CBORMap = CBORMap()
  ) {
    self.newMinPINLength = newMinPINLength
    self.minPinLengthRPIDs = minPinLengthRPIDs
    self.forceChangePin = forceChangePin
    self.pinComplexityPolicy = pinComplexityPolicy
    self.additional = additional
  }
}

/// The parameters of a vendor's own configuration command (CTAP 2.3 §6.11.5).
public struct VendorPrototypeParameters: Hashable, Sendable {
  /// The vendor's number of the command, one of those in getInfo.
  public var vendorCommandID: UInt64
  /// The parameters that the vendor defines.
  public var additional: CBORMap

  /// Creates parameters.
  public init(vendorCommandID: UInt64, additional: CBORMap = CBORMap()) {
    self.vendorCommandID = vendorCommandID
    self.additional = additional
  }
}
