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

  private static func status(of error: WebAuthnError) -> ExitStatus {
    switch error.kind {
    case .badRequest, .serverRefused, .badOrigin: .badRequest
    case .noSuitableKey, .noCredential, .keyStoreFull: .unavailable
    case .keyNotFound: .noInput
    case .pinMissing, .pinInvalid, .pinNeedsReplug, .pinBlocked, .pinMustChange: .pin
    case .cancelled, .keyRefused, .extensionFailed: .declined
    case .timedOut: .tryAgain
    case .credentialExcluded: .excluded
    case .credentialExists: .credentialExists
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
      "there is no key '\(SafeText.escaping(key))'; `ctap-bridge list` shows those that are there"
    case .permissionDenied(let path):
      "you may not open \(SafeText.escaping(path)); install the udev rule 70-ctap-bridge.rules with `sudo make install`, "
        + "then plug the key in again"
    case .busy(let path): "another program is using \(SafeText.escaping(path)); end it or try again"
    case .unplugged: "the key was unplugged"
    case .cancelled: "the wait for the key was cancelled"
    case .closed: "the key is not open"
    case .unsuitable(let reason): "the device cannot be used as a security key: \(SafeText.escaping(reason))"
    case .failed(let operation, let code, let message):
      "talking to the key failed in \(operation): \(SafeText.escaping(message)) (error \(code))"
    }
  }
}
