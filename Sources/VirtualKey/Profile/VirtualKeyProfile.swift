public import CTAPMessages

/// What a virtual key says about itself and keeps to: getInfo's limits and options.
///
/// A profile is the key as it leaves the factory. It decides limits and options, not how the key is attached: `plat` and
/// `transports` are told as they are and mean nothing else. What a profile announces beyond what the virtual key can do
/// is told all the same; a request for it gets the status of a key that lacks it, such as UNSUPPORTED_ALGORITHM.
public struct VirtualKeyProfile: Hashable, Sendable {
  /// What getInfo says, but for what depends on the key's state: a PIN that was set, the room that is left.
  public var info: GetInfoResponse
  /// The model's name, where the profile has one.
  public var name: String?

  /// Creates a profile.
  public init(info: GetInfoResponse, name: String? = nil) {
    self.info = info
    self.name = name
  }

  /// The virtual key's own model number, for the profile of its own.
  public static let standardAAGUID = AAGUID("c7a9b21d-6e0f-4c58-8d1e-2f57b9a40316") ?? .zero

  /// A key from before CTAP2: U2F alone, without a PIN or resident credentials.
  public static let u2f = VirtualKeyProfile(info: GetInfoResponse(versions: [u2fVersion], aaguid: .zero))

  /// The virtual key's own profile: CTAP 2.1 and U2F, with everything that it can do and no PIN.
  public static let standard: VirtualKeyProfile = {
    var info = GetInfoResponse(versions: [u2fVersion, "FIDO_2_0", "FIDO_2_1"], aaguid: standardAAGUID)
    info.extensions = [
      "credBlob", "credProtect", "hmac-secret", "hmac-secret-mc", "largeBlobKey", "minPinLength", "pinComplexityPolicy",
      "thirdPartyPayment",
    ]
    info.options = [
      "rk": true, "up": true, "plat": false, "clientPin": false, "pinUvAuthToken": true, "makeCredUvNotRqd": true,
      "largeBlobs": true, "credMgmt": true, "authnrCfg": true, "setMinPINLength": true, "alwaysUv": false, "ep": false,
      "perCredMgmtRO": true,
    ]
    info.maxMsgSize = 7609
    info.pinUvAuthProtocols = [2, 1]
    info.maxCredentialCountInList = 64
    info.maxCredentialIdLength = 128
    info.transports = ["usb"]
    info.algorithms = [-7, -8, -35, -36, -257].map { CredentialParameters(algorithm: $0) }
    info.maxSerializedLargeBlobArray = 4096
    info.minPINLength = 4
    info.firmwareVersion = 1
    info.maxRPIDsForSetMinPINLength = 8
    info.longTouchForReset = false
    info.maxCredBlobLength = 128
    info.remainingDiscoverableCredentials = 100
    info.pinComplexityPolicy = false
    info.attestationFormats = ["packed", "none"]
    return VirtualKeyProfile(info: info)
  }()
}
