internal import CBOR
internal import CTAPMessages
internal import JSONText
internal import Octets

/// `credBlob` and `getCredBlob`: a few bytes that are stored with the credential, and read again (CTAP 2.1 §12.2).
public struct CredentialBlobExtension: ClientExtension {
  private static let getMember = "getCredBlob"

  /// Creates the extension.
  public init() {}

  /// `credBlob`.
  public var identifier: String { "credBlob" }

  /// `credBlob` in registrations, `getCredBlob` in authentications.
  public var members: [String] { [identifier, Self.getMember] }

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

  /// Wants `true` in `getCredBlob`.
  public func authentication(
    _ inputs: ExtensionInputs, _ request: AuthenticationRequest
  ) throws(WebAuthnError) -> ExtensionReading<any AuthenticationExtension> {
    inputs.flag(Self.getMember).work { _ in Reading() }
  }

  private struct Reading: AuthenticationExtension {
    func authenticatorInputs(
      for authenticator: AuthenticatorInfo, credentialID: [UInt8]?
    ) -> [String: CBORValue] {
      authenticator.supports("credBlob") ? ["credBlob": .bool(true)] : [:]
    }

    func outputs(for assertion: SignedAssertion) throws(ExtensionObjection) -> [ExtensionOutput] {
      guard let blob = assertion.authenticatorData.extensions?["credBlob"]?.bytesValue else { return [] }
      return [ExtensionOutput(CredentialBlobExtension.getMember, .string(Base64URL.encode(blob)))]
    }
  }

  private struct Work: RegistrationExtension {
    let blob: [UInt8]

    func authenticatorInputs(for authenticator: AuthenticatorInfo, residentKey: Bool) -> [String: CBORValue] {
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
