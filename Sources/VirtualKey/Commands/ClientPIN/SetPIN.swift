import CTAPMessages

extension Authenticator {
  /// setPIN (CTAP 2.1 §6.5.5.5): only where none is set.
  func setFirstPIN(_ request: ClientPINRequest) throws(Refusal) -> Outcome {
    let newPIN = try required(request.newPinEnc)
    let param = try required(request.pinUvAuthParam)
    let secret = try sharedSecret(request)
    guard !isPINSet, secret.verifies(param, of: newPIN) else { throw Refusal(.pinAuthInvalid) }
    try setPIN(newPIN, secret)
    return .success(nil)
  }

  /// changePIN (CTAP 2.1 §6.5.5.6): with the old PIN, which costs a try; it ends all tokens.
  func changePIN(_ request: ClientPINRequest) throws(Refusal) -> Outcome {
    let newPIN = try required(request.newPinEnc)
    let oldHash = try required(request.pinHashEnc)
    let param = try required(request.pinUvAuthParam)
    try requirePINTries()
    let secret = try sharedSecret(request)
    guard secret.verifies(param, of: newPIN + oldHash) else { throw Refusal(.pinAuthInvalid) }
    try checkPIN(oldHash, secret)
    try setPIN(newPIN, secret)
    token = PINUVToken()
    return .success(nil)
  }
}
