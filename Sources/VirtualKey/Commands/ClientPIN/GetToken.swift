import CTAPMessages
import Octets

extension Authenticator {
  /// getPinToken (CTAP 2.1 §6.5.5.7.1): for a PIN, good for makeCredential and getAssertion.
  func getPINToken(_ request: ClientPINRequest) throws(Refusal) -> Outcome {
    let hash = try required(request.pinHashEnc)
    guard request.permissions == nil, request.rpID == nil else { throw Refusal(.invalidParameter) }
    if pinGivesNoMcGa { throw Refusal(.unauthorizedPermission) }
    let secret = try sharedSecret(request)
    try requirePINTries()
    try checkPIN(hash, secret)
    // CTAP 2.0 hosts know no better word for a PIN that must be changed.
    if state.mustChangePIN { throw Refusal(.pinInvalid) }
    return try giveToken(secret, [.makeCredential, .getAssertion], rpID: nil, userPresent: false)
  }

  /// getPinUvAuthTokenUsingPinWithPermissions (CTAP 2.1 §6.5.5.7.2).
  func getTokenUsingPIN(_ request: ClientPINRequest) throws(Refusal) -> Outcome {
    let hash = try required(request.pinHashEnc)
    let permissions = try grantable(request, usingPIN: true)
    let secret = try sharedSecret(request)
    try requirePINTries()
    try checkPIN(hash, secret)
    if state.mustChangePIN { throw Refusal(.pinPolicyViolation) }
    return try giveToken(secret, permissions, rpID: request.rpID, userPresent: false)
  }

  /// getPinUvAuthTokenUsingUvWithPermissions (CTAP 2.1 §6.5.5.7.3): the sensor's touch counts as presence.
  func getTokenUsingUV(_ request: ClientPINRequest) throws(Refusal) -> Outcome {
    let permissions = try grantable(request, usingPIN: false)
    let secret = try sharedSecret(request)
    guard isBuiltInUVConfigured else { throw Refusal(.notAllowed) }
    return try verifyBuiltIn(.clientPIN, request.rpID) { (result) throws(Refusal) in
      switch result {
      case .verified: return try self.giveToken(secret, permissions, rpID: request.rpID, userPresent: true)
      case .failed: throw Refusal(.uvInvalid)
      case .blocked: throw Refusal(.uvBlocked)
      }
    }
  }

  /// The permissions that are asked for, where the key can give them all; bits that mean nothing are ignored.
  private func grantable(_ request: ClientPINRequest, usingPIN: Bool) throws(Refusal) -> PINUVAuthPermissions {
    let wanted = try required(request.permissions)
    if wanted.isEmpty { throw Refusal(.invalidParameter) }
    let info = profile.info
    let forRP: PINUVAuthPermissions = [.makeCredential, .getAssertion]
    var able: PINUVAuthPermissions = usingPIN && pinGivesNoMcGa ? [] : forRP
    if info.isOn(.credMgmt) || info.isOn(.credentialMgmtPreview) { able.insert(.credentialManagement) }
    if profile.enrolsFingerprints, usingPIN || info.isOn(.uvBioEnroll) { able.insert(.bioEnrollment) }
    if info.isOn(.largeBlobs) { able.insert(.largeBlobWrite) }
    if info.isOn(.authnrCfg), usingPIN || info.isOn(.uvAcfg) { able.insert(.authenticatorConfiguration) }
    if info.isOn(.perCredMgmtRO) { able.insert(.persistentCredentialManagementReadOnly) }
    let known = wanted.intersection(PINUVAuthPermissions(rawValue: 0x7f))
    guard known.isSubset(of: able) else { throw Refusal(.unauthorizedPermission) }
    // The persistent token is another one than the token in use, so it has no other permission.
    let persistent = PINUVAuthPermissions.persistentCredentialManagementReadOnly
    if known.contains(persistent), known != persistent { throw Refusal(.invalidParameter) }
    if !known.isDisjoint(with: forRP), request.rpID == nil { throw Refusal(.missingParameter) }
    return known
  }

  /// Gives out the persistent token, which is the same each time and leaves the token in use alone.
  private func givePersistentToken(_ secret: SharedSecret) throws(Refusal) -> Outcome {
    guard let encrypted = secret.encrypt(try persistentToken(), random) else { throw Refusal(.other) }
    log.add(.tokenGiven(.persistentCredentialManagementReadOnly, rpID: nil))
    return .message(ClientPINResponse(pinUvAuthToken: encrypted))
  }

  private func giveToken(
    _ secret: SharedSecret, _ permissions: PINUVAuthPermissions, rpID: String?, userPresent: Bool
  ) throws(Refusal) -> Outcome {
    if permissions == .persistentCredentialManagementReadOnly { return try givePersistentToken(secret) }
    var drawn = random.bytes(secret.version == 1 ? 16 : 32)
    let value = SecretBytes(taking: &drawn)
    guard let encrypted = secret.encrypt(value, random) else { throw Refusal(.other) }
    token.begin(
      value, version: secret.version, permissions: permissions, rpID: rpID, userPresent: userPresent,
      timed: profile.hasPermissions, now: now)
    log.add(.tokenGiven(permissions, rpID: rpID))
    return .message(ClientPINResponse(pinUvAuthToken: encrypted))
  }
}
