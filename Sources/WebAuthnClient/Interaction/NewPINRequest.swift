/// A question for a PIN that a key is to have from now on.
///
/// Whoever asks a person asks twice and compares: a PIN that was mistyped shuts its owner out.
public struct NewPINRequest: Sendable {
  /// Why it is asked.
  public enum Occasion: Hashable, Sendable {
    /// The key has no PIN and gets its first one.
    case first
    /// The key has a PIN, which is replaced.
    case replacement
    /// The one given before cannot be the PIN, for the reason given.
    case unusable(String)
  }

  /// The key that gets it.
  public var authenticator: AuthenticatorInfo
  /// Why it is asked.
  public var occasion: Occasion
  /// How often it has been asked, this time included.
  public var attempt: Int
  /// The fewest Unicode code points that the key takes.
  public var minimumLength: Int
  /// The most Unicode code points that the key takes; it has 63 bytes of UTF-8 at most besides.
  public var maximumLength: Int

  /// Creates a question.
  public init(
    authenticator: AuthenticatorInfo, occasion: Occasion, attempt: Int, minimumLength: Int, maximumLength: Int
  ) {
    self.authenticator = authenticator
    self.occasion = occasion
    self.attempt = attempt
    self.minimumLength = minimumLength
    self.maximumLength = maximumLength
  }
}
