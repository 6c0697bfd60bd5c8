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
    /// List the credentials on the key.
    case listing
    /// Change something on the key.
    case change(Change)
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
    /// Whether the key is to be spoken to in U2F.
    public var isU2F: Bool

    /// Creates a registration.
    public init(
      rpID: String, origin: String, challenge: [UInt8], algorithms: [Int], isResident: Bool, demandsVerification: Bool,
      isU2F: Bool = false
    ) {
      self.rpID = rpID
      self.origin = origin
      self.challenge = challenge
      self.algorithms = algorithms
      self.isResident = isResident
      self.demandsVerification = demandsVerification
      self.isU2F = isU2F
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
