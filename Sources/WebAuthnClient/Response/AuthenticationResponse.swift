public import CTAPMessages
internal import JSONText
internal import Octets

/// What an authentication gives the relying party: `AuthenticationResponseJSON` (WebAuthn L3 §5.1.8).
public struct AuthenticationResponse: Sendable {
  /// The credential's identifier.
  public let credentialID: [UInt8]
  /// The client data, exactly as it was hashed.
  public let clientDataJSON: [UInt8]
  /// The authenticator data, whose encoding is what the key signed: flags, signature counter, extension outputs.
  public let authenticatorData: AuthenticatorData
  /// The signature as the key made it.
  public let signature: [UInt8]
  /// The user handle, where the key told it: of a discoverable credential always.
  public let userHandle: [UInt8]?
  /// The extension outputs in their order.
  public let clientExtensionResults: [ExtensionOutput]
  /// The key that signed.
  public let authenticator: AuthenticatorInfo

  /// The response as JSON in UTF-8, its members always in the same order.
  public func json(pretty: Bool = false) -> [UInt8] { output.serialized(pretty: pretty) }

  private var output: JSONOutput {
    func text(_ bytes: [UInt8]) -> JSONOutput { .string(Base64URL.encode(bytes)) }
    var response: [(String, JSONOutput)] = [
      ("clientDataJSON", text(clientDataJSON)),
      ("authenticatorData", text(authenticatorData.encoded())),
      ("signature", text(signature)),
    ]
    if let userHandle { response.append(("userHandle", text(userHandle))) }
    return .object([
      ("id", text(credentialID)),
      ("rawId", text(credentialID)),
      ("type", .string(CredentialParameters.publicKey)),
      ("authenticatorAttachment", .string(AuthenticatorAttachment.crossPlatform.rawValue)),
      ("response", .object(response)),
      ("clientExtensionResults", .object(clientExtensionResults.map { ($0.name, $0.value) })),
    ])
  }
}
