public import CTAP2
public import CTAPHID
public import CTAPMessages
internal import Octets

/// A key that is being looked after: open, and asked one command after another on a thread of its own.
public struct ManagedKey: Sendable {
  let ceremony: ManagementCeremony
  let candidate: KeyCandidate

  /// The key, with what it said of itself when it was opened.
  public var authenticator: AuthenticatorInfo { candidate.authenticator }

  private var abilities: GetInfoResponse { authenticator.abilities }
  private var key: KeyDescription { authenticator.key }

  /// Runs commands on the key.
  ///
  /// - Parameters:
  ///   - event: what the person is told when the key waits for a touch; that it does, where nil.
  ///   - command: the commands, on the key's own thread and within the time that is left.
  public func run<Answer: Sendable>(
    onTouch event: CeremonyEvent? = nil,
    _ command: @Sendable (KeySession, Wait) throws(CTAP2Error) -> Answer
  ) async throws(WebAuthnError) -> Answer {
    try ceremony.limit.check()
    let (user, authenticator) = (ceremony.user, authenticator)
    do throws(CTAP2Error) {
      return try await candidate.handle.run(
        by: ceremony.limit.deadline,
        onKeepAlive: { status in
          switch status {
          case .userPresenceNeeded: user.notify(event ?? .touchNeeded(authenticator))
          case .processing: user.notify(.working(authenticator))
          default: break
          }
        }, command)
    } catch {
      throw CTAP2Words(error).webAuthnError(on: key)
    }
  }

  /// Tells the person something.
  public func notify(_ event: CeremonyEvent) { ceremony.user.notify(event) }

  /// Asks the person whether something may be done that can't be undone.
  ///
  /// - Throws: `cancelled` where the answer is no, and where there is nobody to ask: it is not done then.
  public func confirm(_ request: ConfirmationRequest) async throws(WebAuthnError) {
    let user = ceremony.user
    let answer = try await ceremony.limit.run { () async throws(WebAuthnError) in
      do {
        return try await user.confirm(request)
      } catch {
        throw Self.declined("The question was cancelled", cause: error)
      }
    }
    switch answer {
    case true?: return
    case false?: throw Self.declined("The answer was not yes")
    case nil: throw WebAuthnError(.notAllowedError, .confirmationMissing, "Nobody confirmed it; nothing was changed.")
    }
  }

  private static func declined(_ how: String, cause: (any Error)? = nil) -> WebAuthnError {
    WebAuthnError(.notAllowedError, .cancelled, "\(how); nothing was changed.", cause: cause)
  }

  // MARK: Verification

  /// Has the key verify its user, by its own means where it may and can, else by the PIN, and gets a token for that.
  ///
  /// - Parameters:
  ///   - permissions: what it will be used for.
  ///   - rpID: the RP ID that it is for, or nil.
  /// - Throws: `pinNotSet` where the key has nothing to verify its user with; `pinMustChange` before anybody is asked.
  public func token(
    _ permissions: PINUVAuthPermissions, rpID: String? = nil
  ) async throws(WebAuthnError) -> PINUVAuthToken {
    let way = try way(to: permissions)
    var verifier = UserVerifier(ceremony: ceremony, candidate: candidate, rpID: rpID)
    guard case .token(let token) = try await verifier.proof(way, permissions) else {
      throw WebAuthnError(.unknownError, .internalFault, "Verification gave no token.")
    }
    return token
  }

  /// The same where the key's user can be verified; nil where the key has nothing to do that with, and needs none.
  public func tokenIfProtected(
    _ permissions: PINUVAuthPermissions
  ) async throws(WebAuthnError) -> PINUVAuthToken? {
    let isProtected = abilities.options?[.clientPin] == true || abilities.options?[.uv] == true
    return isProtected ? try await token(permissions) : nil
  }

  /// A token for the key's PIN, where somebody gives it; nil where they would rather go on without.
  ///
  /// For what is good to know and not needed: the person is told that an empty answer will do.
  public func optionalToken(
    _ permissions: PINUVAuthPermissions
  ) async throws(WebAuthnError) -> PINUVAuthToken? {
    guard abilities.options?[.clientPin] == true, !abilities.mustChangePIN else { return nil }
    var verifier = UserVerifier(ceremony: ceremony, candidate: candidate, rpID: nil)
    verifier.isOptional = true
    do throws(WebAuthnError) {
      return try await verifier.tokenByPIN(.needed, permissions)
    } catch {
      guard error.kind == .pinMissing else { throw error }
      return nil
    }
  }

  /// The permission for listing credentials: read-only where the key has that, which can change nothing.
  public var listingPermission: PINUVAuthPermissions {
    abilities.isOn(.perCredMgmtRO) ? .persistentCredentialManagementReadOnly : .credentialManagement
  }

  private func way(to permissions: PINUVAuthPermissions) throws(WebAuthnError) -> KeyPlan.Verification {
    let hasPIN = abilities.options?[.clientPin] == true
    if abilities.options?[.uv] == true, abilities.isOn(.pinUvAuthToken), abilities.takesBuiltIn(for: permissions) {
      return .builtInToken(pin: hasPIN)
    }
    guard hasPIN else {
      throw WebAuthnError(
        .notAllowedError, .pinNotSet, "\(key.spoken.capitalizedFirst) has no PIN, and this needs one; set one first.")
    }
    guard !abilities.mustChangePIN else {
      throw CTAP2Words(.verification(.pinMustChange)).webAuthnError(on: key)
    }
    return .pin
  }
}

extension GetInfoResponse {
  /// Whether the key gives these permissions for its own verification too (CTAP 2.3 §6.4, `uvBioEnroll` and `uvAcfg`).
  fileprivate func takesBuiltIn(for permissions: PINUVAuthPermissions) -> Bool {
    if permissions.contains(.bioEnrollment), !isOn(.uvBioEnroll) { return false }
    if permissions.contains(.authenticatorConfiguration), !isOn(.uvAcfg) { return false }
    return true
  }
}
