public import CBOR

/// The options in a key's getInfo response, each as sent; an absent one is nil and not its default.
public struct AuthenticatorOptions: Hashable, Sendable {
  /// The options by name.
  public var values: [String: Bool]
  /// Entries that are not an option: keys that are not text, and unknown names whose value is not a boolean.
  public var additional: CBORMap

  /// Creates options with none set.
  public init() {
    values = [:]
    additional = CBORMap()
  }

  /// Creates options.
  public init(_ values: [String: Bool], additional: CBORMap = CBORMap()) {
    self.values = values
    self.additional = additional
  }

  /// An option by its name in the specification, such as `clientPin`; nil where the key does not mention it.
  public subscript(name: String) -> Bool? {
    get { values[name] }
    set { values[name] = newValue }
  }

  /// An option that the specification names; nil where the key does not mention it.
  public subscript(option: AuthenticatorOption) -> Bool? {
    get { values[option.rawValue] }
    set { values[option.rawValue] = newValue }
  }
}

extension AuthenticatorOptions: ExpressibleByDictionaryLiteral {
  /// Writes options as a literal; a name that comes twice keeps its last value.
  public init(dictionaryLiteral elements: (String, Bool)...) {
    self.init(Dictionary(elements) { _, last in last })
  }
}

/// An option that the specification names (CTAP 2.3 §6.4).
public enum AuthenticatorOption: String, CaseIterable, Hashable, Sendable {
  /// Built into the platform and not removable; false by default.
  case plat
  /// Can hold discoverable credentials; false by default.
  case rk
  /// True: a PIN is set; false: one can be set; absent: it has none.
  case clientPin
  /// Can test that a person is present; true by default.
  case up
  /// True: verification built in and set up; false: built in, not set up; absent: not built in.
  case uv
  /// Hands out PIN/UV tokens with permissions; false by default.
  case pinUvAuthToken
  /// Gives no token for makeCredential and getAssertion for a PIN; false by default.
  case noMcGaPermissionsWithClientPin
  /// Has a large-blob array; false by default.
  case largeBlobs
  /// True: enterprise attestation is on; false: it can be switched on; absent: it has none.
  case ep
  /// True: fingerprints are enrolled; false: they can be enrolled; absent: not by this command.
  case bioEnroll
  /// As `bioEnroll`, for the preview of that command.
  case userVerificationMgmtPreview
  /// Fingerprints can be enrolled with a token for built-in verification; false by default.
  case uvBioEnroll
  /// Has authenticatorConfig; false by default.
  case authnrCfg
  /// Can be configured with a token for built-in verification; false by default.
  case uvAcfg
  /// Has credential management; false by default.
  case credMgmt
  /// Hands out persistent tokens for listing credentials; false by default.
  case perCredMgmtRO
  /// Has the preview of credential management; false by default.
  case credentialMgmtPreview
  /// The minimum PIN length can be set; false by default.
  case setMinPINLength
  /// Creates credentials that are not discoverable without verification; false by default.
  case makeCredUvNotRqd
  /// True: always verifies; false: that can be switched on; absent: it cannot.
  case alwaysUv

  /// What absence means; nil for options where absence is a third state.
  public var defaultValue: Bool? {
    switch self {
    case .up: true
    case .clientPin, .uv, .ep, .bioEnroll, .userVerificationMgmtPreview, .alwaysUv: nil
    default: false
    }
  }
}
