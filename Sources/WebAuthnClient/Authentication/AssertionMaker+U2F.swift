internal import CTAP2
internal import CTAPHID
internal import CTAPMessages
internal import FIDOCrypto

extension AssertionMaker {
  /// Where a key has the credential that will sign.
  enum Place: Hashable, Sendable {
    /// Under the RP ID, or nowhere.
    case relyingParty
    /// Under an AppID, over CTAP2.
    case application(String)
    /// Over U2F.
    case u2f

    var appID: String? { if case .application(let appID) = self { appID } else { nil } }
  }

  /// Finds out, without a touch, where the credential is (WebAuthn L3 §10.1.1); only an AppID leaves a question.
  ///
  /// The RP ID comes first, and over CTAP2 the AppID before U2F. What hides from those who did not verify is under the
  /// RP ID: credentials of U2F can't hide.
  func findPlace() async throws(WebAuthnError) -> Place {
    if plan.usesU2F { return .u2f }
    guard let appID = ceremony.appID, let allowed = ceremony.request.options.allowedCredentials else {
      return .relyingParty
    }
    let rpID = ceremony.relyingPartyID
    let speaksU2F = candidate.mayFallBackOnU2F(ceremony.options) && ceremony.wishes.userVerification != .required
    do throws(CTAP2Error) {
      return try await candidate.handle.run(by: ceremony.limit.deadline) { session, wait throws(CTAP2Error) in
        if try !session.heldCredentials(of: allowed, rpID: rpID, token: nil, wait).isEmpty { return .relyingParty }
        if try session.holds(allowed, underAppID: appID, wait) { return .application(appID) }
        guard speaksU2F else { return .relyingParty }
        let held = try session.u2fHeldCredential(of: allowed, applications: [rpID, appID], wait)
        return held == nil ? .relyingParty : .u2f
      }
    } catch {
      // A look that fails settles nothing; the request itself will tell.
      if case .status = error { return .relyingParty }
      throw CTAP2Words(error).webAuthnError(on: key)
    }
  }

  /// Has the key sign over U2F.
  func signByU2F() async throws(CTAP2Error) -> [Answer] {
    let request = GetAssertionRequest(
      rpID: ceremony.relyingPartyID, clientDataHash: Digest.sha256(ceremony.clientData.json),
      allowList: ceremony.request.options.allowedCredentials ?? [])
    let appID = ceremony.appID
    let response = try await candidate.handle.run(by: ceremony.limit.deadline, onKeepAlive: listener) {
      session, wait throws(CTAP2Error) in
      try session.u2fAssertion(request, appID: appID, wait)
    }
    return [Answer(response: response, credentialID: response.credential?.id ?? [], secrets: nil)]
  }
}
