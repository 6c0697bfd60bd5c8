internal import JSONText

/// `credProps`: tells whether the credential is discoverable (WebAuthn L3 §10.1.3).
public struct CredentialPropertiesExtension: ClientExtension {
  /// Creates the extension.
  public init() {}

  /// `credProps`.
  public var identifier: String { "credProps" }

  /// Wants `true`.
  public func registration(
    _ inputs: ExtensionInputs, _ request: RegistrationRequest
  ) throws(WebAuthnError) -> ExtensionReading<any RegistrationExtension> {
    inputs.flag(identifier).work { _ in Work() }
  }

  private struct Work: RegistrationExtension {
    func outputs(for created: NewCredential) throws(ExtensionObjection) -> [ExtensionOutput] {
      let key = KeyFacts(created.authenticator.abilities)
      // A CTAP 2.0 key may make a discoverable credential unasked, so "no" cannot be said of one (CTAP 2.1 §6.1.2); U2F
      // never makes one.
      let isKnown = created.residentKey || key.speaksCTAP21 || !key.speaksCTAP2
      return [ExtensionOutput("credProps", .object(isKnown ? [("rk", .bool(created.residentKey))] : []))]
    }
  }
}
