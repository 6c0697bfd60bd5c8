internal import CTAP2
internal import CTAPHID
internal import CTAPMessages
internal import Timing

/// One authentication, from the request that was read to the response (WebAuthn L3 §5.1.4).
///
/// Check the request; choose the key; let the extensions prepare; ask for the PIN; get the token; getAssertion at once; ask
/// which account is meant where there are several; read or write its large blob; check the answer; compute the extension results.
struct AuthenticationCeremony: RequestCeremony {
  let frame: CeremonyFrame
  let request: AuthenticationRequest
  let wishes: KeyWishes
  let works: [any AuthenticationExtension]

  var participants: [any CeremonyExtension] { works }
  var planner: KeyPlanner { .authentication }

  init(_ assertion: AuthenticationOptions, _ call: CeremonyCall, client: SecurityKeyClient) throws(WebAuthnError) {
    frame = try CeremonyFrame(
      .get, of: client, call, relyingPartyID: assertion.relyingPartyID, challenge: assertion.challenge,
      timeout: assertion.timeout)
    request = AuthenticationRequest(
      options: assertion, relyingPartyID: frame.relyingPartyID, origin: call.origin, policy: client.policy)
    wishes = KeyWishes(userVerification: assertion.userVerification)
    works = try frame.door.open(request, warn: frame.warn)
  }

  /// Runs the ceremony.
  func run() async throws(WebAuthnError) -> AuthenticationResponse {
    if request.options.allowedCredentials?.isEmpty == true {
      throw WebAuthnError(
        .notAllowedError, .noCredential, "The request allows no credential of a type that is known.")
    }
    try checkObjectionsToEveryKey()
    return try await onChosenKey { (candidate) throws(WebAuthnError) in try await authenticate(on: candidate) }
  }

  func objection(to authenticator: AuthenticatorInfo, _ plan: KeyPlan) -> KeyObjection? {
    guard plan.usesU2F && request.options.allowedCredentials == nil else { return nil }
    return KeyObjection(reason: "over U2F it needs to be told the credential, and the request names none")
  }

  /// Looks without a touch whether the key has a credential that the request allows.
  func standing(of candidate: KeyCandidate, by deadline: Instant) async -> KeyCandidate.Standing {
    let probe = GetAssertionRequest(
      rpID: relyingPartyID, clientDataHash: [UInt8](repeating: 0, count: 32), options: RequestOptions(up: false))
    let (allowed, appID, usesU2F) = (request.options.allowedCredentials, appID, candidate.plan.usesU2F)
    let triesU2F = usesU2F || appID != nil && candidate.mayFallBackOnU2F(options)
    do throws(CTAP2Error) {
      let isHeld = try await candidate.handle.run(by: deadline) { session, wait throws(CTAP2Error) in
        if let allowed {
          if !usesU2F {
            if try !session.heldCredentials(of: allowed, rpID: probe.rpID, token: nil, wait).isEmpty { return true }
            if let appID, try session.holds(allowed, underAppID: appID, wait) { return true }
          }
          guard triesU2F else { return false }
          let applications = [probe.rpID] + (appID.map { [$0] } ?? [])
          return try session.u2fHeldCredential(of: allowed, applications: applications, wait) != nil
        }
        _ = try session.getAssertion(probe, token: nil, wait)
        return true
      }
      if isHeld { return .suits }
    } catch {
      guard case .status(.noCredentials, _) = error else { return .mayHide }
    }
    // What credProtect hides shows itself only to who has verified (CTAP 2.1 §12.1).
    let mayHide = candidate.plan.verification != .none && candidate.authenticator.supports("credProtect")
    return mayHide ? .mayHide : .lacks
  }

  private func authenticate(on candidate: KeyCandidate) async throws(WebAuthnError) -> AuthenticationResponse {
    let (authenticator, user) = (candidate.authenticator, user)
    let works = try await prepared(works) { (work) throws(WebAuthnError) in
      try await work.prepare(for: authenticator, asking: user)
    }
    var maker = AssertionMaker(ceremony: self, candidate: candidate, works: works)
    let answers = try await maker.make()
    let chosen = try await choose(among: answers, on: candidate)
    let largeBlob = try await maker.finishLargeBlob(of: chosen)
    return try AssertionBuilder(ceremony: self, candidate: candidate, works: works).response(chosen, largeBlob)
  }

  /// The answer for the account that is meant.
  private func choose(
    among answers: [AssertionMaker.Answer], on candidate: KeyCandidate
  ) async throws(WebAuthnError) -> AssertionMaker.Answer {
    guard let first = answers.first, answers.count > 1 else {
      if let only = answers.first { return only }
      throw WebAuthnError(.unknownError, .internalFault, "There is no assertion to choose.")
    }
    let question = AccountRequest(
      authenticator: candidate.authenticator, relyingPartyID: relyingPartyID, accounts: answers.map(\.account))
    let user = user
    let choice = try await limit.run { () async throws(WebAuthnError) in
      do {
        return try await user.chooseAccount(question)
      } catch {
        throw WebAuthnError(
          .notAllowedError, .cancelled, "The question for the account was cancelled; nobody was signed in.",
          cause: error)
      }
    }
    guard let choice else {
      throw WebAuthnError(
        .notAllowedError, .noCredential,
        "None of the \(answers.count) accounts on \(candidate.handle.key.spoken) was chosen; nobody was signed in.")
    }
    return answers.first { $0.account == choice } ?? first
  }
}
