internal import CBOR
internal import CTAPMessages
internal import JSONText
internal import Octets

/// `credBlob`: stores a few bytes with the credential (CTAP 2.1 §12.2).
public struct CredentialBlobExtension: ClientExtension {
  /// Creates the extension.
  public init() {}

  /// `credBlob`.
  public var identifier: String { "credBlob" }

  /// Wants a base64url string.
  public func registration(
    _ inputs: ExtensionInputs, _ request: RegistrationRequest
  ) throws(WebAuthnError) -> ExtensionReading<any RegistrationExtension> {
    guard let value = inputs[identifier] else { return .notRequested }
    guard let blob = value.stringValue.flatMap({ try? Base64URL.decode($0) }) else {
      return .malformed("\(value.path) is \(value.found); expected a base64url string")
    }
    return .honoured(Work(blob: blob))
  }

  private struct Work: RegistrationExtension {
    let blob: [UInt8]

    func authenticatorInputs(for authenticator: AuthenticatorInfo) -> [String: CBORValue] {
      guard authenticator.supports("credBlob"), blob.count <= authenticator.abilities.maxCredBlobLength ?? 32 else {
        return [:]
      }
      return ["credBlob": .bytes(blob)]
    }

    func outputs(for created: NewCredential) throws(ExtensionObjection) -> [ExtensionOutput] {
      let isStored = created.authenticatorData.extensions?["credBlob"]?.boolValue ?? false
      return [ExtensionOutput("credBlob", .bool(isStored))]
    }
  }
}
