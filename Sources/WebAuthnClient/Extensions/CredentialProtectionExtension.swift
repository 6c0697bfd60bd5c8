internal import CBOR
internal import CTAPMessages
internal import JSONText

/// `credProtect`: how much verification the credential wants when it is used (CTAP 2.1 §12.1).
public struct CredentialProtectionExtension: ClientExtension {
  private static let policyMember = "credentialProtectionPolicy"
  private static let enforceMember = "enforceCredentialProtectionPolicy"

  /// Creates the extension.
  public init() {}

  /// `credProtect`.
  public var identifier: String { "credProtect" }

  /// `credentialProtectionPolicy` and `enforceCredentialProtectionPolicy`.
  public var members: [String] { [Self.policyMember, Self.enforceMember] }

  /// Wants one of the three policies; `true` beside it lets only keys that have the extension take part.
  public func registration(
    _ inputs: ExtensionInputs, _ request: RegistrationRequest
  ) throws(WebAuthnError) -> ExtensionReading<any RegistrationExtension> {
    guard let policy = inputs[Self.policyMember] else { return .notRequested }
    guard let level = policy.stringValue.flatMap(Level.init(text:)) else {
      return .malformed(
        "\(policy.path) is \(policy.found); expected userVerificationOptional, "
          + "userVerificationOptionalWithCredentialIDList or userVerificationRequired")
    }
    guard let enforce = inputs[Self.enforceMember] else { return .honoured(Work(level: level, enforced: false)) }
    guard let enforced = enforce.boolValue else {
      return .malformed("\(enforce.path) is \(enforce.found); expected true or false")
    }
    return .honoured(Work(level: level, enforced: enforced && level != .optional))
  }

  private enum Level: UInt64, Sendable {
    case optional = 1
    case optionalWithList = 2
    case required = 3

    init?(text: String) {
      switch text {
      case "userVerificationOptional": self = .optional
      case "userVerificationOptionalWithCredentialIDList": self = .optionalWithList
      case "userVerificationRequired": self = .required
      default: return nil
      }
    }
  }

  private struct Work: RegistrationExtension {
    let level: Level
    let enforced: Bool

    func objection(to authenticator: AuthenticatorInfo) -> String? {
      enforced && !authenticator.supports("credProtect") ? "it cannot protect credentials as the request demands" : nil
    }

    func authenticatorInputs(for authenticator: AuthenticatorInfo, residentKey: Bool) -> [String: CBORValue] {
      authenticator.supports("credProtect") ? ["credProtect": .unsigned(level.rawValue)] : [:]
    }

    func outputs(for created: NewCredential) throws(ExtensionObjection) -> [ExtensionOutput] {
      // The client has no output of its own: the authenticator data tells.
      guard enforced else { return [] }
      guard case .unsigned(let granted)? = created.authenticatorData.extensions?["credProtect"],
        granted >= level.rawValue
      else { throw ExtensionObjection("the key did not protect the credential as the request demands") }
      return []
    }
  }
}
