import CTAPMessages
import FIDOCrypto

extension Authenticator {
  /// The credential's id with all of it inside, or nil where the profile's ids are too short for that.
  func sealedID(_ credential: StoredCredential, nonce: [UInt8]) -> [UInt8]? {
    let id = CredentialSeal.seal(credential, state.masterSecret, nonce: nonce)
    return id.flatMap { $0.count <= profile.maxCredentialIDLength ? $0 : nil }
  }

  /// The credential that a descriptor names, where it is this key's and the RP's; one of U2F is the same.
  func credential(_ descriptor: CredentialDescriptor, rpID: String) -> StoredCredential? {
    guard descriptor.type == CredentialParameters.publicKey else { return nil }
    return credential(descriptor.id, rpIDHash: Digest.sha256(Array(rpID.utf8)))
  }

  /// The credential of an id, which U2F calls a key handle, for the RP with this hash.
  func credential(_ id: [UInt8], rpIDHash: [UInt8]) -> StoredCredential? {
    if let kept = state.credentials.first(where: { $0.id == id }) {
      return kept.rpIDHash == rpIDHash ? kept : nil
    }
    return CredentialSeal.open(id, state.masterSecret, rpIDHash: rpIDHash)
  }

  /// The resident credentials of an RP, the newest first.
  func residents(_ rpID: String) -> [StoredCredential] {
    state.credentials.filter { $0.isResident && $0.rpID == rpID }.reversed()
  }
}
