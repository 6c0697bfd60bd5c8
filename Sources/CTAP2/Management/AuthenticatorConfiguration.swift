internal import CBOR
public import CTAPHID
public import CTAPMessages

extension KeySession {
  /// Switches "always verify" on or off, looking first how it stands, because keys know only a toggle (CTAP 2.3 §6.11.2).
  ///
  /// - Parameters:
  ///   - isOn: how it is to be.
  ///   - token: a token with permission `authenticatorConfiguration`; nil on a key that has no PIN and no other
  ///     verification set up.
  ///   - wait: how long it may take.
  /// - Returns: whether it was switched; false where it was so already and nothing was sent.
  /// - Throws: `changeUncertain` where the key can't be asked how it stands afterwards.
  @discardableResult
  public func setAlwaysUv(_ isOn: Bool, _ token: PINUVAuthToken?, _ wait: Wait) throws(CTAP2Error) -> Bool {
    let before = try getInfo(wait)
    guard let present = before.options?[.alwaysUv] else { throw .notOffered("the setting \"always verify\"") }
    try before.checkConfiguration(.toggleAlwaysUv)
    if present == isOn { return false }
    do throws(CTAP2Error) {
      try configure(AuthenticatorConfigRequest(.toggleAlwaysUv), .alwaysUv, token, wait)
    } catch {
      // The key itself knows what became of it.
      guard case .changeUncertain = error, let after = try? getInfo(wait), after.options?[.alwaysUv] == isOn else {
        throw error
      }
      return true
    }
    let after: GetInfoResponse
    do throws(CTAP2Error) {
      after = try getInfo(wait)
    } catch {
      // The key said that it was done: no error may sound as if nothing had been.
      throw .changeUncertain(.alwaysUv, cause: error)
    }
    guard after.options?[.alwaysUv] == isOn else {
      throw .misfit("the setting \"always verify\" is as it was", .config)
    }
    return true
  }

  /// Allows enterprise attestation, for good: only a reset takes it back (CTAP 2.3 §6.11.1).
  ///
  /// - Returns: whether it was switched on; false where it was on already and nothing was sent.
  @discardableResult
  public func enableEnterpriseAttestation(
    _ token: PINUVAuthToken?, _ wait: Wait
  ) throws(CTAP2Error) -> Bool {
    let info = try getInfo(wait)
    guard let present = info.options?[.ep] else { throw .notOffered("enterprise attestation") }
    try info.checkConfiguration(.enableEnterpriseAttestation)
    if present { return false }
    try configure(AuthenticatorConfigRequest(.enableEnterpriseAttestation), .setting, token, wait)
    return true
  }

  /// Sets the minimum length of PINs, who may read it, whether the PIN must be changed, and the policy on PINs
  /// (CTAP 2.3 §6.11.4).
  ///
  /// A minimum can only be raised; where the present PIN is shorter, the key wants it changed.
  ///
  /// - Parameters:
  ///   - parameters: what to set; members that are nil stay as they are.
  ///   - token: a token with permission `authenticatorConfiguration`; nil on a key without any verification set up.
  ///   - wait: how long it may take.
  /// - Throws: `notOffered` before anything is sent, where the key can't do a part of it.
  public func setMinimumPINLength(
    _ parameters: SetMinPINLengthParameters, _ token: PINUVAuthToken?, _ wait: Wait
  ) throws(CTAP2Error) {
    let info = try getInfo(wait)
    guard info.isOn(.setMinPINLength) else { throw .notOffered("a minimum length of PINs that can be set") }
    try info.checkConfiguration(.setMinPINLength)
    if let length = parameters.newMinPINLength {
      guard length >= info.effectiveMinPINLength else {
        throw .notOffered(
          "PINs of \(length) characters: it has a minimum of \(info.effectiveMinPINLength), which can only be raised")
      }
      guard length <= info.effectiveMaxPINLength else {
        throw .notOffered("a minimum of \(length) characters: its PINs have \(info.effectiveMaxPINLength) at most")
      }
    }
    if let ids = parameters.minPinLengthRPIDs, ids.count > info.maxRPIDsForSetMinPINLength ?? 0 {
      throw .notOffered(
        "room for \(ids.count) sites that may read the minimum; it has room for \(info.maxRPIDsForSetMinPINLength ?? 0)"
      )
    }
    if parameters.pinComplexityPolicy != nil, info.pinComplexityPolicy == nil {
      throw .notOffered("a policy on PINs that can be set")
    }
    try configure(
      AuthenticatorConfigRequest(.setMinPINLength, .setMinPINLength(parameters)), .setting, token, wait)
  }

