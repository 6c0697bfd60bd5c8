internal import Attestation
internal import CBOR
internal import CTAP2
internal import CTAPHID
internal import CTAPMessages
internal import FIDOCrypto
internal import Octets

/// Has the chosen key make the credential, and tries again where a second attempt is due.
///
/// Each of these happens once at the most, and only where the key's own status shows that nothing was made:
/// 1. KEY_STORE_FULL, and a discoverable credential was only preferred: one that is not (WebAuthn L3 §5.1.3).
/// 2. PUAT_REQUIRED, and the user was not verified: with verification (CTAP 2.1 §6.1.2).
/// 3. Built-in verification is of no use, and there is a PIN: with the PIN (CTAP 2.1 §6.5.5.6).
struct CredentialMaker {
  /// What came of it.
  struct Creation: Sendable {
    let response: MakeCredentialResponse
    let residentKey: Bool
    let isVerified: Bool
    /// What the credential's secret function gave for the extensions' salts.
    let secrets: SecretBytes?
  }

  let ceremony: RegistrationCeremony
  let candidate: KeyCandidate
  let works: [any RegistrationExtension]
  private var wishes: KeyWishes
  private(set) var plan: KeyPlan
  private var verifier: UserVerifier
  private var isForced = false
  private var isPINInstead = false

  init(ceremony: RegistrationCeremony, candidate: KeyCandidate, works: [any RegistrationExtension]) {
    self.ceremony = ceremony
    self.candidate = candidate
    self.works = works
    wishes = ceremony.wishes(for: candidate.authenticator)
    plan = candidate.plan
    verifier = UserVerifier(ceremony: ceremony, candidate: candidate)
  }

  var key: KeyDescription { candidate.handle.key }
  private var abilities: GetInfoResponse { candidate.authenticator.abilities }

  mutating func make() async throws(WebAuthnError) -> Creation {
    if plan.usesU2F { return try await makeByU2F() }
    if let appID = ceremony.appID, !ceremony.request.options.excludedCredentials.isEmpty {
      try await checkNotExcluded(under: appID)
    }
    while true {
      try ceremony.limit.check()
      let request = request()
      let salts = salts()
      // Encrypted salts make the request longer by what is not known yet.
      let needsLookup =
        salts != nil && !request.excludeList.isEmpty
        || KeySession.needsPreflight(abilities, request, withToken: plan.verification != .none)
      let proof = try await verifier.proof(
        plan.verification, needsLookup ? [.makeCredential, .getAssertion] : [.makeCredential])
      do throws(CTAP2Error) {
        return try await create(request, proof, salts)
      } catch {
        guard try adapt(to: error) else { throw CTAP2Words(error).webAuthnError(on: key) }
      }
    }
  }

  private func create(
    _ request: MakeCredentialRequest, _ proof: UserVerifier.Proof, _ salts: SecretBytes?
  ) async throws(CTAP2Error) -> Creation {
    var request = request
    var token: PINUVAuthToken?
    switch proof {
    case .none: break
    case .token(let value): token = value
    case .option: request.options.uv = true
    }
    let (created, secrets) = try await candidate.handle.run(by: ceremony.limit.deadline, onKeepAlive: listener) {
      [request, token] session, wait throws(CTAP2Error) -> (CreatedCredential, SecretBytes?) in
      guard let salts else { return (try session.createCredential(request, token: token, wait), nil) }
      let question = try session.hmacSecretQuestion(salts: salts, wait)
      var asking = request
      asking.extensions["hmac-secret-mc"] = question.input
      let created = try session.createCredential(asking, token: token, wait)
      // An answer that cannot be read must not cost the credential, which now exists.
      let answer = created.response.authData.extensions?["hmac-secret-mc"]?.bytesValue
      return (created, answer.flatMap { try? question.outputs($0) })
    }
    return creation(created, secrets)
  }

