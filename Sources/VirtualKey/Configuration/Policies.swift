public import CTAPMessages

/// Who touches a virtual key, and when.
///
/// A call of `touch()` counts under every policy.
public enum PresencePolicy: Sendable {
  /// The key is touched at the moment it asks.
  case auto
  /// The closure is told and decides through the request, then or later, from any thread; it must not block.
  case ask(@Sendable (TouchRequest) -> Void)
  /// Nobody touches the key by itself: only `touch()` does, such as on a signal.
  case never
  /// The key is touched this long after it asks.
  case after(Duration)
}

/// What the simulated sensor of built-in user verification finds.
public enum VerificationPolicy: Hashable, Sendable {
  /// The right finger, each time.
  case succeeds
  /// A wrong finger, each time; each costs a try.
  case fails
  /// No tries are left.
  case blocked
}

/// What the simulated sensor says to each sample of an enrolment.
public struct FingerprintPolicy: Hashable, Sendable {
  /// What it says to the samples in order, from the first again after the last; empty for nothing but good ones.
  public var samples: [EnrollSampleStatus]

  /// Creates a policy.
  public init(samples: [EnrollSampleStatus] = []) {
    self.samples = samples
  }

  func sample(_ number: Int) -> EnrollSampleStatus {
    samples.isEmpty ? .good : samples[number % samples.count]
  }
}

/// What the backup flags of a virtual key's credentials say (WebAuthn L3 §6.1.3).
public enum BackupPolicy: Hashable, Sendable, CaseIterable {
  /// Device-bound: BE and BS clear.
  case none
  /// Syncable and not backed up now: BE set, BS clear.
  case eligible
  /// Syncable and backed up: BE and BS set.
  case backedUp

  /// The flags in authenticator data.
  var flags: AuthenticatorData.Flags {
    switch self {
    case .none: []
    case .eligible: [.backupEligible]
    case .backedUp: [.backupEligible, .backedUp]
    }
  }
}

/// How a virtual key attests new credentials.
public enum AttestationPolicy: Hashable, Sendable, CaseIterable {
  /// Format packed, with a certificate of the virtual key's own.
  ///
  /// A key whose maxMsgSize cannot hold the answer with its certificate attests by itself instead.
  case packed
  /// Format packed, signed by the new credential itself.
  case selfSigned
  /// Format none.
  case none
}

/// How long a virtual key waits for a touch, and what it says when none came.
public struct TouchTimeout: Hashable, Sendable {
  /// The patience.
  public var duration: Duration
  /// The status: keys in the field say USER_ACTION_TIMEOUT, OPERATION_DENIED or ACTION_TIMEOUT.
  public var status: CTAPStatus

  /// Creates a time-out.
  public init(after duration: Duration = .seconds(30), status: CTAPStatus = .userActionTimeout) {
    self.duration = duration
    self.status = status
  }
}
