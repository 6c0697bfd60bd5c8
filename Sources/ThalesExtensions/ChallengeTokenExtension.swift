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
    guard let token = inputs[identifier] else { return .notRequested }
    return .honoured(Echo(output: ExtensionOutput(identifier, .raw(token.source))))
  }

  private struct Echo: RegistrationExtension {
    let output: ExtensionOutput

    func outputs(for created: NewCredential) throws(ExtensionObjection) -> [ExtensionOutput] { [output] }
  }
}
