internal import CTAPMessages
internal import Timing

/// A ceremony of any kind, as those see it who find a key for it and have its user verified.
protocol Ceremony: Sendable {
  var client: SecurityKeyClient { get }
  var options: CeremonyOptions { get }
  var limit: CeremonyLimit { get }
  /// The RP ID that a token is for.
  var relyingPartyID: String { get }
  /// What the request asks of a key.
  var wishes: KeyWishes { get }
  /// Who decides how it is carried out on a key.
  var planner: KeyPlanner { get }
  /// The extensions at work, without what they do in the one kind or the other.
  var participants: [any CeremonyExtension] { get }

  /// Looks silently how far a key has what the ceremony needs; asked only where there is a choice between keys.
  func standing(of candidate: KeyCandidate, by deadline: Instant) async -> KeyCandidate.Standing

  /// Whether an extension has something for this key that U2F does not carry.
  func hasExtensionInputs(for authenticator: AuthenticatorInfo) -> Bool

  /// Why a key can't serve in the way that was planned for it, or nil.
  func objection(to authenticator: AuthenticatorInfo, _ plan: KeyPlan) -> KeyObjection?
}

/// A ceremony that answers a relying party's request.
protocol RequestCeremony: Ceremony {
  var frame: CeremonyFrame { get }
}

extension RequestCeremony {
  var client: SecurityKeyClient { frame.client }
  var options: CeremonyOptions { frame.options }
  var limit: CeremonyLimit { frame.limit }
  var relyingPartyID: String { frame.relyingPartyID }
  var clientData: ClientData { frame.clientData }
}

extension Ceremony {
  var user: any UserInteraction { client.interaction }

  /// How the ceremony will be carried out on a key; whether the extensions object is for the caller to ask.
  /// - Throws: Why the key is no candidate.
  func plan(for authenticator: AuthenticatorInfo) throws(KeyObjection) -> KeyPlan {
    try planner.plan(KeyFacts(authenticator.abilities), wishes(for: authenticator))
  }

  /// What is asked of a key, the extensions' wishes among it.
  func wishes(for authenticator: AuthenticatorInfo) -> KeyWishes {
    var wishes = wishes.withVerification(participants.contains { $0.wantsVerification(on: authenticator) })
    wishes.hasExtensionInputs = hasExtensionInputs(for: authenticator)
    wishes.u2f = options.u2f
    if participants.contains(where: { $0.needsDiscoverability(on: authenticator) }) { wishes.residentKey = .required }
    return wishes
  }

  /// Every key that can be planned for will do.
  func standing(of candidate: KeyCandidate, by deadline: Instant) async -> KeyCandidate.Standing { .suits }

  /// No extension has anything for a key.
  func hasExtensionInputs(for authenticator: AuthenticatorInfo) -> Bool { false }

  /// Every plan will do.
  func objection(to authenticator: AuthenticatorInfo, _ plan: KeyPlan) -> KeyObjection? { nil }

  /// The AppID that an extension names beside the RP ID, or nil.
  var appID: String? { participants.lazy.compactMap(\.appID).first }

  /// Ends the ceremony where an extension knows that no key that could ever come would do.
  func checkObjectionsToEveryKey() throws(WebAuthnError) {
    for participant in participants {
      if let objection = participant.objectionToEveryKey() {
        throw WebAuthnError(.notAllowedError, .noSuitableKey, objection)
      }
    }
  }

  /// Finds a key, does the work on it, and leaves every key closed and dark.
  func onChosenKey<Response: Sendable>(
    _ work: (KeyCandidate) async throws(WebAuthnError) -> Response
  ) async throws(WebAuthnError) -> Response {
    let finder = KeyFinder(ceremony: self)
    let result: Result<Response, WebAuthnError>
    do throws(WebAuthnError) {
      let candidate = try await finder.find()
      user.notify(.keySelected(candidate.authenticator))
      do throws(WebAuthnError) {
        result = .success(try await work(candidate))
      } catch {
        result = .failure(error)
      }
      await candidate.handle.close()
    } catch {
      result = .failure(error)
    }
    await finder.finish()
    return try result.get()
  }

  /// Lets each extension prepare, within the ceremony's time.
  func prepared<Work: Sendable>(
    _ works: [Work], _ prepare: @escaping @Sendable (inout Work) async throws(WebAuthnError) -> Void
  ) async throws(WebAuthnError) -> [Work] {
    var prepared: [Work] = []
    for work in works {
      prepared.append(
        try await limit.run { () async throws(WebAuthnError) in
          var work = work
          try await prepare(&work)
          return work
        })
    }
    return prepared
  }
}

extension KeyWishes {
  /// The same wishes where an extension has use for the user's verification: then it is preferred at least.
  func withVerification(_ isWanted: Bool) -> KeyWishes {
    var wishes = self
    if isWanted && wishes.userVerification == .discouraged { wishes.userVerification = .preferred }
    return wishes
  }
}
