/// One thing that a relying party looks at in a response, and what was found.
public struct Check: Hashable, Sendable {
  /// How a check ended.
  public enum Outcome: Hashable, Sendable {
    /// The response is as it must be; the text says what was seen, and may be empty.
    case passed(String)
    /// It is not, and why.
    case failed(String)
    /// Nothing was decided, and why.
    case notChecked(String)
  }

  /// What was looked at.
  public let subject: Subject
  /// What was found.
  public let outcome: Outcome

  /// Whether the check failed.
  public var isFailure: Bool {
    if case .failed = outcome { true } else { false }
  }

  /// What the checks are about, in the order of WebAuthn L3 §7.1 and §7.2.
  public enum Subject: String, Hashable, Sendable, CaseIterable {
    /// The response's `type` is `public-key`.
    case type
    /// `id`, `rawId` and the authenticator's own identifier are the same.
    case credentialID = "id"
    /// The credential is one of those that the request allows.
    case allowed = "allowCredentials"
    /// The credential belongs to the user that the response names.
    case userHandle
    /// The client data is JSON of the ceremony's kind.
    case clientData = "clientDataJSON"
    /// The challenge is the request's.
    case challenge
    /// The origin is the relying party's.
    case origin
    /// The ceremony was in no foreign page, or in one that is expected.
    case crossOrigin
    /// The attestation object, or the authenticator data of a sign-in, can be read.
    case authenticatorData
    /// The RP ID's hash is the one of the request's RP ID.
    case relyingPartyID = "rpIdHash"
    /// A person was present.
    case userPresent
    /// The person was verified, where the request demands it.
    case userVerified
    /// BE and BS fit each other, and BE what it was at the registration.
    case backup
    /// The algorithm is one that the request offers.
    case algorithm
    /// The public key can be used.
    case publicKey
    /// The response's copies of parts of the attestation object are the same as there.
    case copies
    /// The statement was made over this very answer.
    case attestation
    /// The attestation's certificate keeps its format's rules.
    case attestationCertificate
    /// The certificates lead to a trust anchor.
    case trustChain
    /// The signature is the credential's.
    case signature
    /// The signature counter has grown.
    case counter = "signCount"
    /// The extension results.
    case extensions
    /// No other account has the credential.
    case unused
    /// The credential comes from a registration that was verified.
    case registration
  }

  /// Creates a finding.
  public init(_ subject: Subject, _ outcome: Outcome) {
    self.subject = subject
    self.outcome = outcome
  }
}

/// The checks of a verification, in order.
struct CheckList {
  private(set) var checks: [Check] = []
  private let stopsAtFirstFailure: Bool
  private var hasFailed = false

  init(stopsAtFirstFailure: Bool) { self.stopsAtFirstFailure = stopsAtFirstFailure }

  /// Makes a check, unless one has failed before and that is enough.
  mutating func check(_ subject: Check.Subject, _ outcome: () -> Check.Outcome) {
    guard !(hasFailed && stopsAtFirstFailure) else { return }
    let check = Check(subject, outcome())
    hasFailed = hasFailed || check.isFailure
    checks.append(check)
  }

  /// Makes a check that passes or fails.
  mutating func require(_ subject: Check.Subject, _ holds: Bool, else reason: @autoclosure () -> String) {
    check(subject) { holds ? .passed("") : .failed(reason()) }
  }
}
