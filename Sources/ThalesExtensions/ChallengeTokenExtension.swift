internal import JSONText
public import WebAuthnClient

/// `thalesgroup_chl_tkn_ext_v1`: gives the server's token back, byte for byte as the request wrote it.
///
/// Any JSON value is a token, `null` and `false` too. It is never looked into, logged or sent to the key.
public struct ChallengeTokenExtension: ClientExtension {
  /// Creates the extension.
  public init() {}

  /// `thalesgroup_chl_tkn_ext_v1`.
  public var identifier: String { "thalesgroup_chl_tkn_ext_v1" }

  /// Wants any value.
  public func registration(
    _ inputs: ExtensionInputs, _ request: RegistrationRequest
  ) throws(WebAuthnError) -> ExtensionReading<any RegistrationExtension> {
    guard let echo = echo(inputs) else { return .notRequested }
    return .honoured(echo)
  }

  /// Wants any value.
  public func authentication(
    _ inputs: ExtensionInputs, _ request: AuthenticationRequest
  ) throws(WebAuthnError) -> ExtensionReading<any AuthenticationExtension> {
    guard let echo = echo(inputs) else { return .notRequested }
    return .honoured(echo)
  }

  private func echo(_ inputs: ExtensionInputs) -> Echo? {
    inputs[identifier].map { Echo(output: ExtensionOutput(identifier, .raw($0.source))) }
  }

  private struct Echo: RegistrationExtension, AuthenticationExtension {
    let output: ExtensionOutput

    func outputs(for created: NewCredential) throws(ExtensionObjection) -> [ExtensionOutput] { [output] }

    func outputs(for assertion: SignedAssertion) throws(ExtensionObjection) -> [ExtensionOutput] { [output] }
  }
}
