internal import CTAP2
internal import CTAPHID
internal import CTAPMessages
internal import Octets

/// What an error of a key means to a person and to a relying party.
struct CTAP2Words {
  let error: CTAP2Error

  init(_ error: CTAP2Error) {
    self.error = error
  }

  /// A clause that goes on after "the key cannot be used:" or the like.
  var clause: String {
    switch error {
    case .hid(let error): Self.clause(error)
    case .notCTAP2: "it speaks U2F alone, and FIDO2 is needed"
    case .u2f(let status, _): "it answered \(status) over U2F: \(status.explanation)"
    case .u2fMisfit(let reason, _): "its answer does not fit: \(reason)"
    case .status(let status, _): "it answered \(status.name): \(status.explanation)"
    case .verification(let failure): Self.clause(failure)
    case .pin(let problem): "\(problem)"
    case .misfit(let reason, _): "its answer does not fit: \(reason)"
    case .notOffered(let what): "it does not offer \(what)"
    case .requestTooLarge(let size, let limit): "the request has \(size) bytes and it takes \(limit)"
    case .largeBlobsFull(let size, let limit): "its large blobs would take \(size) bytes and it has room for \(limit)"
    case .largeBlobUnfit(let reason): "the large blob cannot be used: \(reason)"
    case .listTooSlow(let looked, let total): "it looked for only \(looked) of \(total) credentials of the list in time"
    case .credentialMayExist(_, let cause), .createdLate(_, let cause), .changeUncertain(_, let cause):
      CTAP2Words(cause).clause
    case .credentialInvalid(_, let reason): reason
    case .crypto(let problem): "a computation with its answer failed (\(problem))"
    }
  }

  /// What to do about a node that the user may not open.
  static let noPermission =
    "this user may not open it; install the udev rule 70-ctap-bridge.rules with `sudo make install` and plug the key "
    + "in again"

  private static func clause(_ error: CTAPHIDError) -> String {
    switch error {
    case .transport(.unplugged, _): "it was pulled out"
    case .transport(.busy, _): "another program is using it"
    case .transport(.permissionDenied, _): noPermission
    case .transport(.cancelled, _), .cancelled: "the wait for it was cancelled"
    case .transport(.failed(let operation, let code, let message), _): "\(operation) failed: \(message) (\(code))"
    case .transport(let problem, _): "it cannot be reached (\(problem))"
    case .timeout(.userPresence, _): "nobody touched it in time"
    case .timeout(.busy, _): "another program was using it all the time"
    case .timeout: "the time is up"
    case .silent(let duration, _): "it said nothing for \(duration)"
    case .errorFrame(let code, _): "it reported a transport error (\(code))"
    case .malformed(let what, _): "it sent broken messages (\(what))"
    case .answerRefused(let refusal, _): "its answer does not fit: \(refusal)"
    case .messageTooLong(let size, let limit): "the request has \(size) bytes and its reports carry \(limit)"
    case .notOpen: "it is not open"
    }
  }

  private static func clause(_ failure: VerificationFailure) -> String {
    switch failure {
    case .pinInvalid(let retries?) where retries.count == 1: "the PIN is wrong; one try is left"
    case .pinInvalid(let retries?): "the PIN is wrong; \(retries.count) tries are left"
    case .pinInvalid(nil): "the PIN is wrong"
    case .pinAuthBlocked: "too many wrong PINs in a row; pull it out, plug it in and try again"
    case .pinBlocked: "its PIN is blocked; it has to be reset, which deletes its credentials"
    case .pinNotSet: "it has no PIN; set one first"
    case .pinMustChange: "its PIN must be changed before it is used"
    case .pinPolicyViolation: "the PIN breaks its rules"
    case .uvInvalid: "it did not recognise its holder"
    case .uvBlocked: "its own user verification is blocked"
    }
  }

