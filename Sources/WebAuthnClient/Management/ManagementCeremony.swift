internal import CTAP2
internal import CTAPMessages
internal import Timing

/// Work on a key itself, for no relying party.
struct ManagementCeremony: Ceremony {
  let client: SecurityKeyClient
  let options: CeremonyOptions
  let limit: CeremonyLimit
  /// Whether a key that speaks U2F alone is of no use.
  let needsFIDO2: Bool

  /// None: tokens are for the RP ID that the work names, if any.
  var relyingPartyID: String { "" }
  var wishes: KeyWishes { KeyWishes(userVerification: .discouraged) }
  /// Every key that answers will do; what it can't do shows when it is asked for.
  var planner: KeyPlanner { KeyPlanner(rules: []) }
  var participants: [any CeremonyExtension] { [] }

  func objection(to authenticator: AuthenticatorInfo, _ plan: KeyPlan) -> KeyObjection? {
    let key = KeyFacts(authenticator.abilities)
    guard needsFIDO2 && !key.speaksCTAP2 && key.speaksU2F else { return nil }
    return KeyObjection(reason: "it speaks U2F alone, which has no PIN, no list of credentials and no settings")
  }

  init(client: SecurityKeyClient, options: CeremonyOptions, cancellation: CeremonyCancellation, needsFIDO2: Bool) {
    self.client = client
    self.options = options
    self.needsFIDO2 = needsFIDO2
    limit = CeremonyLimit(
      clock: client.clock, deadline: client.clock.now + (options.timeout ?? CeremonyTimeout.standard),
      cancellation: cancellation, kind: .management)
  }
}

extension SecurityKeyClient {
  /// Finds a key, has it looked after, and closes it again, whatever comes of it.
  ///
  /// - Parameters:
  ///   - options: which key, how long, and whether one is waited for.
  ///   - needsFIDO2: whether keys that speak U2F alone, which have nothing to set or to list, are skipped.
  ///   - work: what to do with the key.
  /// - Throws: As `register(optionsJSON:origin:options:)` where no key is found or the time is up, and what `work` throws.
  ///   Cancelling the task cancels on the key.
  public func manage<Value: Sendable>(
    options: CeremonyOptions = CeremonyOptions(), needsFIDO2: Bool = true,
    _ work: (ManagedKey) async throws(WebAuthnError) -> Value
  ) async throws(WebAuthnError) -> Value {
    let cancellation = CeremonyCancellation()
    let ceremony = ManagementCeremony(
      client: self, options: options, cancellation: cancellation, needsFIDO2: needsFIDO2)
    return try await cancellable(cancellation) { () throws(WebAuthnError) in
      try await ceremony.onChosenKey { (candidate) throws(WebAuthnError) in
        try await work(ManagedKey(ceremony: ceremony, candidate: candidate))
      }
    }
  }
}
