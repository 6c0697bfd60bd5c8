extension GetInfoResponse {
  /// The size of messages that a key takes where it does not say: 1024 bytes.
  public static let defaultMaxMsgSize = 1024
  /// The fewest code points of a PIN where a key does not say.
  public static let defaultMinPINLength = 4
  /// The most code points of a PIN where a key does not say.
  public static let defaultMaxPINLength = 63

  /// Whether an option is on, with what absence means by the specification.
  ///
  /// Options with three states, such as `clientPin`, count as off where they are absent; `options` tells the
  /// difference.
  public func isOn(_ option: AuthenticatorOption) -> Bool {
    options?[option] ?? option.defaultValue ?? false
  }

  /// Whether the key speaks a version.
  public func supports(version: String) -> Bool { versions.contains(version) }

  /// Whether the key supports an extension.
  public func supports(extension identifier: String) -> Bool { extensions?.contains(identifier) ?? false }

  /// The largest message that the key takes, in bytes.
  public var effectiveMaxMsgSize: Int { maxMsgSize ?? Self.defaultMaxMsgSize }

  /// The most credentials in one list; 1 where the key does not say, or says 0.
  public var effectiveMaxCredentialCountInList: Int { max(1, maxCredentialCountInList ?? 1) }

  /// The fewest code points of a PIN; never less than 4.
  public var effectiveMinPINLength: Int { max(Self.defaultMinPINLength, minPINLength ?? 0) }

  /// The most code points of a PIN; never more than 63, which is also the most bytes.
  public var effectiveMaxPINLength: Int { min(Self.defaultMaxPINLength, maxPINLength ?? Self.defaultMaxPINLength) }

  /// The attestation formats that the key can make; `packed` where it does not say.
  public var effectiveAttestationFormats: [String] { attestationFormats ?? ["packed"] }

  /// Whether the PIN must be changed before the key gives out tokens for it.
  public var mustChangePIN: Bool { forcePINChange ?? false }
}
