import CTAPMessages
import FIDOCrypto
import Octets

extension Authenticator {
  /// Wrong PINs in a row after which only a power cycle allows another try.
  static let wrongPINsBeforePowerCycle = 3

  /// Refuses where no PIN may be tried now.
  func requirePINTries() throws(Refusal) {
    guard isPINSet else { throw Refusal(.pinNotSet) }
    guard state.pinRetries > 0 else { throw Refusal(.pinBlocked) }
    guard wrongPINsInARow < Self.wrongPINsBeforePowerCycle else { throw Refusal(.pinAuthBlocked) }
  }

  /// Compares a PIN; a try is spent and saved before anything is compared, so that pulling the plug gives none back.
  func checkPIN(_ encryptedHash: [UInt8], _ secret: SharedSecret) throws(Refusal) {
    try commit { $0.pinRetries -= 1 }
    log.add(.pinTry(retriesLeft: state.pinRetries))
    guard let hash = secret.decrypt(encryptedHash), let pin = state.pin,
      hash.withBytes({ ConstantTime.equal($0, pin.hash) })
    else {
      regenerateAgreement(secret.version)
      wrongPINsInARow += 1
      if state.pinRetries == 0 { throw Refusal(.pinBlocked) }
      throw Refusal(wrongPINsInARow >= Self.wrongPINsBeforePowerCycle ? .pinAuthBlocked : .pinInvalid)
    }
    wrongPINsInARow = 0
    try commit {
      $0.pinRetries = VirtualKeyState.fullPINRetries
      $0.uvRetries = VirtualKeyState.fullUVRetries
    }
    log.add(.pinRight)
  }

  /// Decrypts a new PIN, holds it against the policy and keeps it.
  ///
  /// The text comes in 64 bytes, filled up with zeros, so it has at most 63.
  func setPIN(_ encrypted: [UInt8], _ secret: SharedSecret) throws(Refusal) {
    guard let padded = secret.decrypt(encrypted), padded.count == 64 else { throw Refusal(.invalidParameter) }
    var bytes = padded.exposed()
    defer { bytes.wipe() }
    let count = bytes.lastIndex { $0 != 0 }.map { $0 + 1 } ?? 0
    guard count < 64, let length = StoredPIN.codePoints(bytes[..<count]) else { throw Refusal(.pinPolicyViolation) }
    if enforcesPINComplexity, StoredPIN.isSimple(bytes[..<count]) { throw Refusal(.pinPolicyViolation) }
    let pin = StoredPIN(SecretBytes(bytes[..<count]))
    guard length >= minimumPINLength, length <= profile.maximumPINLength, !(state.mustChangePIN && pin == state.pin)
    else { throw Refusal(.pinPolicyViolation) }
    try commit {
      $0.pin = pin
      $0.pinRetries = VirtualKeyState.fullPINRetries
      $0.mustChangePIN = false
      $0.persistent = nil
    }
    log.add(.pinSet)
  }
}
