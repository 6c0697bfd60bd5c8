internal import CTAP2
internal import CTAPHID
internal import CTAPMessages
internal import Octets

/// Has the key verify its user, by its own means or by the PIN, and gets the token for that.
struct UserVerifier {
  /// What goes with the command.
  enum Proof: Sendable {
    case none
    case token(PINUVAuthToken)
    /// The `uv` option: the key verifies while it carries out the command.
    case option
  }

  /// How many PINs in a row may be turned down here, without asking the key.
  static let unusableLimit = 5
  /// How often the key's own verification is tried at the most, whatever the key prefers.
  static let mostBuiltInTries = 10

  let ceremony: any Ceremony
  let candidate: KeyCandidate
  /// The RP ID that tokens are for, or nil.
  let rpID: String?
  /// Whether an empty answer will do, so that it goes on without.
  var isOptional = false
  /// The PIN that the key took; kept for a second token, so that it is asked for once.
  private var pin: SecretBytes?
  var refusedPIN: SecretBytes?
  private var attempts = 0

  init(ceremony: any Ceremony, candidate: KeyCandidate) {
    self.init(ceremony: ceremony, candidate: candidate, rpID: ceremony.relyingPartyID)
  }

  init(ceremony: any Ceremony, candidate: KeyCandidate, rpID: String?) {
    self.ceremony = ceremony
    self.candidate = candidate
    self.rpID = rpID
  }

  private var key: KeyDescription { candidate.handle.key }
  private var user: any UserInteraction { ceremony.user }
  private var nothingDone: String { ceremony.limit.kind.nothingDone }

  /// Verifies the user in the planned way.
  mutating func proof(
    _ way: KeyPlan.Verification, _ permissions: PINUVAuthPermissions
  ) async throws(WebAuthnError) -> Proof {
    switch way {
    case .none: return .none
    case .pin: return .token(try await tokenByPIN(.needed, permissions))
    case .builtInToken(let pinServes): return .token(try await tokenByKey(permissions, pinServes: pinServes))
    case .builtInOption:
      user.notify(.verificationNeeded(candidate.authenticator, retriesLeft: nil))
      return .option
    }
  }

  // MARK: The key's own verification

  private mutating func tokenByKey(
    _ permissions: PINUVAuthPermissions, pinServes: Bool
  ) async throws(WebAuthnError) -> PINUVAuthToken {
    let preferred = candidate.authenticator.abilities.preferredPlatformUvAttempts ?? 3
    let tries = min(max(1, preferred), Self.mostBuiltInTries)
    var retries: Int?
    for _ in 0..<tries {
      user.notify(.verificationNeeded(candidate.authenticator, retriesLeft: retries))
      let rpID = rpID
      do throws(CTAP2Error) {
        return try await candidate.handle.run(by: ceremony.limit.deadline) { session, wait throws(CTAP2Error) in
          try session.token(builtInUserVerification: permissions, rpID: rpID, wait)
        }
      } catch {
        if case .verification(.uvInvalid(let left)) = error, left != 0 {
          retries = left
          continue
        }
        guard pinServes, Self.letsPINStandIn(error) else { throw CTAP2Words(error).webAuthnError(on: key) }
        return try await tokenByPIN(.insteadOfBuiltIn, permissions)
      }
    }
    guard pinServes else {
      throw CTAP2Words(.verification(.uvInvalid(retries: retries))).webAuthnError(on: key)
    }
    return try await tokenByPIN(.insteadOfBuiltIn, permissions)
  }

  /// Whether an error means that the key's own verification is of no use now; keys of CTAP 2.0 say so in other words.
  static func letsPINStandIn(_ error: CTAP2Error) -> Bool {
    switch error {
    case .verification(.uvBlocked), .verification(.uvInvalid), .notOffered: true
    case .status(.puatRequired, _), .status(.pinAuthInvalid, _), .status(.unauthorizedPermission, _),
      .status(.invalidSubcommand, _), .status(.unsupportedOption, _):
      true
    default: false
    }
  }

  // MARK: The PIN

  mutating func tokenByPIN(
    _ occasion: PINRequest.Occasion, _ permissions: PINUVAuthPermissions
  ) async throws(WebAuthnError) -> PINUVAuthToken {
    if let pin { return try await token(pin, permissions) }
    var occasion = occasion
    while true {
      let typed = try await prompt(occasion, try await retries(after: occasion))
      do throws(CTAP2Error) {
        let token = try await tryToken(typed, permissions)
        pin = typed
        return token
      } catch {
        guard case .verification(.pinInvalid) = error else { throw CTAP2Words(error).webAuthnError(on: key) }
        refusedPIN = typed
        occasion = .wrong
      }
    }
  }

