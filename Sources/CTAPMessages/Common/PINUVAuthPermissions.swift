/// What a PIN/UV token may be used for (CTAP 2.3 §6.5.5.7); bits that are not known are kept.
public struct PINUVAuthPermissions: OptionSet, Hashable, Sendable {
  /// The bits.
  public let rawValue: Int

  /// Creates a set from its bits.
  public init(rawValue: Int) { self.rawValue = rawValue }

  /// Creating credentials (`mc`).
  public static let makeCredential = PINUVAuthPermissions(rawValue: 0x01)
  /// Signing in (`ga`).
  public static let getAssertion = PINUVAuthPermissions(rawValue: 0x02)
  /// Listing, renaming and deleting credentials (`cm`).
  public static let credentialManagement = PINUVAuthPermissions(rawValue: 0x04)
  /// Enrolling and removing fingerprints (`be`).
  public static let bioEnrollment = PINUVAuthPermissions(rawValue: 0x08)
  /// Writing the large-blob array (`lbw`).
  public static let largeBlobWrite = PINUVAuthPermissions(rawValue: 0x10)
  /// Changing the key's settings (`acfg`).
  public static let authenticatorConfiguration = PINUVAuthPermissions(rawValue: 0x20)
  /// Listing credentials with a token that outlives the session (`pcmr`).
  public static let persistentCredentialManagementReadOnly = PINUVAuthPermissions(rawValue: 0x40)
}
