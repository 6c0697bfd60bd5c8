import CTAPMessages
import Timing

extension Authenticator {
  /// How long after power comes a reset is allowed.
  static let resetWindow = Duration.seconds(10)

  /// authenticatorReset (CTAP 2.1 §6.6): soon after power-up and with a touch, everything but the attestation key goes.
  func reset() throws(Refusal) -> Outcome {
    guard now.since(poweredUpAt) < Self.resetWindow else { throw Refusal(.notAllowed) }
    return try requireTouch(.reset, nil) { () throws(Refusal) in
      let factory = VirtualKeyState.factory(self.profile, self.random)
      try self.commit {
        let attestation = $0.attestation
        $0 = factory
        $0.attestation = attestation
      }
      self.forgetVolatile()
      self.log.add(.wasReset)
      return .success(nil)
    }
  }
}
