import CTAPMessages
import FIDOCrypto

extension Authenticator {
  /// authenticatorClientPIN (CTAP 2.1 §6.5.5): one method for each subcommand.
  func clientPIN(_ request: ClientPINRequest) throws(Refusal) -> Outcome {
    let hasPIN = profile.option(.clientPin) != nil
    let hasUV = profile.option(.uv) != nil
    switch request.subCommand {
    case .getPINRetries where hasPIN: return getPINRetries()
    case .getKeyAgreement: return try getKeyAgreement(request)
    case .setPIN where hasPIN: return try setFirstPIN(request)
    case .changePIN where hasPIN: return try changePIN(request)
    case .getPINToken where hasPIN: return try getPINToken(request)
    case .getPINUVAuthTokenUsingUVWithPermissions where hasUV && profile.hasPermissions:
      return try getTokenUsingUV(request)
    case .getUVRetries where hasUV && profile.isCTAP21:
      return .message(ClientPINResponse(uvRetries: state.uvRetries))
    case .getPINUVAuthTokenUsingPINWithPermissions where hasPIN && profile.hasPermissions:
      return try getTokenUsingPIN(request)
    // CTAP 2.0 had no status for this.
    default: throw Refusal(profile.isCTAP21 ? .invalidSubcommand : .invalidParameter)
    }
  }

  private func getPINRetries() -> Outcome {
    let isBlocked = wrongPINsInARow >= Self.wrongPINsBeforePowerCycle && state.pinRetries > 0
    return .message(
      ClientPINResponse(pinRetries: state.pinRetries, powerCycleState: profile.isCTAP21 ? isBlocked : nil))
  }

  private func getKeyAgreement(_ request: ClientPINRequest) throws(Refusal) -> Outcome {
    let version = try required(request.pinUvAuthProtocol)
    try requireProtocol(version)
    let key = try agreement(version)
    return .message(ClientPINResponse(keyAgreement: .keyAgreement(x: key.x, y: key.y)))
  }

  /// The shared secret of a request that must have a protocol and a key agreement.
  func sharedSecret(_ request: ClientPINRequest) throws(Refusal) -> SharedSecret {
    let version = try required(request.pinUvAuthProtocol)
    try requireProtocol(version)
    return try sharedSecret(version, required(request.keyAgreement))
  }

  func required<Value>(_ value: Value?) throws(Refusal) -> Value {
    guard let value else { throw Refusal(.missingParameter) }
    return value
  }
}
