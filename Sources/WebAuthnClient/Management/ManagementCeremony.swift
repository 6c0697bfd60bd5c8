internal import CTAP2
internal import CTAPMessages
internal import Timing

/// Work on a key itself, for no relying party.
struct ManagementCeremony: Ceremony {
  let client: SecurityKeyClient
  let options: CeremonyOptions
  let limit: CeremonyLimit

  /// None: tokens are for the RP ID that the work names, if any.
  var relyingPartyID: String { "" }
  var wishes: KeyWishes { KeyWishes(userVerification: .discouraged) }
  /// Every key that answers will do; what it can't do shows when it is asked for.
  var planner: KeyPlanner { KeyPlanner(rules: []) }
  var participants: [any CeremonyExtension] { [] }

  init(client: SecurityKeyClient, options: CeremonyOptions, cancellation: CeremonyCancellation) {
    self.client = client
    self.options = options
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
  ///   - work: what to do with the key.
  /// - Throws: As `register(optionsJSON:origin:options:)` where no key is found or the time is up, and what `work` throws.
  ///   Cancelling the task cancels on the key.
  public func manage<Value: Sendable>(
    options: CeremonyOptions = CeremonyOptions(), _ work: (ManagedKey) async throws(WebAuthnError) -> Value
  ) async throws(WebAuthnError) -> Value {
    let cancellation = CeremonyCancellation()
    let ceremony = ManagementCeremony(client: self, options: options, cancellation: cancellation)
    return try await cancellable(cancellation) { () throws(WebAuthnError) in
      try await ceremony.onChosenKey { (candidate) throws(WebAuthnError) in
        try await work(ManagedKey(ceremony: ceremony, candidate: candidate))
      }
    }
  }
}
