/// How one ceremony is to run.
public struct CeremonyOptions: Sendable {
  /// Which keys may be used.
  public enum KeyChoice: Hashable, Sendable {
    /// Any; with several, the one that is touched.
    case any
    /// The one with this identifier (its path) or this serial number; where it does not suit, the ceremony ends at once.
    case named(String)
  }

  /// Which keys may be used.
  public var key: KeyChoice
  /// The time for the whole ceremony, prompts included; wins over the request's and is not clamped.
  public var timeout: Duration?
  /// Whether a key may be waited for while none suits; somebody must also be there to plug one in.
  public var waitsForKey: Bool
  /// Whether an extension input that cannot be read refuses the request instead of being ignored with a warning.
  public var strictExtensions: Bool

  /// Creates the options; what is left out is the usual.
  public init(
    key: KeyChoice = .any, timeout: Duration? = nil, waitsForKey: Bool = true, strictExtensions: Bool = false
  ) {
    self.key = key
    self.timeout = timeout
    self.waitsForKey = waitsForKey
    self.strictExtensions = strictExtensions
  }
}