  func creation(_ created: CreatedCredential, _ secrets: SecretBytes?) -> Creation {
    if case .notCheckable(let reason) = created.attestation {
      ceremony.user.notify(.warning("The key's attestation could not be checked: \(reason)."))
    }
    if let absence = absenceOfEnterpriseAttestation(created.response) { ceremony.user.notify(.warning(absence)) }
    return Creation(
      response: created.response, residentKey: plan.residentKey,
      isVerified: created.response.authData.flags.contains(.userVerified), secrets: secrets)
  }

  var listener: @Sendable (KeepAlive) -> Void {
    let (user, authenticator) = (ceremony.user, candidate.authenticator)
    return { status in
      switch status {
      case .userPresenceNeeded: user.notify(.touchNeeded(authenticator))
      case .processing: user.notify(.working(authenticator))
      default: break
      }
    }
  }

  /// Changes the plan for a second attempt; false where there is none.
  private mutating func adapt(to error: CTAP2Error) throws(WebAuthnError) -> Bool {
    switch (error, plan.verification) {
    case (.status(.keyStoreFull, _), _) where plan.residentKey && wishes.residentKey == .preferred:
      ceremony.user.notify(
        .warning("The key has no room for another discoverable credential, so it makes one that is not."))
      wishes.residentKey = .discouraged
      try replan(error)
    case (.status(.puatRequired, _), .none) where !isForced:
      isForced = true
      wishes.userVerification = .required
      try replan(error)
    case (_, .builtInOption(pin: true)) where !isPINInstead && UserVerifier.letsPINStandIn(error):
      isPINInstead = true
      plan.verification = .pin
    default: return false
    }
    return true
  }

  private mutating func replan(_ error: CTAP2Error) throws(WebAuthnError) {
    do throws(KeyObjection) {
      var new = try ceremony.planner.plan(KeyFacts(abilities), wishes)
      if isPINInstead && new.verification != .none { new.verification = .pin }
      plan = new
    } catch let objection {
      throw WebAuthnError(
        .notAllowedError, objection.kind, "\(key.spoken.capitalizedFirst) cannot be used: \(objection.reason).",
        cause: error)
    }
  }

  /// Why the attestation is an ordinary one although an enterprise attestation was asked for; nil where it was not, or is.
  private func absenceOfEnterpriseAttestation(_ response: MakeCredentialResponse) -> String? {
    guard ceremony.request.options.attestation == .enterprise, response.epAtt != true else { return nil }
    let reason =
      if wishes.enterprise == nil {
        "it is not allowed for \(ceremony.relyingPartyID) here"
      } else if plan.enterpriseAttestation == nil { "the key has none, or has it switched off" } else {
        "the key gives none to \(ceremony.relyingPartyID)"
      }
    return "The attestation is no enterprise attestation: \(reason)."
  }

  /// The salts for the new credential's secret function, where the key has it at creation.
  private func salts() -> SecretBytes? {
    guard abilities.supports(extension: "hmac-secret-mc") else { return nil }
    let isVerified = plan.verification != .none
    for work in works {
      if let salts = work.secretSalts(for: candidate.authenticator, verified: isVerified) { return salts }
    }
    return nil
  }

  func request() -> MakeCredentialRequest {
    let options = ceremony.request.options
    var extensions = CBORMap()
    for work in works {
      let inputs = work.authenticatorInputs(for: candidate.authenticator, residentKey: plan.residentKey)
      for (name, value) in inputs { extensions[.text(name)] = value }
    }
    return MakeCredentialRequest(
      clientDataHash: Digest.sha256(ceremony.clientData.json),
      rp: RelyingPartyEntity(id: ceremony.request.relyingPartyID, name: options.relyingPartyName),
      user: UserEntity(id: options.userID, name: options.userName, displayName: options.userDisplayName),
      pubKeyCredParams: options.algorithms.map { CredentialParameters(algorithm: $0) },
      excludeList: options.excludedCredentials, extensions: extensions,
      options: RequestOptions(rk: plan.residentKey ? true : nil),
      enterpriseAttestation: plan.enterpriseAttestation,
      // Only keys that name their formats know this parameter (CTAP 2.2 §6.4, 0x16).
      attestationFormatsPreference: abilities.attestationFormats == nil ? [] : options.attestationFormats)
  }
}
