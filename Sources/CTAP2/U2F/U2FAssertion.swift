public import CTAPHID
public import CTAPMessages
internal import FIDOCrypto

extension KeySession {
  /// Signs in over U2F with a credential of the allow list (CTAP 2.3 §10.3, FIDO U2F Raw Message Formats 1.2 §5).
  ///
  /// Which credential the key has is found out by check-only. It signs after a touch, for which it is asked again and
  /// again; with option `up` false it is asked once to sign without one. The public key is not known here, so whether
  /// the signature is right the relying party finds out.
  ///
  /// - Parameters:
  ///   - request: the request, with an allow list; extensions and user verification have no part in it.
  ///   - appID: an AppID under which the list is looked for after the RP ID (WebAuthn L3 §10.1.1), or nil.
  ///   - wait: how long it may take.
  /// - Returns: what getAssertion would have returned; the RP ID hash tells whether the AppID was used.
  /// - Throws: `status` with NO_CREDENTIALS where the key has none of them, before any touch.
  public func u2fAssertion(
    _ request: GetAssertionRequest, appID: String?, _ wait: Wait
  ) throws(CTAP2Error) -> GetAssertionResponse {
    guard request.options.uv != true else { throw .notOffered("user verification over U2F") }
    let applications = [request.rpID] + (appID.map { [$0] } ?? [])
    guard let held = try u2fHeldCredential(of: request.allowList, applications: applications, wait) else {
      throw .status(.noCredentials, .getAssertion)
    }
    let application = Digest.sha256(Array(held.application.utf8))
    let isSilent = request.options.up == false
    let asked = U2FAuthenticateRequest(
      isSilent ? .dontEnforceUserPresenceAndSign : .enforceUserPresenceAndSign,
      challengeParameter: request.clientDataHash, applicationParameter: application, keyHandle: held.credential.id)
    guard let frame = asked?.frame() else { throw .status(.noCredentials, .getAssertion) }
    let id = held.credential.id
    func read(_ data: [UInt8]) throws(Unfit) -> GetAssertionResponse {
      try Unfit.u2f { () throws(MessageError) in
        try U2FAuthenticateResponse(data).getAssertionResponse(keyHandle: id, applicationParameter: application)
      }
    }
    guard isSilent else { return try u2fUntilTouched(frame, repeatable: true, wait, read) }
    switch try u2f(frame, repeatable: true, wait, read) {
    case .answer(let response): return response
    case .status(let status): throw .u2f(status, instruction: frame.ins)
    }
  }
}
