import CTAPMessages

extension Authenticator {
  /// authenticatorSelection (CTAP 2.1 §6.9): succeeds when the key is touched.
  func selection() throws(Refusal) -> Outcome {
    try requireTouch(.selection, nil) { .success(nil) }
  }

  /// The form of CTAP 2.0: a request with an empty pinUvAuthParam waits for a touch and fails all the same, with a
  /// status that says whether a PIN or built-in verification is set up (CTAP 2.1 §6.1.2 step 1).
  func touchProbe(_ command: CTAPCommand, _ rpID: String) throws(Refusal) -> Outcome {
    try requireTouch(command, rpID) { () throws(Refusal) in
      throw Refusal(self.isProtected ? .pinInvalid : .pinNotSet)
    }
  }
}
