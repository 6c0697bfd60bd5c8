public import CBOR

/// What a key says about itself: the answer to authenticatorGetInfo (CTAP 2.3 §6.4).
///
/// Every member is as the key sent it, nil where it did not. `GetInfoResponse+Defaults.swift` has what absence means.
public struct GetInfoResponse: Hashable, Sendable {
  /// The versions that the key speaks, such as `FIDO_2_1` and `U2F_V2`.
  public var versions: [String]
  /// The identifiers of the extensions that the key supports.
  public var extensions: [String]?
  /// The model of the key.
  public var aaguid: AAGUID
  /// What the key can do and how it is set up.
  public var options: AuthenticatorOptions?
  /// The largest message that the key takes, in bytes.
  public var maxMsgSize: Int?
  /// The PIN/UV protocols that the key supports, the preferred one first.
  public var pinUvAuthProtocols: [Int]?
  /// The most credentials in one list.
  public var maxCredentialCountInList: Int?
  /// The longest credential identifier in a list, in bytes.
  public var maxCredentialIdLength: Int?
  /// How the key can be reached, such as `usb` and `nfc`.
  public var transports: [String]?
  /// The kinds of credential that the key can create, the preferred ones first.
  public var algorithms: [CredentialParameters]?
  /// The largest serialised large-blob array, in bytes.
  public var maxSerializedLargeBlobArray: Int?
  /// Whether the PIN must be changed before the key gives out tokens for it.
  public var forcePINChange: Bool?
  /// The fewest code points of a PIN.
  public var minPINLength: Int?
  /// The version of the firmware; keys of one model count upwards.
  public var firmwareVersion: UInt64?
  /// The largest credBlob, in bytes.
  public var maxCredBlobLength: Int?
  /// The most RP IDs that may be given to setMinPINLength.
  public var maxRPIDsForSetMinPINLength: Int?
  /// How often the platform should try built-in verification before it falls back.
  public var preferredPlatformUvAttempts: Int?
  /// The ways in which the key verifies a person.
  public var uvModality: UserVerificationMethods?
  /// The certifications of the key and their levels.
  public var certifications: [String: Int]?
  /// An estimate of how many more discoverable credentials fit.
  public var remainingDiscoverableCredentials: Int?
  /// The vendor's own configuration commands.
  public var vendorPrototypeConfigCommands: [UInt64]?
  /// The attestation formats that the key can make.
  public var attestationFormats: [String]?
  /// How many built-in verifications there were since the PIN was last entered.
  public var uvCountSinceLastPinEntry: Int?
  /// Whether a reset needs a long touch.
  public var longTouchForReset: Bool?
  /// An identifier of the key, encrypted for holders of a persistent token.
  public var encIdentifier: [UInt8]?
  /// The transports over which a reset is possible.
  public var transportsForReset: [String]?
  /// Whether the key enforces a policy on PINs beyond their length.
  public var pinComplexityPolicy: Bool?
  /// Where the policy on PINs is described: the UTF-8 bytes of a URL.
  public var pinComplexityPolicyURL: [UInt8]?
  /// The most code points of a PIN.
  public var maxPINLength: Int?
  /// The state of the stored credentials, encrypted for holders of a persistent token.
  public var encCredStoreState: [UInt8]?
  /// The subcommands of authenticatorConfig that the key supports.
  public var authenticatorConfigCommands: [Int]?
  /// Members that are not known.
  public var additional: CBORMap = CBORMap()

  /// Creates a response with the two members that are required.
  public init(versions: [String], aaguid: AAGUID) {
    self.versions = versions
    self.aaguid = aaguid
  }
}
