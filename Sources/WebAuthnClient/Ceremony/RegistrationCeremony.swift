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
struct RegistrationCeremony: Ceremony {
  let client: SecurityKeyClient
  let request: RegistrationRequest
  let options: CeremonyOptions
  let limit: CeremonyLimit
  let wishes: KeyWishes
  let clientData: ClientData
  var works: [any RegistrationExtension]

  var relyingPartyID: String { request.relyingPartyID }
  var participants: [any CeremonyExtension] { works }

  init(
    client: SecurityKeyClient, creation: CreationOptions, origin: Origin, options: CeremonyOptions,
    cancellation: CeremonyCancellation
  ) throws(WebAuthnError) {
    self.client = client
    self.options = options
    let relyingPartyID = try RelyingPartyID.resolve(creation.relyingPartyID, origin: origin)
    request = RegistrationRequest(
      options: creation, relyingPartyID: relyingPartyID, origin: origin, policy: client.policy)
    let timeout = options.timeout ?? CeremonyTimeout.clamped(creation.timeout)
    limit = CeremonyLimit(
      clock: client.clock, deadline: client.clock.now + timeout, cancellation: cancellation, kind: .create)
    wishes = KeyWishes(creation, relyingPartyID: relyingPartyID, policy: client.policy)
    clientData = ClientData(ceremony: .create, challenge: creation.challenge, origin: origin.serialized)
    works = try ExtensionDoor(client.extensions, strict: options.strictExtensions)
      .open(request) { [user = client.interaction] warning in user.notify(.warning(warning)) }
  }

  /// Runs the ceremony.
  func run() async throws(WebAuthnError) -> RegistrationResponse {
    try checkThatAnyKeyCouldServe()
    return try await onChosenKey { (candidate) throws(WebAuthnError) in try await register(on: candidate) }
  }

  func plan(for authenticator: AuthenticatorInfo) throws(KeyObjection) -> RegistrationPlan {
    try client.planner.plan(KeyFacts(authenticator.abilities), wishes(for: authenticator))
  }

  /// What is asked of a key, the extensions' wishes among it.
  func wishes(for authenticator: AuthenticatorInfo) -> KeyWishes {
    wishes.withVerification(wantsVerification(on: authenticator))
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
      try client.planner.checkAnyKey(wishes)
    } catch {
      throw WebAuthnError(.notAllowedError, error.kind, "No security key can be used: \(error.reason).")
    }
    try checkObjectionsToEveryKey()
  }
}

/// The time for a ceremony (WebAuthn L3 §5.1.3 and §16, recommended range).
enum CeremonyTimeout {
  static let range = Duration.seconds(300)...Duration.seconds(600)
  static let standard = Duration.seconds(300)

  /// The request's time moved into the range; the standard where it has none.
  static func clamped(_ requested: Duration?) -> Duration {
    guard let requested else { return standard }
    return min(max(requested, range.lowerBound), range.upperBound)
  }
}
