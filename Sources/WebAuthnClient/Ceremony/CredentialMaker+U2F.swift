internal import CTAP2
internal import CTAPHID
internal import CTAPMessages

extension CredentialMaker {
  /// Makes the credential over U2F, which knows no PIN, no second attempt and no extension.
  func makeByU2F() async throws(WebAuthnError) -> Creation {
    try ceremony.limit.check()
    let (request, appID) = (request(), ceremony.appID)
    do throws(CTAP2Error) {
      let created = try await candidate.handle.run(by: ceremony.limit.deadline, onKeepAlive: listener) {
        session, wait throws(CTAP2Error) in
        try session.createU2FCredential(request, excludedUnder: appID, wait)
      }
      return creation(created, nil)
    } catch {
      throw CTAP2Words(error).webAuthnError(on: key)
    }
  }

  /// Ends the registration, after a touch, where the key has a credential of the exclude list under an AppID (WebAuthn L3
  /// §10.1.2), over CTAP2 or over U2F.
  func checkNotExcluded(under appID: String) async throws(WebAuthnError) {
    let list = ceremony.request.options.excludedCredentials
    let speaksU2F = candidate.mayFallBackOnU2F(ceremony.options)
    do throws(CTAP2Error) {
      try await candidate.handle.run(by: ceremony.limit.deadline, onKeepAlive: listener) {
        session, wait throws(CTAP2Error) in
        var isHeld = try session.holds(list, underAppID: appID, wait)
        if !isHeld && speaksU2F {
          isHeld = try session.u2fHeldCredential(of: list, applications: [appID], wait) != nil
        }
        guard isHeld else { return }
        try session.select(wait)
        throw .status(.credentialExcluded, .makeCredential)
      }
    } catch {
      throw CTAP2Words(error).webAuthnError(on: key)
    }
  }
}

extension KeyCandidate {
  /// Whether U2F may be tried on this key, which speaks CTAP2, for what CTAP2 does not find.
  func mayFallBackOnU2F(_ options: CeremonyOptions) -> Bool {
    let key = KeyFacts(authenticator.abilities)
    return options.u2f != .never && key.speaksU2F && !key.alwaysVerifies
  }
}

extension KeySession {
  /// Looks without a touch whether the key has a credential of a list under an AppID, over CTAP2.
  ///
  /// An AppID is no RP ID, and a key that refuses it for that has nothing under it.
  func holds(
    _ list: [CredentialDescriptor], underAppID appID: String, _ wait: Wait
  ) throws(CTAP2Error) -> Bool {
    do throws(CTAP2Error) {
      return try !heldCredentials(of: list, rpID: appID, token: nil, wait).isEmpty
    } catch {
      guard case .status = error else { throw error }
      return false
    }
  }
}
