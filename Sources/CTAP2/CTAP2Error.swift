public import CTAPHID
public import CTAPMessages
public import FIDOCrypto

/// What can end a command to a key.
public indirect enum CTAP2Error: Error, Hashable, Sendable {
  /// Trouble between the bridge and the key: unplugged, cancelled, out of time, silent, or an ERROR frame.
  case hid(CTAPHIDError)
  /// The key does not speak CTAP2; an older one may speak CTAP1.
  case notCTAP2
  /// The key answered a command with a status of its own.
  case status(CTAPStatus, CTAPCommand)
  /// The key answered a U2F command, known by its instruction byte, with a status of its own.
  case u2f(U2FStatus, instruction: UInt8)
  /// The key answered a U2F command, and the answer does not fit it; the reason says how.
  case u2fMisfit(String, instruction: UInt8)
  /// The key, or its holder, did not pass user verification.
  case verification(VerificationFailure)
  /// The PIN breaks a rule, so no key was asked.
  case pin(PINError)
  /// The key answered, and the answer does not fit the command; the reason says how.
  case misfit(String, CTAPCommand)
  /// The key does not offer what was asked for, so it was not sent.
  case notOffered(String)
  /// The request is larger than the key takes; both sizes are in bytes.
  case requestTooLarge(size: Int, limit: Int)
  /// The key's array of large blobs would become larger than it has room for, so it was not written; in bytes.
  case largeBlobsFull(size: Int, limit: Int)
  /// A large blob cannot be read or written; the reason says why.
  case largeBlobUnfit(String)
  /// The key was too slow in looking for the credentials of a list; nothing was created.
  case listTooSlow(looked: Int, of: Int)
  /// The answer to makeCredential was lost: a credential may now exist on the key.
  case credentialMayExist(UnansweredCreation, cause: CTAP2Error)
  /// A credential now exists on the key, and its attestation is wrong.
  case credentialInvalid(MakeCredentialResponse, reason: String)
  /// A credential now exists on the key, which made it when the wait was over already.
  case createdLate(MakeCredentialResponse, cause: CTAP2Error)
  /// The answer to a change was lost, or an ERROR frame came in its place: the change may have been made.
  ///
  /// It is never sent again here, because a second time could do harm; look at the key before you do.
  case changeUncertain(KeyChange, cause: CTAP2Error)
  /// A cryptographic operation of our own failed.
  case crypto(CryptoError)
}

/// A makeCredential that was sent and not answered.
public struct UnansweredCreation: Hashable, Sendable {
  /// The RP ID.
  public let rpID: String
  /// Whether a discoverable credential was asked for, which stays on the key until it is deleted there.
  public let isDiscoverable: Bool
  /// Whether it was asked for by U2F, whose credentials no key lists or deletes.
  public var isU2F = false
}

/// How user verification failed; each case asks something else of a person.
public enum VerificationFailure: Hashable, Sendable {
  /// The PIN is wrong; the retries that are left, where the key told them.
  case pinInvalid(PINRetries?)
  /// Too many wrong PINs in a row: the key takes the next one after it was unplugged.
  case pinAuthBlocked
  /// Too many wrong PINs: the key has to be reset, which loses its credentials.
  case pinBlocked
  /// The key has no PIN.
  case pinNotSet
  /// The key wants its PIN changed before it is used.
  case pinMustChange
  /// The key refuses the new PIN under its own rules.
  case pinPolicyViolation
  /// The key did not recognise its holder; the retries that are left, where the key told them.
  case uvInvalid(retries: Int?)
  /// The key's own user verification is blocked; its PIN still works.
  case uvBlocked
}

extension CTAP2Error {
  /// The status byte that the key sent, where one did.
  public var status: CTAPStatus? {
    switch self {
    case .status(let status, _): status
    case .verification(let failure): failure.status
    case .credentialMayExist(_, let cause), .createdLate(_, let cause), .changeUncertain(_, let cause): cause.status
    default: nil
    }
  }

  /// Whether somebody cancelled the wait, whatever came of it.
  public var isCancellation: Bool {
    switch self {
    case .hid(.cancelled), .hid(.transport(.cancelled, _)): true
    case .credentialMayExist(_, let cause), .createdLate(_, let cause), .changeUncertain(_, let cause):
      cause.isCancellation
    default: false
    }
  }

  /// Whether the deadline passed, whatever came of it.
  public var isTimeout: Bool {
    switch self {
    case .hid(.timeout): true
    case .credentialMayExist(_, let cause), .createdLate(_, let cause), .changeUncertain(_, let cause): cause.isTimeout
    default: false
    }
  }

  /// Whether the key is not there any more.
  public var isUnplugged: Bool {
    switch self {
    case .hid(.transport(.unplugged, _)): true
    case .credentialMayExist(_, let cause), .changeUncertain(_, let cause): cause.isUnplugged
    default: false
    }
  }

  /// Whether a credential exists, or may exist, that this error reports.
  public var mayHaveCreated: Bool {
    switch self {
    case .credentialMayExist, .credentialInvalid, .createdLate: true
    default: false
    }
  }
}

extension VerificationFailure {
  /// The status byte that stands for it.
  public var status: CTAPStatus {
    switch self {
    case .pinInvalid: .pinInvalid
    case .pinAuthBlocked: .pinAuthBlocked
    case .pinBlocked: .pinBlocked
    case .pinNotSet: .pinNotSet
    case .pinMustChange, .pinPolicyViolation: .pinPolicyViolation
    case .uvInvalid: .uvInvalid
    case .uvBlocked: .uvBlocked
    }
  }
}
