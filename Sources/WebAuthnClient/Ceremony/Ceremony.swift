internal import CTAPMessages
internal import Timing

/// A ceremony of either kind, as those see it who find a key for it and have its user verified.
protocol Ceremony: Sendable {
  var client: SecurityKeyClient { get }
  var options: CeremonyOptions { get }
  var limit: CeremonyLimit { get }
  var relyingPartyID: String { get }
  /// The extensions at work, without what they do in the one kind or the other.
  var participants: [any CeremonyExtension] { get }

  /// How the ceremony will be carried out on a key; the extensions are asked by the caller.
  /// - Throws: Why the key is no candidate.
  func plan(for authenticator: AuthenticatorInfo) throws(KeyObjection) -> RegistrationPlan

  /// Looks silently how far a key has what the ceremony needs; asked only where there is a choice between keys.
  func standing(of candidate: KeyCandidate, by deadline: Instant) async -> KeyCandidate.Standing
}

extension Ceremony {
  var user: any UserInteraction { client.interaction }

  /// Every key that can be planned for will do.
  func standing(of candidate: KeyCandidate, by deadline: Instant) async -> KeyCandidate.Standing { .suits }

  /// Ends the ceremony where an extension knows that no key that could ever come would do.
  func checkObjectionsToEveryKey() throws(WebAuthnError) {
    for participant in participants {
      if let objection = participant.objectionToEveryKey() {
        throw WebAuthnError(.notAllowedError, .noSuitableKey, objection)
      }
    }
  }

  /// Whether an extension has use for the user's verification on a key, although the request may do without.
  func wantsVerification(on authenticator: AuthenticatorInfo) -> Bool {
    participants.contains { $0.wantsVerification(on: authenticator) }
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
