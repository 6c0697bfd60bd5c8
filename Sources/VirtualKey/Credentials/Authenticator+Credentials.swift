import CTAPMessages
import FIDOCrypto

extension Authenticator {
  /// The credential's id with all of it inside, or nil where the profile's ids are too short for that.
  func sealedID(_ credential: StoredCredential, nonce: [UInt8]) -> [UInt8]? {
    let id = CredentialSeal.seal(credential, state.masterSecret, nonce: nonce)
    return id.flatMap { $0.count <= profile.maxCredentialIDLength ? $0 : nil }
  }

  /// The credential that a descriptor names, where it is this key's and the RP's.
  func credential(_ descriptor: CredentialDescriptor, rpID: String) -> StoredCredential? {
    guard descriptor.type == CredentialParameters.publicKey else { return nil }
    if let kept = state.credentials.first(where: { $0.id == descriptor.id }) {
      return kept.rpID == rpID ? kept : nil
    }
    return CredentialSeal.open(descriptor.id, state.masterSecret, rpID: rpID)
  }

  /// The resident credentials of an RP, the newest first.
  func residents(_ rpID: String) -> [StoredCredential] {
    state.credentials.filter { $0.isResident && $0.rpID == rpID }.reversed()
  }
}
