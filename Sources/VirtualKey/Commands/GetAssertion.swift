import CBOR
import CTAPHID
import CTAPMessages
import FIDOCrypto
import Timing

// authenticatorGetAssertion, in the order of CTAP 2.1 §6.2.2:
//  1  an empty pinUvAuthParam only asks for a touch
//  2  the protocol of a pinUvAuthParam
//  4  options: uv needs a sensor, rk means nothing here
//  5  alwaysUv
//  6  user verification
//  7… the credentials, less those that credProtect hides
// 10  a touch, unless up is false
// 11… extensions, the signature
extension Authenticator {
  func getAssertion(_ request: GetAssertionRequest) throws(Refusal) -> Outcome {
    if let param = request.pinUvAuthParam, param.isEmpty { return try touchProbe(.getAssertion, request.rpID) }
    try checkVerification(request.pinUvAuthParam, request.pinUvAuthProtocol, request.options)
    guard request.clientDataHash.count == 32 else { throw Refusal(.invalidLength) }
    try checkList(request.allowList)
    if request.options.rk != nil { throw Refusal(.unsupportedOption) }
    let wantsPresence = request.options.up ?? true
    let extensions = try AssertionExtensions(request, configuration)
    let verification = VerificationRequest(
      command: .getAssertion, permission: .getAssertion, rpID: request.rpID, clientDataHash: request.clientDataHash,
      param: request.pinUvAuthParam, version: request.pinUvAuthProtocol,
      wantsBuiltIn: try needsBuiltIn(request, wantsPresence))
    return try verify(verification) { (verified) throws(Refusal) in
      let candidates = self.candidates(request, verified)
      if candidates.isEmpty { throw Refusal(.noCredentials) }
      let plan = AssertionPlan(
        rpID: request.rpID, clientDataHash: request.clientDataHash, extensions: extensions, verified: verified.user,
        present: wantsPresence, tellsNames: verified.user && candidates.count > 1)
      let answer = { () throws(Refusal) in try self.answer(plan, candidates) }
      return try wantsPresence
        ? self.withPresence(.getAssertion, request.rpID, verified, then: answer) : answer()
    }
  }

  /// authenticatorGetNextAssertion (CTAP 2.1 §6.3): for 30 s, and only for who began.
  func getNextAssertion() throws(Refusal) -> Outcome {
    guard var rest = remembered, rest.channel == channel, now < rest.deadline, !rest.credentials.isEmpty else {
      remembered = nil
      throw Refusal(.notAllowed)
    }
    let response = try assertion(rest.credentials.removeFirst(), rest.plan)
    rest.deadline = now + RememberedAssertions.patience
    remembered = rest
    return .message(response)
  }

  private func needsBuiltIn(_ request: GetAssertionRequest, _ wantsPresence: Bool) throws(Refusal) -> Bool {
    if request.pinUvAuthParam != nil { return false }
    if request.options.uv == true { return true }
    guard alwaysUV, wantsPresence else { return false }
    guard isBuiltInUVConfigured else { throw verificationAlwaysMissing }
    return true
  }

  private func candidates(_ request: GetAssertionRequest, _ verified: Verified) -> [StoredCredential] {
    if request.allowList.isEmpty {
      return residents(request.rpID).filter { verified.user || $0.protection < CredentialProtection.optionalWithList }
    }
    // Of a list the first one answers alone.
    let named = request.allowList.lazy.compactMap { self.credential($0, rpID: request.rpID) }
    return named.first { verified.user || $0.protection < CredentialProtection.required }.map { [$0] } ?? []
  }

  private func answer(_ plan: AssertionPlan, _ candidates: [StoredCredential]) throws(Refusal) -> Outcome {
    guard let first = candidates.first else { throw Refusal(.noCredentials) }
    var response = try assertion(first, plan)
    if candidates.count > 1 {
      response.numberOfCredentials = candidates.count
      remembered = RememberedAssertions(
        channel: channel, plan: plan, credentials: Array(candidates.dropFirst()),
        deadline: now + RememberedAssertions.patience)
    }
    return .message(response)
  }

  private func assertion(_ credential: StoredCredential, _ plan: AssertionPlan) throws(Refusal) -> GetAssertionResponse
  {
    let (outputs, blob) = try plan.extensions.outputs(credential, verified: plan.verified, by: self)
    let counter = state.signatureCounter &+ 1
    let authData = try authenticatorData(
      plan.rpID, counter, present: plan.present, verified: plan.verified, outputs.signed)
    let signature = try SigningKey(credential.key).signature(authData.encoded() + plan.clientDataHash)
    // A counter that was seen must never come again: it is saved before the answer leaves.
    try commit {
      $0.signatureCounter = counter
      if let blob { $0.setLargeBlob(blob, of: credential.id) }
    }
    log.add(.signed(rpID: plan.rpID, id: credential.id, counter: counter))
    return GetAssertionResponse(
      credential: CredentialDescriptor(id: credential.id), authData: authData, signature: signature,
      user: user(credential, plan), largeBlobKey: plan.extensions.largeBlobKey ? credential.largeBlobKey : nil,
      unsignedExtensionOutputs: outputs.unsigned.isEmpty ? nil : outputs.unsigned)
  }

  /// The account of a resident credential: names only after verification, and where there is a choice to make.
  private func user(_ credential: StoredCredential, _ plan: AssertionPlan) -> UserEntity? {
    guard credential.isResident else { return nil }
    guard plan.tellsNames else { return UserEntity(id: credential.userID) }
    return UserEntity(id: credential.userID, name: credential.userName, displayName: credential.userDisplayName)
  }
}

/// What was decided on for one assertion and those that follow it.
struct AssertionPlan {
  let rpID: String
  let clientDataHash: [UInt8]
  let extensions: AssertionExtensions
  let verified: Bool
  let present: Bool
  let tellsNames: Bool
}

/// The rest of a getAssertion that several credentials answer.
struct RememberedAssertions {
  static let patience = Duration.seconds(30)

  let channel: ChannelID
  let plan: AssertionPlan
  var credentials: [StoredCredential]
  var deadline: Instant
}
