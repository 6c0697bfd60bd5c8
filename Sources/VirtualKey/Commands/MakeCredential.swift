import CTAPMessages
import FIDOCrypto

// authenticatorMakeCredential, in the order of CTAP 2.1 §6.1.2:
//  1  an empty pinUvAuthParam only asks for a touch
//  2  the protocol of a pinUvAuthParam
//  3  the first algorithm that suits
//  5  options: uv needs a sensor, rk room, up cannot be false
//  6  alwaysUv
//  7, 8  what needs user verification, by makeCredUvNotRqd
//  9  enterprise attestation
// 11  user verification
// 12  the exclude list
// 14  a touch
// 15… extensions, the credential, its attestation
extension Authenticator {
  func makeCredential(_ request: MakeCredentialRequest) throws(Refusal) -> Outcome {
    if let param = request.pinUvAuthParam, param.isEmpty {
      return try touchProbe(.makeCredential, request.rp.id)
    }
    try checkVerification(request.pinUvAuthParam, request.pinUvAuthProtocol, request.options)
    try checkSizes(request)
    guard let algorithm = profile.algorithm(for: request.pubKeyCredParams) else { throw Refusal(.unsupportedAlgorithm) }
    if request.options.rk == true, profile.option(.rk) != true { throw Refusal(.unsupportedOption) }
    if request.options.up == false { throw Refusal(.invalidOption) }
    let wantsBuiltIn = try needsBuiltIn(request)
    let plan = CreationPlan(
      request: request, algorithm: algorithm, isResident: request.options.rk == true,
      isEnterprise: try grantsEnterprise(request),
      extensions: try CreationExtensions(request.extensions, options: request.options, configuration))
    let verification = VerificationRequest(
      command: .makeCredential, permission: .makeCredential, rpID: request.rp.id,
      clientDataHash: request.clientDataHash, param: request.pinUvAuthParam, version: request.pinUvAuthProtocol,
      wantsBuiltIn: wantsBuiltIn)
    return try verify(verification) { (verified) throws(Refusal) in
      if self.isExcluded(request, verified) { return try self.excluded(request.rp.id, verified) }
      return try self.withPresence(.makeCredential, request.rp.id, verified) { () throws(Refusal) in
        try self.create(plan, verified: verified.user)
      }
    }
  }

  private func checkSizes(_ request: MakeCredentialRequest) throws(Refusal) {
    guard request.clientDataHash.count == 32, (1...64).contains(request.user.id.count) else {
      throw Refusal(.invalidLength)
    }
    try checkList(request.excludeList)
  }

  /// Whether the sensor is to be used; refuses where verification is needed and nothing offers it.
  private func needsBuiltIn(_ request: MakeCredentialRequest) throws(Refusal) -> Bool {
    if request.pinUvAuthParam != nil { return false }
    if request.options.uv == true { return true }
    if alwaysUV {
      guard isBuiltInUVConfigured else { throw verificationAlwaysMissing }
      return true
    }
    let isExempt = makeCredUvNotRqd && request.options.rk != true
    if isProtected, !isExempt { throw verificationMissing }
    return false
  }

  /// Whether the attestation is to be an enterprise attestation (CTAP 2.1 §7.1).
  private func grantsEnterprise(_ request: MakeCredentialRequest) throws(Refusal) -> Bool {
    guard let wanted = request.enterpriseAttestation else { return false }
    guard enterpriseAttestation else { throw Refusal(.invalidParameter) }
    switch wanted {
    case .vendorFacilitated: return configuration.enterpriseRPIDs.contains(request.rp.id)
    case .platformManaged: return true
    default: throw Refusal(.invalidOption)
    }
  }

  /// Whether the exclude list names a credential of the key; one that demands verification is hidden without it.
  private func isExcluded(_ request: MakeCredentialRequest, _ verified: Verified) -> Bool {
    request.excludeList.contains { descriptor in
      guard let credential = credential(descriptor, rpID: request.rp.id) else { return false }
      return verified.user || credential.protection < CredentialProtection.required
    }
  }

  /// Tells of an excluded credential only after a touch, whatever comes of the touch.
  private func excluded(_ rpID: String, _ verified: Verified) throws(Refusal) -> Outcome {
    if verified.present { throw Refusal(.credentialExcluded) }
    return try askForTouch(.makeCredential, rpID) { _ throws(Refusal) in throw Refusal(.credentialExcluded) }
  }

  /// Goes on after a touch, or at once where verification was one; either way the token has had its use.
  func withPresence(
    _ command: CTAPCommand, _ rpID: String, _ verified: Verified, then: @escaping () throws(Refusal) -> Outcome
  ) throws(Refusal) -> Outcome {
    let spend = { () throws(Refusal) in
      self.token.wasSpent()
      return try then()
    }
    return try verified.present ? spend() : requireTouch(command, rpID, then: spend)
  }
}

/// What was decided on before the user was asked.
struct CreationPlan {
  let request: MakeCredentialRequest
  let algorithm: SignatureAlgorithm
  let isResident: Bool
  let isEnterprise: Bool
  let extensions: CreationExtensions
}

/// The levels of credProtect (CTAP 2.1 §12.1).
enum CredentialProtection {
  static let optional = 1
  static let optionalWithList = 2
  static let required = 3
}
