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
  /// Whether keys may be spoken to in U2F.
  public var u2f: U2FUse

  /// Creates the options; what is left out is the usual.
  public init(
    key: KeyChoice = .any, timeout: Duration? = nil, waitsForKey: Bool = true, strictExtensions: Bool = false,
    u2f: U2FUse = .automatic
  ) {
    self.key = key
    self.timeout = timeout
    self.waitsForKey = waitsForKey
    self.strictExtensions = strictExtensions
    self.u2f = u2f
  }
}

/// Whether U2F (CTAP1), which older keys speak and newer ones beside FIDO2, may be used in a ceremony.
public enum U2FUse: String, Hashable, Sendable, CaseIterable {
  /// With no key; those that speak nothing else are skipped.
  case never
  /// With keys that speak nothing else. For a registration also with those that would verify their user before anything is
  /// made, although the request does without, and for a sign-in under an AppID.
  case automatic = "auto"
  /// With every key; those that don't speak it are skipped.
  case force
}
