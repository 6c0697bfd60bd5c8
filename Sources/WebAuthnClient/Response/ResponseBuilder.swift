internal import CTAP2
internal import CTAPMessages

/// Checks what a key made and turns it into the response.
struct ResponseBuilder {
  let ceremony: RegistrationCeremony
  let candidate: KeyCandidate
  let works: [any RegistrationExtension]

  /// The response, or an error that names the credential which now exists.
  func response(_ creation: CredentialMaker.Creation) throws(WebAuthnError) -> RegistrationResponse {
    let authenticatorData = creation.response.authData
    let orphan = OrphanedCredential(creation.response, on: candidate.handle.key)
    guard let credential = authenticatorData.attestedCredential else {
      throw orphan.error(because: "it has no public key")
    }
    if let fault = authenticatorData.flags.fault(ceremony.wishes.userVerification) {
      throw orphan.error(because: fault)
    }
    let created = NewCredential(
      authenticator: candidate.authenticator, authenticatorData: authenticatorData,
      credentialID: credential.credentialID, residentKey: creation.residentKey,
      unsignedOutputs: creation.response.unsignedExtensionOutputs, secrets: creation.secrets,
      hasLargeBlobKey: creation.response.largeBlobKey?.count == LargeBlobCipher.keySize)
    var outputs: [ExtensionOutput] = []
    for work in works {
      do throws(ExtensionObjection) {
        outputs += try work.outputs(for: created)
      } catch {
        throw orphan.error(because: error.reason, cause: error)
      }
    }
    return RegistrationResponse(
      credentialID: credential.credentialID, clientDataJSON: ceremony.clientData.json,
      attestation: ceremony.request.options.attestation.conveyed(AttestationObject(creation.response)),
      transports: candidate.authenticator.transports, clientExtensionResults: outputs,
      authenticator: candidate.authenticator)
  }
}

extension AuthenticatorData.Flags {
  /// What is wrong with the flags of an answer, or nil (WebAuthn L3 §6.1.3, §7.1 steps 15 to 18, §7.2 steps 16 to 18).
  func fault(_ verification: UserVerificationRequirement) -> String? {
    if !contains(.userPresent) { return "the key did not see a touch" }
    if verification == .required && !contains(.userVerified) {
      return "the key did not verify its user although the request demands it"
    }
    if contains(.backedUp) && !contains(.backupEligible) {
      return "the key says that the credential is backed up and cannot be"
    }
    return nil
  }
}
