public import CTAPHID
public import CTAPMessages
public import Octets

/// The person at the other end: told what happens, asked for a PIN, for a name and for an account.
///
/// Prompts run against the ceremony's deadline; one that does not answer in time is left behind, and its task is cancelled.
/// A prompt suspends and does not block: a read that blocks belongs on a thread of its own.
public protocol UserInteraction: Sendable {
  /// Whether there is anybody who could plug in a key or answer; where not, nothing is waited for.
  var isAttended: Bool { get }

  /// Takes an event; called in order, from any thread, and must return at once.
  func notify(_ event: CeremonyEvent)

  /// Asks for the key's PIN; nil where none is to be had.
  func requestPIN(_ request: PINRequest) async throws(UserCancelled) -> SecretBytes?

  /// Asks what the key that was chosen shall be called; nil declines to name it, a blank name takes the suggestion.
  func retrieveAuthenticatorDescription(
    _ authenticator: AuthenticatorInfo
  ) async throws(UserCancelled) -> AuthenticatorDescriptor?

  /// Asks which of several accounts is meant; nil where it is none of them, which ends the sign-in.
  func chooseAccount(_ request: AccountRequest) async throws(UserCancelled) -> Account?

  /// Asks for the PIN that a key is to have from now on; nil where none is to be had.
  func requestNewPIN(_ request: NewPINRequest) async throws(UserCancelled) -> SecretBytes?

  /// Asks whether something may be done that can't be undone; nil where there is nobody to ask.
  func confirm(_ request: ConfirmationRequest) async throws(UserCancelled) -> Bool?
}

extension UserInteraction {
  /// Somebody is there.
  public var isAttended: Bool { true }

  /// Events are not shown.
  public func notify(_ event: CeremonyEvent) {}

  /// No PIN is to be had.
  public func requestPIN(_ request: PINRequest) async throws(UserCancelled) -> SecretBytes? { nil }

  /// The suggested name is taken.
  public func retrieveAuthenticatorDescription(
    _ authenticator: AuthenticatorInfo
  ) async throws(UserCancelled) -> AuthenticatorDescriptor? {
    AuthenticatorDescriptor(friendlyName: authenticator.suggestedName)
  }

  /// The first account is taken, that of the newest credential.
  public func chooseAccount(_ request: AccountRequest) async throws(UserCancelled) -> Account? {
    request.accounts.first
  }

  /// No PIN is to be had.
  public func requestNewPIN(_ request: NewPINRequest) async throws(UserCancelled) -> SecretBytes? { nil }

  /// There is nobody to ask.
  public func confirm(_ request: ConfirmationRequest) async throws(UserCancelled) -> Bool? { nil }
}

/// Nobody: no PIN, the suggested name, no waiting for keys.
public struct NoInteraction: UserInteraction {
  /// Creates it.
  public init() {}

  /// Nobody is there.
  public var isAttended: Bool { false }
}

/// The user chose to end the ceremony at a prompt.
public struct UserCancelled: Error, Hashable, Sendable {
  /// Creates it.
  public init() {}
}

/// A question for a PIN.
public struct PINRequest: Sendable {
  /// Why it is asked.
  public enum Occasion: Hashable, Sendable {
    /// The key needs its PIN.
    case needed
    /// Built-in user verification is blocked or failed, so the PIN stands in.
    case insteadOfBuiltIn
    /// The PIN given before was wrong.
    case wrong
    /// The PIN given before cannot be one, for the reason given; the key has not seen it.
    case unusable(String)
  }

  /// The key that wants it.
  public var authenticator: AuthenticatorInfo
  /// How many wrong PINs the key accepts before it blocks; nil where it does not say.
  public var retriesLeft: Int?
  /// Why it is asked.
  public var occasion: Occasion
  /// How often it has been asked in this ceremony, this time included.
  public var attempt: Int
  /// The least number of Unicode code points that the key's PIN has.
  public var minimumLength: Int
  /// Whether it goes on without a PIN too, only with less to tell; an empty answer declines.
  public var isOptional: Bool

  /// Creates a question.
  public init(
    authenticator: AuthenticatorInfo, retriesLeft: Int?, occasion: Occasion, attempt: Int, minimumLength: Int,
    isOptional: Bool = false
  ) {
    self.authenticator = authenticator
    self.retriesLeft = retriesLeft
    self.occasion = occasion
    self.attempt = attempt
    self.minimumLength = minimumLength
    self.isOptional = isOptional
  }
}

/// Something a person may want to know while a ceremony runs.
public enum CeremonyEvent: Sendable {
  /// A key is there and has been asked for its abilities.
  case keyFound(AuthenticatorInfo)
  /// A key is there and is not used, for the reason given.
  case keySkipped(KeyDescription, reason: String)
  /// A key was pulled out.
  case keyRemoved(KeyDescription)
  /// No key that suits is there; one is waited for, for the time given.
  case waitingForKey(Duration)
  /// Several keys suit and all of them blink: touch the one to use.
  case touchToSelect([KeyDescription])
  /// The key that will be used.
  case keySelected(AuthenticatorInfo)
  /// The key waits for a touch.
  case touchNeeded(AuthenticatorInfo)
  /// The key waits for its own user verification, such as a finger.
  case verificationNeeded(AuthenticatorInfo, retriesLeft: Int?)
  /// The key is at work.
  case working(AuthenticatorInfo)
  /// The key waits for a finger on its sensor, for this many more samples where it says how many.
  case fingerNeeded(AuthenticatorInfo, samplesLeft: Int?)
  /// The key took a fingerprint sample, and says how good it was and how many more it needs.
  case fingerSampled(AuthenticatorInfo, EnrollSampleStatus, samplesLeft: Int)
  /// The key must be pulled out now, and then plugged in again; what comes next needs a touch within this time of that.
  case replugNeeded(AuthenticatorInfo, touchWithin: Duration)
  /// Something long goes on: so many items of so many are done.
  case progress(AuthenticatorInfo, done: Int, total: Int)
  /// Something is not as it should be, and the ceremony goes on.
  case warning(String)
}
