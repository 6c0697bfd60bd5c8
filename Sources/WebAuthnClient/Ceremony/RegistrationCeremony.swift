internal import CTAPHID
internal import FIDOCrypto
internal import JSONText
internal import Octets
internal import Timing

/// One registration, from the request that was read to the response (WebAuthn L3 §5.1.3).
///
/// Check the request; choose the key; let the extensions prepare, which asks for the name; ask for the PIN; get the token;
/// makeCredential at once; check the answer; compute the extension results. Nothing that waits for a person comes
/// between a token and its use.
struct RegistrationCeremony: RequestCeremony {
  let frame: CeremonyFrame
  let request: RegistrationRequest
  let wishes: KeyWishes
  let works: [any RegistrationExtension]

  var participants: [any CeremonyExtension] { works }
  var planner: KeyPlanner { client.planner }

  init(_ creation: CreationOptions, _ call: CeremonyCall, client: SecurityKeyClient) throws(WebAuthnError) {
    frame = try CeremonyFrame(
      .create, of: client, call, relyingPartyID: creation.relyingPartyID, challenge: creation.challenge,
      timeout: creation.timeout)
    request = RegistrationRequest(
      options: creation, relyingPartyID: frame.relyingPartyID, origin: call.origin, policy: client.policy)
    wishes = KeyWishes(creation, relyingPartyID: frame.relyingPartyID, policy: client.policy)
    works = try frame.door.open(request, warn: frame.warn)
  }

  func hasExtensionInputs(for authenticator: AuthenticatorInfo) -> Bool {
    // It matters only where no discoverable credential is wanted: U2F has none.
    works.contains { work in
      !work.authenticatorInputs(for: authenticator, residentKey: false).isEmpty
        || work.secretSalts(for: authenticator, verified: false) != nil
    }
  }

  /// Runs the ceremony.
  func run() async throws(WebAuthnError) -> RegistrationResponse {
    try checkThatAnyKeyCouldServe()
    return try await onChosenKey { (candidate) throws(WebAuthnError) in try await register(on: candidate) }
  }

  private func register(on candidate: KeyCandidate) async throws(WebAuthnError) -> RegistrationResponse {
    let (authenticator, user) = (candidate.authenticator, user)
    let works = try await prepared(works) { (work) throws(WebAuthnError) in
      try await work.prepare(for: authenticator, asking: user)
    }
    var maker = CredentialMaker(ceremony: self, candidate: candidate, works: works)
    let creation = try await maker.make()
    return try ResponseBuilder(ceremony: self, candidate: candidate, works: works).response(creation)
  }

  /// Ends at once where waiting for a key would be in vain.
  private func checkThatAnyKeyCouldServe() throws(WebAuthnError) {
    do throws(KeyObjection) {
      try planner.checkAnyKey(wishes)
    } catch {
      throw WebAuthnError(.notAllowedError, error.kind, "No security key can be used: \(error.reason).")
    }
    try checkObjectionsToEveryKey()
  }
}
