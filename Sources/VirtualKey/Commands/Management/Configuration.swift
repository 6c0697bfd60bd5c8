import CTAPMessages

// authenticatorConfig (CTAP 2.3 §6.11).
extension Authenticator {
  /// The most RP IDs that may be told the minimum PIN length, where the profile does not say.
  private static let defaultRPIDCount = 8

  func config(_ request: AuthenticatorConfigRequest) throws(Refusal) -> Outcome {
    try checkSupported(request)
    // A key without any verification is configured by whoever holds it, unless it always wants verification.
    if isProtected || alwaysUV {
      let proof = ManagementProof(
        message: request.authenticatedBytes, param: request.pinUvAuthParam, version: request.pinUvAuthProtocol)
      try requireToken(proof, .authenticatorConfiguration)
    }
    switch (request.subCommand, request.subCommandParams) {
    case (.enableEnterpriseAttestation, _): try commit { $0.enterpriseAttestation = true }
    case (.toggleAlwaysUv, _): try commit { $0.alwaysUV = !self.alwaysUV }
    case (.enableLongTouchForReset, _): try commit { $0.longTouchForReset = true }
    case (.setMinPINLength, .setMinPINLength(let parameters)?): try setMinPINLength(parameters)
    case (.setMinPINLength, _): throw Refusal(.missingParameter)
    default: throw Refusal(.invalidParameter)
    }
    log.add(.configured(request.subCommand))
    return .success(nil)
  }

  /// Refuses what the profile does not have: each setting has an option or a member of getInfo that announces it.
  private func checkSupported(_ request: AuthenticatorConfigRequest) throws(Refusal) {
    let info = profile.info
    let isSupported =
      switch request.subCommand {
      case .enableEnterpriseAttestation: profile.option(.ep) != nil
      case .toggleAlwaysUv: profile.option(.alwaysUv) != nil
      case .setMinPINLength: profile.option(.setMinPINLength) == true
      case .enableLongTouchForReset: info.longTouchForReset != nil
      // What a vendor's commands do is not known, whichever are announced: none of them is carried out.
      case .vendorPrototype: info.vendorPrototypeConfigCommands != nil
      default: false
      }
    if !isSupported { throw Refusal(.invalidSubcommand) }
  }

  private func setMinPINLength(_ parameters: SetMinPINLengthParameters) throws(Refusal) {
    let length = parameters.newMinPINLength ?? minimumPINLength
    guard length >= minimumPINLength, length <= profile.maximumPINLength else { throw Refusal(.pinPolicyViolation) }
    let rpIDs = parameters.minPinLengthRPIDs
    if let rpIDs, rpIDs.count > profile.info.maxRPIDsForSetMinPINLength ?? Self.defaultRPIDCount {
      throw Refusal(.keyStoreFull)
    }
    let wantsComplexity = parameters.pinComplexityPolicy
    // The policy can be switched on where the key has one, and not off.
    if let wantsComplexity, profile.info.pinComplexityPolicy == nil || (enforcesPINComplexity && !wantsComplexity) {
      throw Refusal(.invalidParameter)
    }
    let isForced = parameters.forceChangePin == true
    if isForced, !isPINSet { throw Refusal(.pinNotSet) }
    let isTooShort = state.pin.map { $0.length < length } ?? false
    try commit {
      $0.minimumPINLength = length
      if let rpIDs { $0.minimumPINLengthRPIDs = rpIDs }
      if wantsComplexity == true { $0.pinComplexityPolicy = true }
      if isForced || isTooShort || (wantsComplexity == true && self.isPINSet) { $0.mustChangePIN = true }
    }
    if state.mustChangePIN { token = PINUVToken() }
  }
}
