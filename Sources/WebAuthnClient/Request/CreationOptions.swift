public import CTAPMessages
public import JSONText

/// What a relying party asks of a registration: `PublicKeyCredentialCreationOptions` (WebAuthn L3 §5.4).
public struct CreationOptions: Sendable {
  /// `rp.id`; the origin's domain where it is absent.
  public var relyingPartyID: String?
  /// `rp.name`.
  public var relyingPartyName: String
  /// `user.id`, 1 to 64 bytes.
  public var userID: [UInt8]
  /// `user.name`.
  public var userName: String
  /// `user.displayName`, which may be empty.
  public var userDisplayName: String
  /// `challenge`, decoded.
  public var challenge: [UInt8]
  /// The COSE numbers of `pubKeyCredParams` whose type is known, in order of preference; never empty.
  public var algorithms: [Int]
  /// `timeout`, as it was asked for.
  public var timeout: Duration?
  /// `excludeCredentials` whose type is known.
  public var excludedCredentials: [CredentialDescriptor]
  /// `authenticatorSelection.authenticatorAttachment`.
  public var attachment: AuthenticatorAttachment?
  /// `authenticatorSelection.residentKey`, or what `requireResidentKey` stands for.
  public var residentKey: ResidentKeyRequirement
  /// `authenticatorSelection.userVerification`.
  public var userVerification: UserVerificationRequirement
  /// The known values of `hints`, in order, each once.
  public var hints: [CredentialHint]
  /// `attestation`.
  public var attestation: AttestationPreference
  /// `attestationFormats`, or `none` alone where `attestation` is none (WebAuthn L3 §5.1.3).
  public var attestationFormats: [String]
  /// `extensions`, an object where present.
  public var extensions: JSONValue?
}

/// Which kind of authenticator is wanted (WebAuthn L3 §5.4.5).
public enum AuthenticatorAttachment: String, Hashable, Sendable {
  /// Built into the device that the client runs on.
  case platform
  /// One that moves between devices, such as a security key.
  case crossPlatform = "cross-platform"
}

/// Whether a discoverable credential is wanted (WebAuthn L3 §5.4.6).
public enum ResidentKeyRequirement: String, Hashable, Sendable, CaseIterable {
  /// Rather not.
  case discouraged
  /// Where the key can.
  case preferred
  /// Or nothing.
  case required
}

/// Whether the user is to be verified (WebAuthn L3 §5.8.6).
public enum UserVerificationRequirement: String, Hashable, Sendable, CaseIterable {
  /// Or nothing.
  case required
  /// Where the key can.
  case preferred
  /// Rather not.
  case discouraged
}

/// How the attestation is to be conveyed (WebAuthn L3 §5.4.7).
public enum AttestationPreference: String, Hashable, Sendable, CaseIterable {
  /// Not at all.
  case none
  /// As the client likes.
  case indirect
  /// As the key made it.
  case direct
  /// One that identifies the key, where policy allows it.
  case enterprise
}

/// What the relying party expects to be used; never binding (WebAuthn L3 §5.8.8).
public enum CredentialHint: String, Hashable, Sendable {
  /// A security key.
  case securityKey = "security-key"
  /// The device itself.
  case clientDevice = "client-device"
  /// A phone.
  case hybrid
}
