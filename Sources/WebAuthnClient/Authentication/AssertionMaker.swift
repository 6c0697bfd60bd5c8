internal import CBOR
internal import CTAP2
internal import CTAPHID
internal import CTAPMessages
internal import FIDOCrypto
internal import Octets
internal import Synchronization

/// Has the chosen key sign, and tries again where a second attempt is due.
///
/// Each of these happens once at the most:
/// 1. PUAT_REQUIRED, and the user was not verified: with verification (CTAP 2.1 §6.2.2).
/// 2. Built-in verification is of no use, and there is a PIN: with the PIN (CTAP 2.1 §6.5.5.6).
///
/// A key that has no credential for the request is touched all the same before that is said, so that nobody learns
/// it who is not at the key (WebAuthn L3 §5.1.4).
struct AssertionMaker {
  /// One account's assertion.
  struct Answer: Sendable {
    let response: GetAssertionResponse
    let credentialID: [UInt8]
    /// What the credential's secret function gave for the extensions' salts.
    let secrets: SecretBytes?

    var account: Account {
      Account(
        credentialID: credentialID, userHandle: response.user?.id, name: response.user?.name,
        displayName: response.user?.displayName)
    }
  }

  let ceremony: AuthenticationCeremony
  let candidate: KeyCandidate
  let works: [any AuthenticationExtension]
  private(set) var plan: KeyPlan
  private var verifier: UserVerifier
  /// Where the credential is: under the RP ID, or under an AppID, or to be had over U2F alone.
  private var place = Place.relyingParty
  private var isForced = false
  private var isPINInstead = false
  private let touch = Touch()
  /// What is to be done with a large blob, once that is settled.
  private var largeBlob: LargeBlobWork?
  /// The token of the last attempt, which also permits to write a large blob.
  private var token: PINUVAuthToken?

  init(ceremony: AuthenticationCeremony, candidate: KeyCandidate, works: [any AuthenticationExtension]) {
    self.ceremony = ceremony
    self.candidate = candidate
    self.works = works
    plan = candidate.plan
    verifier = UserVerifier(ceremony: ceremony, candidate: candidate)
  }

  var key: KeyDescription { candidate.handle.key }
  private var abilities: GetInfoResponse { candidate.authenticator.abilities }

  /// The assertions, one at least; several only where the request names no credential.
  mutating func make() async throws(WebAuthnError) -> [Answer] {
    try ceremony.limit.check()
    place = try await findPlace()
    if case .application(let appID) = place {
      verifier = UserVerifier(ceremony: ceremony, candidate: candidate, rpID: appID)
    }
    do throws(CTAP2Error) {
      largeBlob = try LargeBlobWork(works, on: candidate.authenticator)
    } catch {
      throw WebAuthnError(.notAllowedError, .badRequest, "\(error)", cause: error)
    }
    while true {
      try ceremony.limit.check()
      do throws(CTAP2Error) {
        if place == .u2f { return try await signByU2F() }
      } catch {
        if case .status(.noCredentials, _) = error { throw try await nothing(error) }
        throw CTAP2Words(error).webAuthnError(on: key)
      }
      let permissions: PINUVAuthPermissions = [.getAssertion, largeBlob?.permissions ?? []]
      let proof = try await verifier.proof(plan.verification, permissions)
      if case .token(let value) = proof { token = value }
      do throws(CTAP2Error) {
        return try await sign(proof)
      } catch {
        if case .status(.noCredentials, _) = error { throw try await nothing(error) }
        guard try adapt(to: error) else { throw CTAP2Words(error).webAuthnError(on: key) }
      }
    }
  }

