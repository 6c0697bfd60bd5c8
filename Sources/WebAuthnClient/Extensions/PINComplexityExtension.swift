internal import CBOR

/// `pinComplexityPolicy`: has the key tell in the authenticator data whether its PIN keeps to a policy beyond its length
/// (CTAP 2.2 §12.6).
public struct PINComplexityExtension: ClientExtension {
  /// Creates the extension.
  public init() {}

  /// `pinComplexityPolicy`.
  public var identifier: String { "pinComplexityPolicy" }

  /// Wants `true`.
  public func registration(
    _ inputs: ExtensionInputs, _ request: RegistrationRequest
  ) throws(WebAuthnError) -> ExtensionReading<any RegistrationExtension> {
    inputs.flag(identifier).work { _ in Work() }
  }

  private struct Work: RegistrationExtension {
    func authenticatorInputs(for authenticator: AuthenticatorInfo, residentKey: Bool) -> [String: CBORValue] {
      authenticator.supports("pinComplexityPolicy") ? ["pinComplexityPolicy": .bool(true)] : [:]
    }
  }
}
