internal import CBOR
internal import JSONText

/// `payment`: marks the credential for payments that other sites ask for, and asks at sign-in whether it is marked
/// (Secure Payment Confirmation §5, CTAP 2.2 §12.9 `thirdPartyPayment`).
///
/// The key's answer is in the authenticator data. A payment's own client data, of the type `payment.get`, is for browsers
/// to show and to make.
public struct PaymentExtension: ClientExtension {
  private static let name = "thirdPartyPayment"

  /// Creates the extension.
  public init() {}

  /// `payment`.
  public var identifier: String { "payment" }

  /// Wants an object with `true` in `isPayment`.
  public func registration(
    _ inputs: ExtensionInputs, _ request: RegistrationRequest
  ) throws(WebAuthnError) -> ExtensionReading<any RegistrationExtension> {
    try reading(inputs).work { _ in Work() }
  }

  /// Wants an object with `true` in `isPayment`.
  public func authentication(
    _ inputs: ExtensionInputs, _ request: AuthenticationRequest
  ) throws(WebAuthnError) -> ExtensionReading<any AuthenticationExtension> {
    try reading(inputs).work { _ in Work() }
  }

  private func reading(_ inputs: ExtensionInputs) throws(WebAuthnError) -> ExtensionReading<Void> {
    guard let value = inputs[identifier] else { return .notRequested }
    guard value.kind == .object else { return .malformed("\(value.path) is \(value.found); expected an object") }
    guard let member = try JSONObjectReader(object: value).optional("isPayment") else { return .notRequested }
    guard let isPayment = member.boolValue else {
      return .malformed("\(member.path) is \(member.found); expected true or false")
    }
    return isPayment ? .honoured(()) : .notRequested
  }

  private struct Work: RegistrationExtension, AuthenticationExtension {
    func authenticatorInputs(for authenticator: AuthenticatorInfo, residentKey: Bool) -> [String: CBORValue] {
      authenticator.supports(PaymentExtension.name) ? [PaymentExtension.name: .bool(true)] : [:]
    }

    func authenticatorInputs(
      for authenticator: AuthenticatorInfo, credentialID: [UInt8]?
    ) -> [String: CBORValue] {
      authenticatorInputs(for: authenticator, residentKey: false)
    }
  }
}
