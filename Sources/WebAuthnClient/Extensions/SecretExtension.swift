internal import CBOR
internal import CTAPMessages
internal import JSONText

/// `prf` and `hmacCreateSecret`: have the key make a secret with the credential (WebAuthn L3 §10.1.4, CTAP 2.1 §12.5).
///
/// At registration the answer is whether the secret exists; its values come with authentication.
public struct SecretExtension: ClientExtension {
  private static let secretMember = "hmacCreateSecret"

  /// Creates the extension.
  public init() {}

  /// `prf`.
  public var identifier: String { "prf" }

  /// `prf` and `hmacCreateSecret`.
  public var members: [String] { [identifier, Self.secretMember] }

  /// Wants an object in `prf`, or `true` in `hmacCreateSecret`, or both.
  /// - Throws: `NotSupportedError` for `evalByCredential`, which has no meaning before the credential exists.
  public func registration(
    _ inputs: ExtensionInputs, _ request: RegistrationRequest
  ) throws(WebAuthnError) -> ExtensionReading<any RegistrationExtension> {
    let prf = inputs[identifier]
    if let prf, prf.kind != .object { return .malformed("\(prf.path) is \(prf.found); expected an object") }
    if let byCredential = prf?["evalByCredential"] {
      throw WebAuthnError(
        .notSupportedError, .badRequest, "\(byCredential.path) is there; expected none in a registration.")
    }
    switch inputs.flag(Self.secretMember) {
    case .malformed(let problem): return .malformed(problem)
    case .honoured: return .honoured(Work(prf: prf != nil, secret: true))
    case .notRequested: return prf == nil ? .notRequested : .honoured(Work(prf: true, secret: false))
    }
  }

  private struct Work: RegistrationExtension {
    let prf: Bool
    let secret: Bool

    func authenticatorInputs(for authenticator: AuthenticatorInfo) -> [String: CBORValue] {
      authenticator.supports("hmac-secret") ? ["hmac-secret": .bool(true)] : [:]
    }

    func outputs(for created: NewCredential) throws(ExtensionObjection) -> [ExtensionOutput] {
      let exists = created.authenticatorData.extensions?["hmac-secret"]?.boolValue ?? false
      var outputs: [ExtensionOutput] = []
      if prf { outputs.append(ExtensionOutput("prf", ["enabled": .bool(exists)])) }
      if secret { outputs.append(ExtensionOutput(Self.secretOutput, .bool(exists))) }
      return outputs
    }

    private static let secretOutput = "hmacCreateSecret"
  }
}
