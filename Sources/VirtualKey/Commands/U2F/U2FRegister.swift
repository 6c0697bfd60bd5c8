import CTAPHID
import CTAPMessages
import FIDOCrypto
import Octets

extension Authenticator {
  /// U2F_REGISTER (FIDO U2F Raw Message Formats 1.2 §4): a credential for an application, attested by the key's certificate.
  ///
  /// U2F knows no other attestation, so that the certificate is there whatever the attestation policy says of CTAP2.
  func u2fRegister(_ request: U2FRegisterRequest, _ channel: ChannelID) throws(U2FRefusal) -> [UInt8] {
    guard u2fPresence(U2FInstruction.register, channel) else { throw U2FRefusal(.conditionsNotSatisfied) }
    let application = request.applicationParameter
    let response = try u2f { () throws(Refusal) in
      let key = try SigningKey.make(.es256, random)
      let nonce = random.bytes(CredentialSeal.nonceSize)
      var credential = StoredCredential(
        id: [], rpID: "", application: application, userID: [], key: key.stored,
        protection: CredentialProtection.optional, secret: CredentialSeal.secret(state.masterSecret, nonce: nonce),
        isResident: false)
      let sealed = sealedID(credential, nonce: nonce)
      credential.id = sealed ?? random.bytes(min(profile.maxCredentialIDLength, 32))
      let (identity, isNew) = try attestationIdentity()
      let point = try uncompressedPoint(key.signing)
      let signed = [0] + application + request.challengeParameter + credential.id + point
      let signature = try SigningKey(identity.key).signature(signed)
      try commit { state in
        if isNew { state.attestation = identity }
        if sealed == nil { state.credentials.append(credential) }
      }
      return U2FRegisterResponse(
        userPublicKey: point, keyHandle: credential.id, attestationCertificate: identity.certificate,
        signature: signature)
    }
    log.add(.u2fRegistered(application: application, id: response.keyHandle))
    return response.encoded()
  }

  private func uncompressedPoint(_ key: SigningKey) throws(Refusal) -> [UInt8] {
    guard case .elliptic(.p256, let x, let y)? = try? key.publicKey() else { throw Refusal(.other) }
    return [0x04] + x + y
  }
}
