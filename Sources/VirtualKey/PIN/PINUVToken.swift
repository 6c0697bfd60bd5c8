import CTAPMessages
import Octets
import Timing

/// The one PIN/UV token that is in use, and what it is good for (CTAP 2.1 §6.5.2.1, §6.5.3).
struct PINUVToken {
  /// The token of a key that knows permissions ends by these; the pinToken of a CTAP 2.0 key lasts until power goes.
  static let initialUsageLimit = Duration.seconds(30)
  static let userPresentLimit = Duration.seconds(30)
  static let maximumUsagePeriod = Duration.seconds(600)

  private(set) var secret: SecretBytes?
  private var version = 0
  private var isTimed = true
  private var begun = Instant(nanoseconds: 0)
  private var wasUsed = false
  private var isUserPresent = false
  private(set) var isUserVerified = false
  private(set) var permissions: PINUVAuthPermissions = []
  /// The only RP ID that it is good for; nil until there is one.
  private(set) var rpID: String?

  /// Begins to use a new token (beginUsingPinUvAuthToken).
  mutating func begin(
    _ secret: SecretBytes, version: Int, permissions: PINUVAuthPermissions, rpID: String?, userPresent: Bool,
    timed: Bool, now: Instant
  ) {
    self = PINUVToken()
    self.secret = secret
    self.version = version
    self.permissions = permissions
    self.rpID = rpID
    isUserPresent = userPresent
    isUserVerified = true
    isTimed = timed
    begun = now
  }

  /// Whether a MAC is the token's over a message; the first right one keeps it from running out unused.
  mutating func verifies(_ mac: [UInt8], of message: [UInt8], version: Int, now: Instant) -> Bool {
    expire(now)
    guard let secret, version == self.version else { return false }
    guard SharedSecret.verifies(mac, of: message, key: secret, version: version) else { return false }
    wasUsed = true
    return true
  }

  /// Whether the person was present when the token was given, and that is not too long ago.
  func userPresent(at now: Instant) -> Bool {
    isUserPresent && now.since(begun) < Self.userPresentLimit
  }

  /// Binds the token to an RP ID where it has none.
  mutating func bind(to rpID: String) {
    if isTimed, self.rpID == nil { self.rpID = rpID }
  }

  /// What a test of user presence ends: the flags, and all permissions but largeBlobWrite.
  mutating func wasSpent() {
    guard isTimed else { return }
    isUserPresent = false
    isUserVerified = false
    permissions.formIntersection(.largeBlobWrite)
  }

  private mutating func expire(_ now: Instant) {
    guard isTimed, secret != nil else { return }
    let age = now.since(begun)
    if age >= Self.maximumUsagePeriod || (!wasUsed && age >= Self.initialUsageLimit) { self = PINUVToken() }
  }
}
