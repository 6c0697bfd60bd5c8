import CTAPMessages

/// What of a request decides on user verification, alike for makeCredential and getAssertion.
struct VerificationRequest {
  let command: CTAPCommand
  let permission: PINUVAuthPermissions
  let rpID: String
  let clientDataHash: [UInt8]
  let param: [UInt8]?
  let version: Int?
  /// The uv option; a pinUvAuthParam makes it count as false.
  let wantsBuiltIn: Bool
}

/// What user verification found, and whether it was a sign of presence as well.
struct Verified {
  var user = false
  var present = false
}

extension Authenticator {
  /// Steps that come first in both commands: which protocol, and whether the key has what the uv option asks for.
  func checkVerification(_ param: [UInt8]?, _ version: Int?, _ options: RequestOptions) throws(Refusal) {
    if param != nil {
      guard let version else { throw Refusal(.missingParameter) }
      try requireProtocol(version)
    } else if options.uv == true, !isBuiltInUVConfigured {
      throw Refusal(.invalidOption)
    }
  }

  /// The refusal where verification is needed and none was sent: the PIN that is set can help, or nothing can.
  var verificationMissing: Refusal { Refusal(isPINSet && !pinGivesNoMcGa ? .puatRequired : .operationDenied) }

  /// The same under alwaysUv, where a PIN that is still to be set can help too.
  var verificationAlwaysMissing: Refusal {
    Refusal(profile.option(.clientPin) != nil && !pinGivesNoMcGa ? .puatRequired : .operationDenied)
  }

  /// Verifies the user by token or built-in sensor, or not at all, and goes on (CTAP 2.1 §6.1.2 step 11, §6.2.2 step 6).
  func verify(
    _ request: VerificationRequest, then: @escaping (Verified) throws(Refusal) -> Outcome
  ) throws(Refusal) -> Outcome {
    if let param = request.param {
      guard isProtected else { throw Refusal(.pinNotSet) }
      try spendToken(request, param)
      return try then(Verified(user: true, present: token.userPresent(at: now)))
    }
    guard request.wantsBuiltIn else { return try then(Verified()) }
    return try verifyBuiltIn(request.command, request.rpID) { (result) throws(Refusal) in
      guard result == .verified else { throw self.verificationMissing }
      return try then(Verified(user: true, present: true))
    }
  }

  private func spendToken(_ request: VerificationRequest, _ param: [UInt8]) throws(Refusal) {
    guard
      token.verifies(param, of: request.clientDataHash, version: request.version ?? 0, now: now),
      token.permissions.contains(request.permission), token.isUserVerified,
      token.rpID == nil || token.rpID == request.rpID
    else { throw Refusal(.pinAuthInvalid) }
    token.bind(to: request.rpID)
  }
}
