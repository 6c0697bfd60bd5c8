public import CTAPHID
internal import CTAPMessages
internal import FIDOCrypto
public import Octets

extension KeySession {
  /// Gives a key without a PIN its first one (CTAP 2.2 §6.5.5.5).
  ///
  /// - Throws: `pin` before anything is sent, where it breaks one of the key's stated rules;
  ///   `verification(.pinPolicyViolation)` where the key has a rule more; `changeUncertain` where the answer was lost.
  public func setPIN(_ pin: SecretBytes, _ wait: Wait) throws(CTAP2Error) {
    let padded = try padded(pin, wait)
    let secret = try keyAgreement(wait)
    let newPIN = try encrypted(padded, secret)
    let request = ClientPINRequest(
      .setPIN, pinUvAuthProtocol: secret.version.rawValue, keyAgreement: secret.platformKey,
      pinUvAuthParam: secret.authenticate(newPIN), newPinEnc: newPIN)
    try change(.setPIN, request, wait)
  }

  /// Replaces a key's PIN (CTAP 2.2 §6.5.5.6); a wrong old one costs a try, and this is sent only once.
  ///
  /// - Throws: as `setPIN`, and `verification` with what the key made of the old PIN.
  public func changePIN(from old: SecretBytes, to new: SecretBytes, _ wait: Wait) throws(CTAP2Error) {
    let padded = try padded(new, wait)
    let old = try prepared(old)
    let secret = try keyAgreement(wait)
    let newPIN = try encrypted(padded, secret)
    let oldHash = try encryptedHash(of: old, secret)
    let request = ClientPINRequest(
      .changePIN, pinUvAuthProtocol: secret.version.rawValue, keyAgreement: secret.platformKey,
      pinUvAuthParam: secret.authenticate(newPIN + oldHash), newPinEnc: newPIN, pinHashEnc: oldHash)
    do throws(CTAP2Error) {
      try change(.changePIN, request, wait)
    } catch {
      guard case .verification(.pinInvalid) = error else { throw error }
      throw .verification(.pinInvalid(try? pinRetries(wait)))
    }
  }

  private func change(_ kind: KeyChange, _ request: ClientPINRequest, _ wait: Wait) throws(CTAP2Error) {
    do throws(CTAP2Error) {
      try change(kind, .clientPIN, request.cbor(), wait) { value throws(Unfit) in try Unfit.empty(value) }
    } catch {
      if case .verification(.pinMustChange) = error { throw .verification(.pinPolicyViolation) }
      throw error
    }
  }

  /// A new PIN under the key's own rules, with zeros after it up to 64 bytes.
  private func padded(_ pin: SecretBytes, _ wait: Wait) throws(CTAP2Error) -> SecretBytes {
    let info = try info(wait)
    let text: SecretBytes
    do throws(PINError) {
      text = try PIN.prepare(
        pin, minimumCodePoints: max(PIN.minimumCodePoints, info.minPINLength ?? 0),
        maximumCodePoints: info.maxPINLength)
    } catch {
      throw .pin(error)
    }
    return SecretBytes(count: 64) { padded in text.withBytes { padded.copyMemory(from: $0) } }
  }

  private func encrypted(_ text: SecretBytes, _ secret: SharedSecret) throws(CTAP2Error) -> [UInt8] {
    do throws(CryptoError) {
      return try secret.encrypt(text, random: random)
    } catch {
      throw .crypto(error)
    }
  }
}