  /// The tries that are left, for the next question.
  func retries(after occasion: PINRequest.Occasion) async throws(WebAuthnError) -> Int {
    do throws(WebAuthnError) {
      return try await retries()
    } catch {
      // That the PIN was wrong says more than that the key then could not be reached.
      guard occasion == .wrong, error.kind == .timedOut || error.kind == .communication else { throw error }
      throw CTAP2Words(.verification(.pinInvalid(nil))).webAuthnError(on: key)
    }
  }

  /// Asks the key how many tries are left, and ends here where the next one could do no good.
  private func retries() async throws(WebAuthnError) -> Int {
    let retries: PINRetries
    do throws(CTAP2Error) {
      retries = try await candidate.handle.run(by: ceremony.limit.deadline) { session, wait throws(CTAP2Error) in
        try session.pinRetries(wait)
      }
    } catch {
      throw CTAP2Words(error).webAuthnError(on: key)
    }
    if retries.count == 0 { throw CTAP2Words(.verification(.pinBlocked)).webAuthnError(on: key) }
    if retries.needsPowerCycle == true {
      throw CTAP2Words(.verification(.pinAuthBlocked)).webAuthnError(on: key)
    }
    return retries.count
  }

  /// Asks until the answer can be a PIN that the key has not refused already.
  mutating func prompt(
    _ first: PINRequest.Occasion, _ retries: Int
  ) async throws(WebAuthnError) -> SecretBytes {
    var occasion = first
    for _ in 0..<Self.unusableLimit {
      let typed = try await ask(occasion, retries)
      do throws(PINError) {
        let prepared = try PIN.prepare(typed)
        if let refusedPIN, ConstantTime.equal(prepared, refusedPIN) {
          occasion = .unusable("It is the PIN that the key has just refused.")
          continue
        }
        return prepared
      } catch {
        occasion = .unusable("\(error)")
      }
    }
    guard case .unusable(let why) = occasion else {
      throw CTAP2Words(.verification(.pinInvalid(nil))).webAuthnError(on: key)
    }
    throw WebAuthnError(
      .notAllowedError, .pinInvalid,
      "\(why) \(Self.unusableLimit) answers in a row were of no use; none of them was tried.")
  }

  private mutating func ask(_ occasion: PINRequest.Occasion, _ retries: Int) async throws(WebAuthnError) -> SecretBytes
  {
    attempts += 1
    let question = PINRequest(
      authenticator: candidate.authenticator, retriesLeft: retries, occasion: occasion, attempt: attempts,
      minimumLength: candidate.authenticator.abilities.effectiveMinPINLength, isOptional: isOptional)
    let (user, nothingDone) = (user, nothingDone)
    let answer = try await ceremony.limit.run { () async throws(WebAuthnError) in
      do {
        return try await user.requestPIN(question)
      } catch {
        throw WebAuthnError(
          .notAllowedError, .cancelled, "The question for the PIN was cancelled; \(nothingDone).", cause: error)
      }
    }
    if let answer { return answer }
    // Nobody had an answer: that the last one was wrong says more than that there is no other.
    switch occasion {
    case .wrong:
      throw CTAP2Words(.verification(.pinInvalid(PINRetries(count: retries)))).webAuthnError(on: key)
    case .unusable(let why): throw WebAuthnError(.notAllowedError, .pinInvalid, why)
    case .needed, .insteadOfBuiltIn:
      throw WebAuthnError(
        .notAllowedError, .pinMissing,
        "\(key.spoken.capitalizedFirst) needs its PIN, and none was given; \(nothingDone).")
    }
  }

  private func token(
    _ pin: SecretBytes, _ permissions: PINUVAuthPermissions
  ) async throws(WebAuthnError) -> PINUVAuthToken {
    do throws(CTAP2Error) {
      return try await tryToken(pin, permissions)
    } catch {
      throw CTAP2Words(error).webAuthnError(on: key)
    }
  }

  private func tryToken(
    _ pin: SecretBytes, _ permissions: PINUVAuthPermissions
  ) async throws(CTAP2Error) -> PINUVAuthToken {
    let rpID = rpID
    return try await candidate.handle.run(by: ceremony.limit.deadline) { session, wait throws(CTAP2Error) in
      try session.token(pin: pin, permissions: permissions, rpID: rpID, wait)
    }
  }
}
