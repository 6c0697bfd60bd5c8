internal import CTAPMessages

/// Checks what a key signed and turns it into the response.
struct AssertionBuilder {
  let ceremony: AuthenticationCeremony
  let candidate: KeyCandidate
  let works: [any AuthenticationExtension]

  /// The response, or an error; the assertion is then dropped, which harms nobody.
  ///
  /// - Parameters:
  ///   - answer: the assertion of the account that is meant.
  ///   - largeBlob: what became of its large blob.
  func response(
    _ answer: AssertionMaker.Answer, _ largeBlob: LargeBlobResult?
  ) throws(WebAuthnError) -> AuthenticationResponse {
    // An assertion that came too late is no answer.
    try ceremony.limit.check()
    let response = answer.response
    if let fault = response.authData.flags.fault(ceremony.wishes.userVerification) {
      throw WebAuthnError(
        .notAllowedError, .communication, "The answer of \(candidate.handle.key.spoken) cannot be used: \(fault).")
    }
    let handle = response.user?.id
    // Without a list of credentials the handle is all that tells the relying party who it is (WebAuthn L3 §7.2 step 6).
    if ceremony.request.options.allowedCredentials == nil && handle?.isEmpty != false {
      throw WebAuthnError(
        .notAllowedError, .communication,
        "The answer of \(candidate.handle.key.spoken) cannot be used: it does not say whose credential it is.")
    }
    let assertion = SignedAssertion(
      authenticator: candidate.authenticator, authenticatorData: response.authData, credentialID: answer.credentialID,
      userHandle: handle, unsignedOutputs: response.unsignedExtensionOutputs, secrets: answer.secrets,
      largeBlob: largeBlob)
    var outputs: [ExtensionOutput] = []
    for work in works {
      do throws(ExtensionObjection) {
        outputs += try work.outputs(for: assertion)
      } catch {
        throw WebAuthnError(
          .notAllowedError, .extensionFailed, "The sign-in was ended by an extension: \(error.reason).", cause: error)
      }
    }
    return AuthenticationResponse(
      credentialID: answer.credentialID, clientDataJSON: ceremony.clientData.json,
      authenticatorData: response.authData, signature: response.signature,
      userHandle: handle?.isEmpty == false ? handle : nil, clientExtensionResults: outputs,
      authenticator: candidate.authenticator)
  }
}
