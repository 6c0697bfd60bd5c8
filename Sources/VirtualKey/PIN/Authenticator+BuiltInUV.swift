import CTAPMessages

/// How a use of the built-in sensor ended.
enum VerificationResult {
  case verified
  case failed
  case blocked
}

extension Authenticator {
  /// Uses the simulated sensor (performBuiltInUv, CTAP 2.1 §6.5.3.1): a touch of it is a touch of the key.
  func verifyBuiltIn(
    _ command: CTAPCommand, _ rpID: String?, then: @escaping (VerificationResult) throws(Refusal) -> Outcome
  ) throws(Refusal) -> Outcome {
    if configuration.verification == .blocked { try commit { $0.uvRetries = 0 } }
    guard state.uvRetries > 0 else { return try then(.blocked) }
    return try requireTouch(command, rpID) { () throws(Refusal) in
      let verified = self.configuration.verification == .succeeds
      try self.commit { $0.uvRetries = verified ? VirtualKeyState.fullUVRetries : $0.uvRetries - 1 }
      self.log.add(.verificationTry(succeeded: verified, retriesLeft: self.state.uvRetries))
      return try then(verified ? .verified : self.state.uvRetries == 0 ? .blocked : .failed)
    }
  }
}
