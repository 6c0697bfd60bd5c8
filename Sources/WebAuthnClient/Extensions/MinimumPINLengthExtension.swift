internal import CBOR

/// `minPinLength`: has the key tell its minimum PIN length in the authenticator data (CTAP 2.1 §12.4).
public struct MinimumPINLengthExtension: ClientExtension {
  /// Creates the extension.
  public init() {}

  /// `minPinLength`.
  public var identifier: String { "minPinLength" }

  /// Wants `true`.
  public func registration(
    _ inputs: ExtensionInputs, _ request: RegistrationRequest
  ) throws(WebAuthnError) -> ExtensionReading<any RegistrationExtension> {
    inputs.flag(identifier).work { _ in Work() }
  }

  private struct Work: RegistrationExtension {
    func authenticatorInputs(for authenticator: AuthenticatorInfo, residentKey: Bool) -> [String: CBORValue] {
      authenticator.supports("minPinLength") ? ["minPinLength": .bool(true)] : [:]
    }
  }
}
