internal import CTAP2
internal import CTAPHID
internal import CTAPMessages
internal import Octets

extension ManagedKey {
  /// Gives a key without a PIN its first one, which the person is asked for.
  public func setPIN() async throws(WebAuthnError) {
    guard let isSet = authenticator.abilities.options?[.clientPin] else { throw problem(.notOffered("a PIN")) }
    guard !isSet else {
      throw WebAuthnError(
        .invalidStateError, .noSuitableKey,
        "\(authenticator.key.spoken.capitalizedFirst) has a PIN already; change it instead.")
    }
    var asker = NewPINAsker(key: self, occasion: .first)
    while true {
      let pin = try await asker.ask()
      if let objection = try await attempt({ (session, wait) throws(CTAP2Error) in try session.setPIN(pin, wait) }) {
        asker.refuse(because: objection)
      } else {
        return
      }
    }
  }

  /// Replaces the key's PIN; the person is asked for the old one, with the tries that are left, and for the new one.
  ///
  /// The new one is held against the key's rules before the key is asked, so that it costs no try.
  public func changePIN() async throws(WebAuthnError) {
    guard let isSet = authenticator.abilities.options?[.clientPin] else { throw problem(.notOffered("a PIN")) }
    guard isSet else { throw problem(.verification(.pinNotSet)) }
    var verifier = UserVerifier(ceremony: ceremony, candidate: candidate, rpID: nil)
    var asker = NewPINAsker(key: self, occasion: .replacement)
    var occasion = PINRequest.Occasion.needed
    var old: SecretBytes?
    var new: SecretBytes?
    while true {
      if old == nil { old = try await verifier.prompt(occasion, try await verifier.retries(after: occasion)) }
      if new == nil { new = try await asker.ask() }
      guard let present = old, let next = new else { continue }
      do throws(CTAP2Error) {
        try await candidate.handle.run(by: ceremony.limit.deadline) { session, wait throws(CTAP2Error) in
          try session.changePIN(from: present, to: next, wait)
        }
        return
      } catch {
        switch error {
        case .verification(.pinInvalid):
          verifier.refusedPIN = present
          occasion = .wrong
          old = nil
        case .verification(.pinPolicyViolation):
          asker.refuse(because: "\(VerificationFailure.pinPolicyViolation)")
          new = nil
        default: throw problem(error)
        }
      }
    }
  }

  /// Sends a new PIN; the reason where the key refuses it under its own rules.
  private func attempt(
    _ command: @Sendable (KeySession, Wait) throws(CTAP2Error) -> Void
  ) async throws(WebAuthnError) -> String? {
    do throws(CTAP2Error) {
      try await candidate.handle.run(by: ceremony.limit.deadline, command)
      return nil
    } catch {
      guard case .verification(.pinPolicyViolation) = error else { throw problem(error) }
      return "\(VerificationFailure.pinPolicyViolation)"
    }
  }

  private func problem(_ error: CTAP2Error) -> WebAuthnError {
    CTAP2Words(error).webAuthnError(on: authenticator.key)
  }
}

/// Asks for a new PIN until there is one that the key can take.
struct NewPINAsker {
  let key: ManagedKey
  private var occasion: NewPINRequest.Occasion
  private var attempts = 0

  init(key: ManagedKey, occasion: NewPINRequest.Occasion) {
    self.key = key
    self.occasion = occasion
  }

  /// Has the next question say why the last answer was of no use.
  mutating func refuse(because reason: String) { occasion = .unusable(reason) }

  /// The new PIN, as the key takes it.
  mutating func ask() async throws(WebAuthnError) -> SecretBytes {
    let abilities = key.authenticator.abilities
    for _ in 0..<UserVerifier.unusableLimit {
      let typed = try await question()
      do throws(PINError) {
        return try PIN.prepare(
          typed, minimumCodePoints: abilities.effectiveMinPINLength, maximumCodePoints: abilities.maxPINLength)
      } catch {
        occasion = .unusable("\(error)")
      }
    }
    throw refusal("It could not be a PIN.")
  }

  private mutating func question() async throws(WebAuthnError) -> SecretBytes {
    attempts += 1
    let abilities = key.authenticator.abilities
    let request = NewPINRequest(
      authenticator: key.authenticator, occasion: occasion, attempt: attempts,
      minimumLength: abilities.effectiveMinPINLength, maximumLength: abilities.effectiveMaxPINLength)
    let user = key.ceremony.user
    let answer = try await key.ceremony.limit.run { () async throws(WebAuthnError) in
      do {
        return try await user.requestNewPIN(request)
      } catch {
        throw WebAuthnError(
          .notAllowedError, .cancelled, "The question for the new PIN was cancelled; nothing was changed.",
          cause: error)
      }
    }
    if let answer { return answer }
    if case .unusable(let reason) = occasion { throw refusal(reason) }
    throw WebAuthnError(
      .notAllowedError, .newPINMissing, "A new PIN is needed, and none was given; nothing was changed.")
  }

  private func refusal(_ reason: String) -> WebAuthnError {
    WebAuthnError(.notAllowedError, .pinInvalid, "\(reason) The key's PIN was not changed.")
  }
}
