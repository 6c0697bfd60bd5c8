internal import CTAPMessages

/// What a plan rests on: a key's answer to getInfo, with the specification's defaults filled in.
struct KeyFacts: Hashable, Sendable {
  /// FIDO_2_0 or later.
  var speaksCTAP2 = true
  /// FIDO_2_1 or later, previews not counted.
  var speaksCTAP21 = true
  /// U2F_V2: CTAP1, alone or beside FIDO_2_0 and later.
  var speaksU2F = false
  /// Option `rk`.
  var residentKeys = false
  /// False where the key says that it can take no more discoverable credentials.
  var hasRoom = true
  /// Option `clientPin`: nil where the key has no PIN, false where none is set.
  var pin: Bool?
  /// Option `uv`: nil where the key has no verification of its own, false where it is not set up.
  var builtIn: Bool?
  /// Option `pinUvAuthToken`.
  var tokens = false
  /// Option `noMcGaPermissionsWithClientPin`.
  var pinCannotCreate = false
  /// Option `alwaysUv`.
  var alwaysVerifies = false
  /// Option `makeCredUvNotRqd`.
  var createsUnverified = false
  /// Option `ep`: the key has enterprise attestation and it is enabled.
  var enterprise = false
  /// `forcePINChange`.
  var mustChangePIN = false
  /// COSE numbers in the key's order, nil where it does not say.
  var algorithms: [Int]?

  /// The version by which a key announces U2F.
  static let u2fVersion = "U2F_V2"

  /// What a key can do over U2F (CTAP 2.3 §10): ES256 credentials that are not discoverable, after a touch.
  static let overU2F = KeyFacts(speaksCTAP2: false, speaksCTAP21: false, speaksU2F: true, algorithms: [-7])

  /// Whether some form of user verification is set up (CTAP 2.1 §6.1.2, "protected").
  var isProtected: Bool { pin == true || builtIn == true }
}

/// What a ceremony asks of a key; all but the verification concerns registrations alone.
struct KeyWishes: Hashable, Sendable {
  var algorithms = [-7]
  var residentKey = ResidentKeyRequirement.discouraged
  var userVerification = UserVerificationRequirement.preferred
  /// False where only an authenticator built into the device will do.
  var allowsSecurityKeys = true
  /// The kind of enterprise attestation that is asked for and that policy allows for the RP ID.
  var enterprise: EnterpriseAttestation?
  /// Whether an extension asks the key for something, which only CTAP2 carries.
  var hasExtensionInputs = false
  /// Whether U2F may be spoken, or must be.
  var u2f = U2FUse.automatic
}

extension KeyWishes {
  init(_ options: CreationOptions, relyingPartyID: String, policy: AuthenticatorPolicy) {
    algorithms = options.algorithms
    residentKey = options.residentKey
    userVerification = options.userVerification
    // A hint outranks the attachment where they contradict each other (WebAuthn L3 §5.8.8).
    allowsSecurityKeys = options.attachment != .platform || options.hints.contains(.securityKey)
    enterprise = options.attestation == .enterprise ? policy.enterpriseAttestation[relyingPartyID] : nil
  }
}

/// How a ceremony will be carried out on one key.
struct KeyPlan: Hashable, Sendable {
  enum Verification: Hashable, Sendable {
    /// Touch alone.
    case none
    /// A token for the PIN.
    case pin
    /// A token for the key's own verification; with `pin`, the PIN may stand in once.
    case builtInToken(pin: Bool)
    /// The `uv` option of the command, as keys without tokens have it; with `pin`, the PIN may stand in once.
    case builtInOption(pin: Bool)
  }

  /// Whether U2F is spoken, and not CTAP2.
  var usesU2F = false
  var residentKey = false
  var verification = Verification.none
  /// The kind of enterprise attestation to ask for, or nil (CTAP 2.1 §7.1.1).
  var enterpriseAttestation: EnterpriseAttestation?
}

/// Why a key will not do.
struct KeyObjection: Error, Hashable, Sendable {
  var reason: String
  var kind = WebAuthnError.Kind.noSuitableKey
  /// Whether it may be otherwise in a moment, with nothing done to the key: another program holds it.
  var mayPass = false
}
