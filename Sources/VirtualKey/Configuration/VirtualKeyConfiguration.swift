public import CTAPHID
public import Octets

/// Everything about a virtual key that its maker, its owner and its user decide.
///
/// A virtual key protects nothing: whoever can read its memory or its store has its keys. It is for tests, demos and
/// trying things out.
public struct VirtualKeyConfiguration: Sendable {
  /// The limits and options, as getInfo tells them.
  public var profile: VirtualKeyProfile
  /// Who touches the key, and when.
  public var presence: PresencePolicy
  /// What the simulated sensor says where the profile has built-in user verification.
  public var verification: VerificationPolicy
  /// What the simulated sensor says to the samples of an enrolment.
  public var fingerprints: FingerprintPolicy
  /// What the backup flags of credentials say.
  public var backup: BackupPolicy
  /// How new credentials are attested.
  public var attestation: AttestationPolicy
  /// The PIN that is set where the store has none; nil leaves it to the profile.
  ///
  /// A profile with `clientPin: true` has a PIN from the first moment: without this one it is random, so that a host
  /// has to ask for it and nothing it can send is right.
  public var pin: SecretBytes?
  /// What goes wrong on purpose.
  public var faults: FaultPlan
  /// The status and the patience of a touch that never comes.
  public var touchTimeout: TouchTimeout
  /// Extensions that give back what they are given, for trying out how a host passes on those it does not know.
  public var echoExtensions: [EchoExtension]
  /// The RP IDs that may read the minimum PIN length and the policy on PINs, beside those in the store.
  public var minimumPINLengthRPIDs: [String]
  /// The RP IDs that vendor-facilitated enterprise attestation is given to (CTAP 2.1 §7.1.1).
  public var enterpriseRPIDs: [String]
  /// How the key presents itself on the bus.
  public var identity: VirtualKeyIdentity
  /// The sizes of the key's reports.
  public var reportSizes: ReportSizes
  /// The number of log entries that are kept; older ones go.
  public var logLimit: Int
  /// Called with each log entry as it is written, on the thread that drives the key.
  public var observer: (@Sendable (VirtualKeyLogEntry) -> Void)?

  /// Creates a configuration: a CTAP 2.1 key without a PIN that is touched at once, device-bound, attested by certificate.
  public init(
    profile: VirtualKeyProfile = .standard, presence: PresencePolicy = .auto,
    verification: VerificationPolicy = .succeeds, backup: BackupPolicy = .none,
    attestation: AttestationPolicy = .packed, pin: SecretBytes? = nil, faults: FaultPlan = FaultPlan()
  ) {
    self.profile = profile
    self.presence = presence
    self.verification = verification
    self.backup = backup
    self.attestation = attestation
    self.pin = pin
    self.faults = faults
    touchTimeout = TouchTimeout()
    fingerprints = FingerprintPolicy()
    echoExtensions = []
    minimumPINLengthRPIDs = []
    enterpriseRPIDs = []
    identity = VirtualKeyIdentity()
    reportSizes = .standard
    logLimit = 10_000
    observer = nil
  }
}

/// How a virtual key presents itself on the bus.
public struct VirtualKeyIdentity: Hashable, Sendable {
  /// The USB vendor number; 0x1209 is pid.codes, for projects without a number of their own.
  public var vendorID: UInt16
  /// The USB product number; 0x0001 is a test number of pid.codes.
  public var productID: UInt16
  /// The vendor's name.
  public var vendor: String
  /// The product's name.
  public var product: String
  /// The serial number.
  public var serialNumber: String?
  /// The version in the answer to INIT.
  public var deviceVersion: DeviceVersion

  /// Creates an identity.
  public init(
    vendorID: UInt16 = 0x1209, productID: UInt16 = 0x0001, vendor: String = "CTAPBridge",
    product: String = "Virtual Key", serialNumber: String? = nil
  ) {
    self.vendorID = vendorID
    self.productID = productID
    self.vendor = vendor
    self.product = product
    self.serialNumber = serialNumber
    deviceVersion = DeviceVersion(major: 1, minor: 0, build: 0)
  }
}