  private func sign(_ proof: UserVerifier.Proof) async throws(CTAP2Error) -> [Answer] {
    var options = RequestOptions()
    var token: PINUVAuthToken?
    switch proof {
    case .none: break
    case .token(let value): token = value
    case .option: options.uv = true
    }
    let request = GetAssertionRequest(
      rpID: place.appID ?? ceremony.relyingPartyID, clientDataHash: Digest.sha256(ceremony.clientData.json),
      options: options)
    let (allowed, inputs) = (ceremony.request.options.allowedCredentials, inputs)
    return try await candidate.handle.run(by: ceremony.limit.deadline, onKeepAlive: listener) {
      [token] session, wait throws(CTAP2Error) in
      guard let allowed else {
        let asking = try inputs.complete(request, credentialID: nil, session, wait)
        return try session.getAllAssertions(asking.request, token: token, wait).map { asking.answer($0) }
      }
      var request = request
      request.allowList = allowed
      if inputs.dependOnCredential {
        request.allowList = try session.heldCredentials(of: allowed, rpID: request.rpID, token: token, wait)
        if request.allowList.isEmpty { throw .status(.noCredentials, .getAssertion) }
      }
      let only = request.allowList.count == 1 ? request.allowList.first?.id : nil
      let asking = try inputs.complete(request, credentialID: only, session, wait)
      return [asking.answer(try session.getAssertionOfList(asking.request, token: token, wait))]
    }
  }

  /// Reads or writes the large blob of the credential that answered; nil where there is nothing to do.
  func finishLargeBlob(of answer: Answer) async throws(WebAuthnError) -> LargeBlobResult? {
    guard let largeBlob else { return nil }
    let token = token
    let outcome: LargeBlobWork.Outcome
    do throws(CTAP2Error) {
      outcome = try await candidate.handle.run(by: ceremony.limit.deadline, onKeepAlive: listener) {
        session, wait throws(CTAP2Error) in
        try largeBlob.finish(answer.response, token: token, session, wait)
      }
    } catch {
      throw CTAP2Words(error).webAuthnError(on: key)
    }
    for warning in outcome.warnings { ceremony.user.notify(.warning(warning)) }
    return outcome.result
  }

  private var inputs: AssertionInputs {
    AssertionInputs(
      authenticator: candidate.authenticator, works: works, isVerified: plan.verification != .none,
      largeBlob: largeBlob)
  }

  var listener: @Sendable (KeepAlive) -> Void {
    let (user, authenticator, touch) = (ceremony.user, candidate.authenticator, touch)
    return { status in
      switch status {
      case .userPresenceNeeded:
        touch.wasAsked.store(true, ordering: .relaxed)
        user.notify(.touchNeeded(authenticator))
      case .processing: user.notify(.working(authenticator))
      default: break
      }
    }
  }

  /// Changes the plan for a second attempt; false where there is none.
  private mutating func adapt(to error: CTAP2Error) throws(WebAuthnError) -> Bool {
    switch (error, plan.verification) {
    case (.status(.puatRequired, _), .none) where !isForced:
      isForced = true
      var wishes = ceremony.wishes
      wishes.userVerification = .required
      do throws(KeyObjection) {
        plan = try ceremony.planner.plan(KeyFacts(abilities), wishes)
      } catch let objection {
        throw WebAuthnError(
          .notAllowedError, objection.kind, "\(key.spoken.capitalizedFirst) cannot be used: \(objection.reason).",
          cause: error)
      }
    case (_, .builtInOption(pin: true)) where !isPINInstead && UserVerifier.letsPINStandIn(error):
      isPINInstead = true
      plan.verification = .pin
    default: return false
    }
    return true
  }

  /// The error where the key has no credential for the request, after a touch.
  private func nothing(_ cause: CTAP2Error) async throws(WebAuthnError) -> WebAuthnError {
    if !candidate.wasTouched && !touch.wasAsked.load(ordering: .relaxed) {
      ceremony.user.notify(.touchNeeded(candidate.authenticator))
      do throws(CTAP2Error) {
        try await candidate.handle.run(by: ceremony.limit.deadline) { session, wait throws(CTAP2Error) in
          try session.select(wait)
        }
      } catch {
        throw CTAP2Words(error).webAuthnError(on: key)
      }
    }
    let what =
      ceremony.request.options.allowedCredentials == nil
      ? "discoverable credential for \(ceremony.relyingPartyID)" : "credential that the request allows"
    let hint =
      plan.verification == .none && KeyFacts(abilities).isProtected && candidate.authenticator.supports("credProtect")
      ? ", or none that it shows without verifying its user" : ""
    return WebAuthnError(
      .notAllowedError, .noCredential, "On \(key.spoken) there is no \(what)\(hint).", cause: cause)
  }
}

/// Whether the key has asked for a touch, told from the key's thread.
private final class Touch: Sendable {
  let wasAsked = Atomic<Bool>(false)
}
