import CTAPMessages
import FIDOCrypto
import Octets

extension Authenticator {
  /// Makes the credential, keeps it and answers; nothing is kept where any step fails.
  func create(_ plan: CreationPlan, verified: Bool) throws(Refusal) -> Outcome {
    let request = plan.request
    let rpID = request.rp.id
    let replaced = plan.isResident ? residentToReplace(request) : nil
    if plan.isResident, replaced == nil, remainingResidents == 0 { throw Refusal(.keyStoreFull) }

    let key = try SigningKey.make(plan.algorithm, random)
    let nonce = random.bytes(CredentialSeal.nonceSize)
    var credential = StoredCredential(
      id: [], rpID: rpID, rpName: request.rp.name, userID: request.user.id, userName: request.user.name,
      userDisplayName: request.user.displayName, key: key.stored, protection: plan.extensions.protection,
      secret: CredentialSeal.secret(state.masterSecret, nonce: nonce), isResident: plan.isResident)
    let outputs = try plan.extensions.apply(to: &credential, verified: verified, by: self)
    let sealed = plan.isResident ? nil : sealedID(credential, nonce: nonce)
    credential.id = sealed ?? random.bytes(min(profile.maxCredentialIDLength, 32))

    let counter = state.signatureCounter &+ 1
    let authData = try authenticatorData(
      rpID, counter, present: true, verified: verified, attested: attested(credential, key.signing),
      outputs.signed)
    let (response, identity) = try attest(plan, authData, credential, outputs.unsigned, key.signing)
    try commit { state in
      state.signatureCounter = counter
      if let identity { state.attestation = identity }
      if let replaced { state.credentials.removeAll { $0.id == replaced } }
      if sealed == nil { state.credentials.append(credential) }
      if plan.isResident { state.credentialsChanged(self.random) }
    }
    if let replaced { log.add(.credentialReplaced(rpID: rpID, id: replaced)) }
    log.add(.credentialMade(rpID: rpID, id: credential.id, resident: plan.isResident))
    return .message(response)
  }

  /// The resident credential of the same account, whose place a new one takes (CTAP 2.1 §6.1.2 step 17).
  private func residentToReplace(_ request: MakeCredentialRequest) -> [UInt8]? {
    state.credentials.first { $0.isResident && $0.rpID == request.rp.id && $0.userID == request.user.id }?.id
  }

  private func attested(_ credential: StoredCredential, _ key: SigningKey) throws(Refusal) -> AttestedCredential {
    do {
      return try AttestedCredential(
        aaguid: profile.info.aaguid, credentialID: credential.id,
        publicKey: COSEKey(try key.publicKey(), algorithm: key.algorithm))
    } catch {
      throw Refusal(.other)
    }
  }
}
