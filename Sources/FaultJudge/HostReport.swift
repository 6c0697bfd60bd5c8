public import CTAPMessages
public import Timing

/// What a host says at the end.
public struct HostReport: Sendable {
  /// How it ended.
  public enum Outcome: Sendable {
    /// With what the key says of itself.
    case info(GetInfoResponse)
    /// With a response for the relying party.
    case registration(Response)
    /// With an assertion for the relying party.
    case assertion(Assertion)
    /// With the credentials on the key.
    case listing([ListedCredential])
    /// With word that the change was made.
    case changed
    /// With an error.
    case failure(Failure)
    /// Not at all: it was stopped because it went round and round.
    case never
  }

  /// The parts of a registration's response that say something about the credential.
  public struct Response: Hashable, Sendable {
    /// The credential's id.
    public var credentialID: [UInt8]
    /// The client data.
    public var clientDataJSON: [UInt8]
    /// The attestation object in CBOR.
    public var attestationObject: [UInt8]
    /// The ways to reach the key.
    public var transports: [String]

    /// Creates a response.
    public init(
      credentialID: [UInt8], clientDataJSON: [UInt8], attestationObject: [UInt8], transports: [String]
    ) {
      self.credentialID = credentialID
      self.clientDataJSON = clientDataJSON
      self.attestationObject = attestationObject
      self.transports = transports
    }
  }

  /// An error.
  public struct Failure: Hashable, Sendable {
    /// The case of the typed error, such as `timedOut`.
    public var kind: String
    /// The sentence for people.
    public var text: String
    /// Whether it says that a credential exists, or may exist, that is not returned.
    public var saysCredentialExists: Bool
    /// The id of that credential, where the error has it.
    public var credentialID: [UInt8]?
    /// Whether it says that a change may have been made.
    public var saysChangeUncertain: Bool
    /// Whether it is the host's own fault, or no typed error at all.
    public var isUnnamed: Bool

    /// Creates a failure.
    public init(
      kind: String, text: String, saysCredentialExists: Bool, credentialID: [UInt8]? = nil,
      saysChangeUncertain: Bool = false, isUnnamed: Bool = false
    ) {
      self.kind = kind
      self.text = text
      self.saysCredentialExists = saysCredentialExists
      self.credentialID = credentialID
      self.saysChangeUncertain = saysChangeUncertain
      self.isUnnamed = isUnnamed
    }
  }

  /// How it ended.
  public var outcome: Outcome
  /// How often a person typed a PIN.
  public var typedPINs: Int
  /// When it ended.
  public var end: Instant

  /// Creates a report.
  public init(outcome: Outcome, typedPINs: Int, end: Instant) {
    self.outcome = outcome
    self.typedPINs = typedPINs
    self.end = end
  }
}
