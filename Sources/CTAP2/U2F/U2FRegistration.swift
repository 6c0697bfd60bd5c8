public import CTAPHID
public import CTAPMessages
internal import FIDOCrypto

extension KeySession {
  /// Makes a credential over U2F (CTAP 2.3 §10.2, FIDO U2F Raw Message Formats 1.2 §4).
  ///
  /// 1. Only ES256 and only a credential that is not discoverable can be made, and nobody is verified.
  /// 2. Each credential of the exclude list is looked for by check-only; where the key has one, a touch comes before it
  ///    is said.
  /// 3. The registration is sent again for as long as the key says that it was not touched, and never after any other
  ///    trouble: then a credential may have been made.
  /// 4. The answer becomes what makeCredential would have returned, with format `fido-u2f`, an AAGUID of zeros and the
  ///    counter zero; its signature has to be right. Options, extensions and enterprise attestation have no part in it.
  ///
  /// - Parameters:
  ///   - request: the request.
  ///   - appID: an AppID under which the exclude list is looked for too (WebAuthn L3 §10.1.2), or nil.
  ///   - wait: how long it may take.
  /// - Throws: `credentialMayExist`, `credentialInvalid` or `createdLate` where a credential was made or may have
  ///   been; any other error means that none was.
  public func createU2FCredential(
    _ request: MakeCredentialRequest, excludedUnder appID: String?, _ wait: Wait
  ) throws(CTAP2Error) -> CreatedCredential {
    guard request.pubKeyCredParams.contains(where: { $0.algorithm == -7 }) else {
      throw .notOffered("an algorithm of the request over U2F, which has ES256 alone")
    }
    guard request.options.rk != true else { throw .notOffered("discoverable credentials over U2F") }
    guard request.options.uv != true else { throw .notOffered("user verification over U2F") }
    let applications = [request.rp.id] + (appID.map { [$0] } ?? [])
    if try u2fHeldCredential(of: request.excludeList, applications: applications, wait) != nil {
      try u2fTouch(wait)
      throw .status(.credentialExcluded, .makeCredential)
    }
    let application = Digest.sha256(Array(request.rp.id.utf8))
    let frame = U2FRegisterRequest(
      challengeParameter: request.clientDataHash, applicationParameter: application
    ).frame()
    let unanswered = UnansweredCreation(rpID: request.rp.id, isDiscoverable: false, isU2F: true)
    return try createOnce(request, unanswered, wait) { take throws(CTAP2Error) in
      try u2fUntilTouched(frame, repeatable: false, wait) { data throws(Unfit) in
        try take(
          Unfit.u2f { () throws(MessageError) in
            try U2FRegisterResponse(data).makeCredentialResponse(applicationParameter: application)
          })
      }
    }
  }
}
