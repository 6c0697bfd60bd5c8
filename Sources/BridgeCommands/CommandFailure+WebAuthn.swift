import CTAP2
import CTAPHID
import WebAuthnClient

extension CommandFailure {
  /// A ceremony's error, with the exit status of its kind.
  init(_ error: WebAuthnError) {
    self.init(error.name.rawValue, error.reason, Self.status(of: error))
  }

  /// A failure to reach keys at all.
  init(_ error: TransportError) {
    switch error {
    case .permissionDenied:
      self.init("NotAllowedError", error.sentence, .noPermission)
    case .notFound:
      self.init("NotAllowedError", error.sentence, .noInput)
    case .busy:
      self.init("NotAllowedError", error.sentence, .tryAgain)
    case .unplugged, .cancelled, .closed, .unsuitable, .failed:
      self.init("NotAllowedError", error.sentence, .inputOutput)
    }
  }

  /// A failure of a command on a key.
  init(_ error: CTAP2Error, key: KeyDescription) {
    if case .hid(.transport(let cause, _)) = error {
      self.init(cause)
      return
    }
    let status: ExitStatus =
      if error.isCancellation { .declined } else if error.isTimeout { .tryAgain } else if error.isUnplugged {
        .inputOutput
      } else if error.status != nil { .declined } else { .protocolViolation }
    self.init("NotAllowedError", "\(key.label): \(error.description)", status)
  }

  private static func status(of error: WebAuthnError) -> ExitStatus {
    switch error.kind {
    case .badRequest, .serverRefused, .badOrigin: .badRequest
    case .noSuitableKey, .noCredential, .keyStoreFull: .unavailable
    case .noPermission: .noPermission
    case .keyNotFound: .noInput
    case .pinMissing, .newPINMissing, .pinNotSet, .pinInvalid, .pinNeedsReplug, .pinBlocked, .pinMustChange: .pin
    case .confirmationMissing, .cancelled, .keyRefused, .extensionFailed: .declined
    case .timedOut: .tryAgain
    case .credentialExcluded: .excluded
    case .credentialExists: .credentialExists
    case .changeUncertain: .uncertain
    case .communication: .inputOutput
    case .internalFault: .software
    }
  }
}

extension TransportError {
  /// What happened and what to do, for people.
  var sentence: String {
    switch self {
    case .notFound(let key):
      "There is no key with the path or serial number \(PlainText.quoted(key)); `ctap-bridge list` shows those that are "
        + "there."
    case .permissionDenied(let path):
      "This user may not open the key \(path); install the udev rule 70-ctap-bridge.rules with `sudo make install` and "
        + "plug the key in again."
    case .busy(let path): "Another program is using the key \(path); end it or try again."
    case .unplugged: "The key was unplugged."
    case .cancelled: "The wait for the key was cancelled."
    case .closed: "The key is not open."
    case .unsuitable(let reason): "The device cannot be used as a security key: \(reason)."
    case .failed(let operation, let code, let message):
      "Talking to the key failed in \(operation): \(message) (error \(code))."
    }
  }
}
