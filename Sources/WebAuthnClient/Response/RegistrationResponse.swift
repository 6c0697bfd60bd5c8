internal import Attestation
internal import CBOR
internal import CTAP2
public import CTAPMessages
internal import FIDOCrypto
internal import JSONText
internal import Octets

/// What a registration gives the relying party: `RegistrationResponseJSON` (WebAuthn L3 §5.1.8).
public struct RegistrationResponse: Sendable {
  /// The credential's identifier.
  public let credentialID: [UInt8]
  /// The client data, exactly as it was hashed.
  public let clientDataJSON: [UInt8]
  /// The attestation, after the conveyance that the request asked for.
  public let attestation: AttestationObject
  /// The ways to reach the key, unique and sorted.
  public let transports: [String]
  /// The extension outputs in their order.
  public let clientExtensionResults: [ExtensionOutput]
  /// The key that made the credential.
  public let authenticator: AuthenticatorInfo

  /// The authenticator data, the same bytes as in the attestation object.
  public var authenticatorData: [UInt8] { attestation.authData.encoded() }
  /// The COSE number of the public key's algorithm.
  public var publicKeyAlgorithm: Int { attestation.authData.attestedCredential?.publicKey.alg ?? 0 }
  /// The public key as SubjectPublicKeyInfo in DER, or nil for algorithms that WebAuthn names no such form for.
  public var publicKey: [UInt8]? { attestation.authData.attestedCredential?.publicKey.webAuthnSPKI }
  /// The attestation object in CBOR.
  public var attestationObject: [UInt8] { attestation.cbor().encoded() }

  /// The response as JSON in UTF-8, its members always in the same order.
  public func json(pretty: Bool = false) -> [UInt8] { output.serialized(pretty: pretty) }

  private var output: JSONOutput {
    func text(_ bytes: [UInt8]) -> JSONOutput { .string(Base64URL.encode(bytes)) }
    var response: [(String, JSONOutput)] = [
      ("clientDataJSON", text(clientDataJSON)),
      ("attestationObject", text(attestationObject)),
      ("authenticatorData", text(authenticatorData)),
      ("transports", .array(transports.map(JSONOutput.string))),
      ("publicKeyAlgorithm", .int(publicKeyAlgorithm)),
    ]
    if let publicKey { response.append(("publicKey", text(publicKey))) }
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

extension COSEKey {
  /// The SubjectPublicKeyInfo for algorithms that WebAuthn ties to a kind of key (L3 §5.2.1.1, §5.8.5).
  var webAuthnSPKI: [UInt8]? {
    guard let alg, [-7, -35, -36, -257, -8].contains(alg) else { return nil }
    return try? publicKey().subjectPublicKeyInfo()
  }
}
