internal import CBOR
internal import CTAPMessages
internal import JSONText

/// An extension that nothing is known of but its name: its input goes to the key, and the key's output comes back.
///
/// It is sent only where the request has it, the client was made with it and the key announces it. ``JSONPassage`` is the
/// rule for what becomes of JSON on the way to the key and of CBOR on the way back. An output that the key signed comes
/// before one that no signature covers.
public struct PassedExtension: ClientExtension {
  /// The identifier, for the request, the key and the response alike.
  public let identifier: String

  /// Takes the identifier of an extension.
  /// - Throws: `TypeError` for what WebAuthn L3 §9.1 lets be none: 1 to 32 printable characters of ASCII, without quotation
  ///   marks and backslashes.
  public init(_ identifier: String) throws(WebAuthnError) {
    let isFit = identifier.utf8.allSatisfy { (0x21...0x7e).contains($0) && $0 != 0x22 && $0 != 0x5c }
    guard isFit, (1...32).contains(identifier.utf8.count) else {
      throw WebAuthnError(
        .typeError, .badRequest,
        "\(PlainText.quoted(identifier)) cannot be an extension's identifier; expected 1 to 32 characters of ASCII "
          + "without blanks, quotation marks and backslashes.")
    }
    self.identifier = identifier
  }

  /// Wants whatever `JSONPassage` can turn into CBOR.
  public func registration(
    _ inputs: ExtensionInputs, _ request: RegistrationRequest
  ) throws(WebAuthnError) -> ExtensionReading<any RegistrationExtension> {
    reading(inputs).work { Passage(identifier: identifier, input: $0) }
  }

  /// Wants whatever `JSONPassage` can turn into CBOR.
  public func authentication(
    _ inputs: ExtensionInputs, _ request: AuthenticationRequest
  ) throws(WebAuthnError) -> ExtensionReading<any AuthenticationExtension> {
    reading(inputs).work { Passage(identifier: identifier, input: $0) }
  }

  private func reading(_ inputs: ExtensionInputs) -> ExtensionReading<CBORValue> {
    guard let value = inputs[identifier] else { return .notRequested }
    do throws(JSONPassage.Refusal) {
      return .honoured(try JSONPassage.cbor(value))
    } catch {
      return .malformed(error.reason)
    }
  }

  private struct Passage: RegistrationExtension, AuthenticationExtension {
    let identifier: String
    let input: CBORValue

    mutating func prepare(
      for authenticator: AuthenticatorInfo, asking user: any UserInteraction
    ) async throws(WebAuthnError) {
      guard !authenticator.supports(identifier) else { return }
      user.notify(.warning("The key does not announce the extension \(identifier), so it is not sent."))
    }

    func authenticatorInputs(for authenticator: AuthenticatorInfo, residentKey: Bool) -> [String: CBORValue] {
      authenticator.supports(identifier) ? [identifier: input] : [:]
    }

    func authenticatorInputs(
      for authenticator: AuthenticatorInfo, credentialID: [UInt8]?
    ) -> [String: CBORValue] {
      authenticatorInputs(for: authenticator, residentKey: false)
    }

    func outputs(for created: NewCredential) throws(ExtensionObjection) -> [ExtensionOutput] {
      outputs(created.authenticatorData, created.unsignedOutputs)
    }

    func outputs(for assertion: SignedAssertion) throws(ExtensionObjection) -> [ExtensionOutput] {
      outputs(assertion.authenticatorData, assertion.unsignedOutputs)
    }

    private func outputs(_ signed: AuthenticatorData, _ unsigned: CBORMap?) -> [ExtensionOutput] {
      let output = signed.extensions?[identifier] ?? unsigned?[identifier]
      return output.map { [ExtensionOutput(identifier, JSONPassage.json($0))] } ?? []
    }
  }
}
