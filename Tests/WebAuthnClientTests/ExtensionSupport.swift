import CBOR
import CTAPHID
import CTAPMessages
import JSONText
import Testing

@testable import WebAuthnClient

/// A key that knows the extensions given.
func authenticator(
  extensions: [String] = [], versions: [String] = ["FIDO_2_1"], edit: (inout GetInfoResponse) -> Void = { _ in }
) -> AuthenticatorInfo {
  var info = GetInfoResponse(versions: versions, aaguid: .zero)
  info.extensions = extensions
  edit(&info)
  return AuthenticatorInfo(
    key: KeyDescription(id: "test", vendorID: 1, productID: 2, vendor: "Acme", product: "Desk Key"), abilities: info)
}

/// A credential that a key has made, with the extension outputs given.
func credential(
  on authenticator: AuthenticatorInfo = authenticator(), residentKey: Bool = false, outputs: CBORMap? = nil,
  flags: AuthenticatorData.Flags = [.userPresent]
) throws -> NewCredential {
  let key = COSEKey(.okp(curve: 6, x: [UInt8](repeating: 0, count: 32)), alg: -8)
  return NewCredential(
    authenticator: authenticator,
    authenticatorData: try AuthenticatorData(
      rpIDHash: [UInt8](repeating: 0, count: 32), flags: flags, signCount: 0,
      attestedCredential: try AttestedCredential(aaguid: .zero, credentialID: [1], publicKey: key), extensions: outputs),
    credentialID: [1], residentKey: residentKey)
}

/// The extensions at work for a request's `extensions`, and the warnings.
func works(
  _ extensions: [any ClientExtension], _ json: String, strict: Bool = false,
  policy: AuthenticatorPolicy = AuthenticatorPolicy()
) throws(WebAuthnError) -> (works: [any RegistrationExtension], warnings: [String]) {
  var warnings: [String] = []
  let request = RegistrationRequest(
    options: try creation(requestText(more: "\"extensions\":" + json)), relyingPartyID: "example.org",
    origin: try Origin("https://example.org"), policy: policy)
  let works = try ExtensionDoor(extensions, strict: strict).open(request) { warnings.append($0) }
  return (works, warnings)
}

/// Outputs as JSON text.
func text(_ outputs: [ExtensionOutput]) -> String {
  String(decoding: JSONOutput.object(outputs.map { ($0.name, $0.value) }).serialized(pretty: false), as: UTF8.self)
}
