internal import CBOR
internal import CTAPMessages

extension AttestationPreference {
  /// The attestation object for the relying party (WebAuthn L3 §5.1.3).
  ///
  /// With `none` the statement is dropped, save for a self attestation of a key without a model, which says nothing. The
  /// authenticator data stays as the key signed it, its AAGUID too.
  func conveyed(_ made: AttestationObject) -> AttestationObject {
    guard self == .none else { return made }
    let isAnonymous = made.authData.attestedCredential?.aaguid.isZero == true
    if isAnonymous && made.fmt == "packed" && made.attStmt["x5c"] == nil { return made }
    return AttestationObject(fmt: "none", attStmt: CBORMap(), authData: made.authData)
  }
}