  /// The kind of trouble, and the name for the relying party.
  private var category: (WebAuthnErrorName, WebAuthnError.Kind) {
    switch error {
    case .hid(.cancelled), .hid(.transport(.cancelled, _)): (.notAllowedError, .cancelled)
    case .hid(.timeout), .status(.userActionTimeout, _), .status(.actionTimeout, _): (.notAllowedError, .timedOut)
    case .hid(.transport(.permissionDenied, _)): (.notAllowedError, .noPermission)
    case .hid, .misfit, .u2fMisfit, .crypto: (.notAllowedError, .communication)
    case .notCTAP2, .notOffered: (.notAllowedError, .noSuitableKey)
    case .status(.credentialExcluded, .makeCredential): (.invalidStateError, .credentialExcluded)
    case .status(.unsupportedAlgorithm, _): (.notSupportedError, .keyRefused)
    case .status(.unsupportedOption, _), .status(.invalidOption, _): (.constraintError, .keyRefused)
    case .status(.keyStoreFull, _): (.notAllowedError, .keyStoreFull)
    case .status(.noCredentials, _): (.notAllowedError, .noCredential)
    case .status, .u2f, .requestTooLarge, .largeBlobsFull, .largeBlobUnfit, .listTooSlow:
      (.notAllowedError, .keyRefused)
    case .verification(let failure): (.notAllowedError, Self.kind(failure))
    case .pin: (.notAllowedError, .pinInvalid)
    case .credentialMayExist, .createdLate, .credentialInvalid: (.notAllowedError, .credentialExists)
    case .changeUncertain: (.notAllowedError, .changeUncertain)
    }
  }

  private static func kind(_ failure: VerificationFailure) -> WebAuthnError.Kind {
    switch failure {
    case .pinInvalid: .pinInvalid
    case .pinAuthBlocked: .pinNeedsReplug
    case .pinBlocked: .pinBlocked
    case .pinMustChange, .pinPolicyViolation: .pinMustChange
    case .pinNotSet: .pinNotSet
    case .uvInvalid, .uvBlocked: .keyRefused
    }
  }

  /// Why a key that cannot be asked what it can do is no candidate.
  var objection: KeyObjection {
    let isClosed = category.1 == .noPermission
    return KeyObjection(reason: clause, kind: isClosed ? .noPermission : .communication, mayPass: isHeldByAnother)
  }

  /// Whether another program has the key.
  private var isHeldByAnother: Bool {
    switch error {
    case .hid(.transport(.busy, _)), .hid(.timeout(.busy, _)): true
    default: false
    }
  }

  /// The error that ends a ceremony on a key.
  func webAuthnError(on key: KeyDescription) -> WebAuthnError {
    let (name, kind) = category
    switch error {
    case .status(.credentialExcluded, .makeCredential):
      return WebAuthnError(
        name, kind, "\(key.spoken.capitalizedFirst) is registered already: it holds a credential of the exclude list.",
        cause: error)
    case .createdLate(let response, let cause):
      return OrphanedCredential(response, on: key).error(because: CTAP2Words(cause).clause, cause: error)
    case .credentialInvalid(let response, let reason):
      return OrphanedCredential(response, on: key).error(because: "its attestation is wrong, \(reason)", cause: error)
    case .credentialMayExist(let creation, let cause):
      return WebAuthnError(
        name, kind,
        "The answer of \(key.spoken) was lost (\(CTAP2Words(cause).clause)), so a credential for \(creation.rpID) may "
          + "now exist on it"
          + (creation.isDiscoverable ? "; list its credentials, and delete it there if it is among them." : "")
          + (creation.isU2F ? "; it can't be listed or removed there, and is of no use to anyone." : "")
          + (creation.isDiscoverable || creation.isU2F ? "" : "."),
        cause: error)
    case .changeUncertain(let change, let cause):
      return WebAuthnError(
        name, kind,
        "The answer of \(key.spoken) was lost (\(CTAP2Words(cause).clause)). \(change.uncertainty)", cause: error)
    default:
      return WebAuthnError(name, kind, "With \(key.spoken): \(clause.endedAsSentence)", cause: error)
    }
  }
}

/// A credential that a key made and that is not returned.
struct OrphanedCredential {
  let credentialID: [UInt8]?
  let key: KeyDescription
  private let isU2F: Bool

  init(_ response: MakeCredentialResponse, on key: KeyDescription) {
    credentialID = response.authData.attestedCredential?.credentialID
    self.key = key
    isU2F = response.fmt == "fido-u2f"
  }

  /// The error that names it.
  func error(because reason: String, cause: (any Error)? = nil) -> WebAuthnError {
    let name = credentialID.map { " with the ID \(Base64URL.encode($0))" } ?? ""
    return WebAuthnError(
      .notAllowedError, .credentialExists,
      "A credential\(name) now exists on \(key.spoken) and is not used (\(reason)); "
        + (isU2F ? "it can't be removed there, and is of no use to anyone." : "delete it there if the key lists it."),
      credentialID: credentialID, cause: cause)
  }
}

extension String {
  /// The text with its first letter in upper case.
  var capitalizedFirst: String { prefix(1).uppercased() + dropFirst() }

  /// The text with a full stop, unless it has one.
  fileprivate var endedAsSentence: String { hasSuffix(".") ? self : self + "." }
}