  /// Has the key want its PIN changed before it gives out tokens for it again (CTAP 2.3 §6.11.4).
  public func forcePINChange(_ token: PINUVAuthToken?, _ wait: Wait) throws(CTAP2Error) {
    guard try getInfo(wait).options?[.clientPin] == true else { throw .verification(.pinNotSet) }
    try setMinimumPINLength(SetMinPINLengthParameters(forceChangePin: true), token, wait)
  }

  /// Has the key enforce its policy on PINs beyond their length, for good (CTAP 2.3 §6.11.4).
  public func enforcePINComplexity(_ token: PINUVAuthToken?, _ wait: Wait) throws(CTAP2Error) {
    try setMinimumPINLength(SetMinPINLengthParameters(pinComplexityPolicy: true), token, wait)
  }

  /// Makes a reset need a long touch, for good: only a reset takes it back (CTAP 2.3 §6.11.3).
  ///
  /// - Returns: whether it was switched on; false where it was on already and nothing was sent.
  @discardableResult
  public func enableLongTouchForReset(_ token: PINUVAuthToken?, _ wait: Wait) throws(CTAP2Error) -> Bool {
    let info = try getInfo(wait)
    guard let present = info.longTouchForReset else { throw .notOffered("a long touch for a reset") }
    try info.checkConfiguration(.enableLongTouchForReset)
    if present { return false }
    try configure(AuthenticatorConfigRequest(.enableLongTouchForReset), .setting, token, wait)
    return true
  }

  /// Sends a configuration command of the vendor's own (CTAP 2.3 §6.11.5).
  ///
  /// - Parameters:
  ///   - parameters: its number, one of getInfo's `vendorPrototypeConfigCommands`, and what goes with it.
  ///   - token: a token with permission `authenticatorConfiguration`; nil where the vendor wants none.
  ///   - wait: how long it may take.
  public func vendorConfiguration(
    _ parameters: VendorPrototypeParameters, _ token: PINUVAuthToken?, _ wait: Wait
  ) throws(CTAP2Error) {
    let info = try getInfo(wait)
    guard info.vendorPrototypeConfigCommands?.contains(parameters.vendorCommandID) == true else {
      throw .notOffered("the vendor's configuration command \(parameters.vendorCommandID)")
    }
    try info.checkConfiguration(.vendorPrototype)
    try configure(
      AuthenticatorConfigRequest(.vendorPrototype, .vendorPrototype(parameters)), .vendorCommand, token, wait)
  }

  private func configure(
    _ request: AuthenticatorConfigRequest, _ kind: KeyChange, _ token: PINUVAuthToken?, _ wait: Wait
  ) throws(CTAP2Error) {
    var request = request
    request.pinUvAuthProtocol = token?.version.rawValue
    request.pinUvAuthParam = token?.authenticate(request.authenticatedBytes)
    do throws(CTAP2Error) {
      try change(kind, .config, request.cbor(), wait) { value throws(Unfit) in try Unfit.empty(value) }
    } catch {
      // Here it is about the setting, not about the PIN of this session.
      if case .verification(.pinMustChange) = error { throw .status(.pinPolicyViolation, .config) }
      throw error
    }
  }
}

extension GetInfoResponse {
  /// Throws where the key has no such configuration command; keys that list theirs list all.
  fileprivate func checkConfiguration(_ command: AuthenticatorConfigSubcommand) throws(CTAP2Error) {
    guard isOn(.authnrCfg) else { throw .notOffered("configuration") }
    guard authenticatorConfigCommands?.contains(command.rawValue) ?? true else {
      throw .notOffered("that part of configuration")
    }
  }
}
