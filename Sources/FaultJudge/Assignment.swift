public import CTAPMessages
public import Timing

/// What a host was told to do with a key, and by when.
public struct Assignment: Sendable {
  /// What was to be done.
  public enum Task: Sendable {
    /// Ask the key what it is.
    case info
    /// Register a credential.
    case registration(Registration)
    /// Sign in with a credential.
    case signIn(SignIn)
  }

  /// A registration as it was asked for.
  public struct Registration: Sendable {
    /// The RP ID.
    public var rpID: String
    /// The origin that the client data must name.
    public var origin: String
    /// The challenge that the client data must hold.
    public var challenge: [UInt8]
    /// The COSE numbers of the algorithms that are allowed.
    public var algorithms: [Int]
    /// Whether a discoverable credential is wanted.
    public var isResident: Bool
    /// Whether the user must be verified.
    public var demandsVerification: Bool

    /// Creates a registration.
    public init(
      rpID: String, origin: String, challenge: [UInt8], algorithms: [Int], isResident: Bool, demandsVerification: Bool
    ) {
      self.rpID = rpID
      self.origin = origin
      self.challenge = challenge
      self.algorithms = algorithms
      self.isResident = isResident
      self.demandsVerification = demandsVerification
    }
  }

  /// What was to be done.
  public var task: Task
  /// When it had to be over.
  public var deadline: Instant
  /// How long after the deadline the host may still be busy with ending what the key does.
  public var overtime: Duration
  /// How the same task ends where nothing disturbs it, or nil while that is being found out.
  public var undisturbed: HostReport.Outcome?

  /// Creates an assignment.
  public init(task: Task, deadline: Instant, overtime: Duration, undisturbed: HostReport.Outcome? = nil) {
    self.task = task
    self.deadline = deadline
    self.overtime = overtime
    self.undisturbed = undisturbed
  }
}

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

  /// The parts of a sign-in's response.
  public struct Assertion: Hashable, Sendable {
    /// The credential's id.
    public var credentialID: [UInt8]
    /// The client data.
    public var clientDataJSON: [UInt8]
    /// The authenticator data as it was signed.
    public var authenticatorData: [UInt8]
    /// The signature.
    public var signature: [UInt8]
    /// Whose credential it is, where the key said so.
    public var userHandle: [UInt8]?

    /// Creates an assertion.
    public init(
      credentialID: [UInt8], clientDataJSON: [UInt8], authenticatorData: [UInt8], signature: [UInt8],
      userHandle: [UInt8]?
    ) {
      self.credentialID = credentialID
      self.clientDataJSON = clientDataJSON
      self.authenticatorData = authenticatorData
      self.signature = signature
      self.userHandle = userHandle
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
    /// Whether it is the host's own fault, or no typed error at all.
    public var isUnnamed: Bool

    /// Creates a failure.
    public init(
      kind: String, text: String, saysCredentialExists: Bool, credentialID: [UInt8]? = nil, isUnnamed: Bool = false
    ) {
      self.kind = kind
      self.text = text
      self.saysCredentialExists = saysCredentialExists
      self.credentialID = credentialID
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
