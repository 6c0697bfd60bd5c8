internal import CBOR
internal import CTAPHID
internal import CTAPMessages

/// What a command changes on a key.
public enum KeyChange: Hashable, Sendable, CaseIterable {
  /// A first PIN is set.
  case setPIN
  /// The PIN is replaced.
  case changePIN
  /// A credential is deleted.
  case deleteCredential
  /// The names of a credential's account are replaced.
  case updateUser
  /// A fingerprint is enrolled.
  case enrollFingerprint
  /// A fingerprint is named.
  case nameFingerprint
  /// A fingerprint is removed.
  case removeFingerprint
  /// "Always verify" is switched.
  case alwaysUv
  /// Another setting is changed.
  case setting
  /// The array of large blobs is written.
  case largeBlobs
  /// Everything is erased.
  case reset
  /// Whatever a vendor's own command does.
  case vendorCommand

  /// What may have happened, and how to find out, where the key's answer was lost.
  public var uncertainty: String {
    switch self {
    case .setPIN: "The PIN may have been set. Look at the key's PIN status before you set it again."
    case .changePIN:
      "The PIN may be the new one or still the old one. Try the new one first; a wrong PIN costs one of the key's tries."
    case .deleteCredential: "The credential may have been deleted. List the credentials to find out."
    case .updateUser: "The names may have been changed. List the credentials to find out."
    case .enrollFingerprint: "The fingerprint may have been enrolled. List the fingerprints to find out."
    case .nameFingerprint: "The fingerprint may have got its new name. List the fingerprints to find out."
    case .removeFingerprint: "The fingerprint may have been removed. List the fingerprints to find out."
    case .alwaysUv: "The setting may have been switched. Look at what the key says of itself before you try again."
    case .setting: "The setting may have been changed. Look at what the key says of itself to find out."
    case .largeBlobs:
      "The large blobs may be the new ones or still the old ones. List the large blobs to find out."
    case .reset: "The key may have been erased. List what is on it to find out."
    case .vendorCommand: "The key may have carried the command out."
    }
  }
}

extension KeySession {
  /// Sends a command that changes something on the key, once and never again.
  ///
  /// An ERROR frame says that the key did not take the command, and could have come in the place of its answer; a
  /// second sending could then undo the change, or spend a try. So it is not sent again after one either, unless the
  /// frame came before the last report had left.
  ///
  /// - Throws: `changeUncertain` where the change may have been made; any other error means that it was not.
  func change<Answer>(
    _ change: KeyChange, _ command: CTAPCommand, _ parameters: CBORValue?, _ wait: Wait,
    _ read: @escaping (CBORValue?) throws(Unfit) -> Answer
  ) throws(CTAP2Error) -> Answer {
    // Whatever comes of it: what the key says of itself may differ now.
    defer { forgetInfo() }
    do throws(CTAP2Error) {
      return try exchange(command, parameters, repeatable: false, resends: false, wait, read)
    } catch {
      switch error {
      case .misfit: throw .changeUncertain(change, cause: error)
      // A status that no specification explains does not say that nothing was done.
      case .status(let status, _) where status.category == .unknown: throw .changeUncertain(change, cause: error)
      case .hid(.errorFrame): throw .changeUncertain(change, cause: error)
      case .hid(let cause) where cause.mayHaveBeenTaken: throw .changeUncertain(change, cause: error)
      default: throw error
      }
    }
  }
}
