/// The ways in which a key can verify a person, as the FIDO registry of predefined values numbers them (§3.1).
public struct UserVerificationMethods: OptionSet, Hashable, Sendable {
  /// The bits.
  public let rawValue: UInt64

  /// Creates a set from its bits, known or not.
  public init(rawValue: UInt64) { self.rawValue = rawValue }

  /// A touch.
  public static let presenceInternal = UserVerificationMethods(rawValue: 0x0001)
  /// A fingerprint.
  public static let fingerprintInternal = UserVerificationMethods(rawValue: 0x0002)
  /// A PIN that is entered on the key.
  public static let passcodeInternal = UserVerificationMethods(rawValue: 0x0004)
  /// A voice.
  public static let voiceprintInternal = UserVerificationMethods(rawValue: 0x0008)
  /// A face.
  public static let faceprintInternal = UserVerificationMethods(rawValue: 0x0010)
  /// A place.
  public static let locationInternal = UserVerificationMethods(rawValue: 0x0020)
  /// An iris or a retina.
  public static let eyeprintInternal = UserVerificationMethods(rawValue: 0x0040)
  /// A pattern that is drawn on the key.
  public static let patternInternal = UserVerificationMethods(rawValue: 0x0080)
  /// A hand.
  public static let handprintInternal = UserVerificationMethods(rawValue: 0x0100)
  /// Nothing at all.
  public static let none = UserVerificationMethods(rawValue: 0x0200)
  /// All of the methods named here, together.
  public static let all = UserVerificationMethods(rawValue: 0x0400)
  /// A PIN that is entered on the platform.
  public static let passcodeExternal = UserVerificationMethods(rawValue: 0x0800)
  /// A pattern that is drawn on the platform.
  public static let patternExternal = UserVerificationMethods(rawValue: 0x1000)

  /// The registry's names of the methods in the set, in the order of their bits; other bits as a number.
  public var names: [String] {
    var rest = rawValue
    var names: [String] = []
    for (position, name) in Self.registry.enumerated() where rawValue & 1 << UInt64(position) != 0 {
      names.append(name)
      rest &= ~(1 << UInt64(position))
    }
    if rest != 0 { names.append("0x" + String(rest, radix: 16)) }
    return names
  }

  private static let registry = [
    "presence_internal", "fingerprint_internal", "passcode_internal", "voiceprint_internal", "faceprint_internal",
    "location_internal", "eyeprint_internal", "pattern_internal", "handprint_internal", "none", "all",
    "passcode_external", "pattern_external",
  ]
}
