internal import CTAPHID
internal import CTAPMessages
internal import Octets

extension CTAP2Error: CustomStringConvertible {
  /// What happened and what to do about it, for people.
  public var description: String {
    switch self {
    case .hid(let error): Self.words(error)
    case .notCTAP2: "The key does not speak CTAP2; it may be an older one that speaks only U2F."
    case .status(let status, _): "\(status.explanation) [\(status)]"
    case .u2f(let status, _): "\(status.explanation) [\(status)]"
    case .u2fMisfit(let reason, _):
      "The key's answer does not fit: \(reason). Close other programs that use the key and try again."
    case .verification(let failure): failure.description
    case .pin(let error): error.description
    case .misfit(let reason, let command):
      "The key's answer to \(command) does not fit: \(reason). Close other programs that use the key and try again."
    case .notOffered(let what): "The key does not offer \(what)."
    case .requestTooLarge(let size, let limit):
      "The request has \(size) bytes, and this key takes at most \(limit). Use another key."
    case .largeBlobsFull(let size, let limit):
      "The key's large blobs would take \(size) bytes, and it has room for \(limit). Nothing was written; delete one first."
    case .largeBlobUnfit(let reason): "The large blob cannot be used: \(reason)."
    case .listTooSlow(let looked, let number):
      "The key looked for \(looked) of \(number) credentials and took too long. Nothing was created; try again."
    case .credentialMayExist(let creation, let cause):
      "\(cause) A credential for \(creation.rpID) may exist on the key now. \(creation.advice)"
    case .credentialInvalid(let response, let reason):
      "The key's answer is damaged: \(reason). A credential exists on the key now, with the id "
        + "\(response.idText); it was not passed on\(response.disposal)."
    case .createdLate(let response, let cause):
      "\(cause) The key made a credential all the same, with the id \(response.idText); "
        + "it was not passed on\(response.disposal)."
    case .changeUncertain(let change, let cause): "\(cause) \(change.uncertainty)"
    case .crypto(let error): "A cryptographic operation failed: \(error)"
    }
  }

  private static func words(_ error: CTAPHIDError) -> String {
    switch error {
    case .transport(.cancelled, _): "The operation was cancelled."
    case .transport(.unplugged, _): "The key was unplugged. Plug it in and try again."
    case .transport(.busy(let holder), _): "Another program is using the key (\(holder)). Close it and try again."
    case .transport(.permissionDenied(let path), _): "There is no permission to use \(path)."
    case .transport(.notFound(let path), _): "There is no key at \(path)."
    case .transport(let other, _): "The key could not be reached: \(other)."
    case .cancelled: "The operation was cancelled."
    case .timeout(.userPresence, _): "The key was not touched in time."
    case .timeout(.busy, _): "Another program kept the key busy until the time was up. Close it and try again."
    case .timeout: "The key was not done in time."
    case .silent: "The key stopped answering. Unplug it, plug it in and try again."
    case .errorFrame(let code, _): "The key refused the message (\(code)). Unplug it, plug it in and try again."
    case .malformed: "The key sent something broken. Unplug it, plug it in and try again."
    case .answerRefused(let refusal, _): "The key's answer does not fit: \(refusal)."
    case .messageTooLong(let size, let limit):
      "The request has \(size) bytes, and this key's connection carries at most \(limit). Use another key."
    case .notOpen: "The key is not open."
    }
  }
}

extension VerificationFailure: CustomStringConvertible {
  /// What happened and what to do about it, for people.
  public var description: String {
    switch self {
    case .pinInvalid(let retries?) where retries.needsPowerCycle == true:
      "The PIN is wrong. Unplug the key and plug it in before the next try; \(Self.tries(retries.count)) left."
    case .pinInvalid(let retries?): "The PIN is wrong; \(Self.tries(retries.count)) left."
    case .pinInvalid(nil): "The PIN is wrong."
    case .pinAuthBlocked: "The PIN was wrong too often in a row. Unplug the key, plug it in and try again."
    case .pinBlocked: "The key's PIN is blocked. Only a reset brings it back, which deletes the key's credentials."
    case .pinNotSet: "The key has no PIN. Set one first."
    case .pinMustChange: "The key wants its PIN changed before it is used."
    case .pinPolicyViolation: "The key refuses this new PIN under its own rules. Choose another."
    case .uvInvalid(let retries?): "The key did not recognise you; \(Self.tries(retries)) left."
    case .uvInvalid(nil): "The key did not recognise you."
    case .uvBlocked: "The key's own user verification is blocked. Use its PIN."
    }
  }

  private static func tries(_ count: Int) -> String { count == 1 ? "1 try is" : "\(count) tries are" }
}

extension UnansweredCreation {
  /// How to find out.
  fileprivate var advice: String {
    if isU2F {
      return "A U2F credential can't be listed or removed; it is of no use to anyone, and registering again is safe."
    }
    return isDiscoverable
      ? "List the key's credentials and remove it there if it is."
      : "It takes no room there and can't be used by anyone; registering again is safe."
  }
}

extension MakeCredentialResponse {
  /// What is to be done about a credential that nobody got to know of, as the end of a sentence.
  fileprivate var disposal: String {
    fmt == "fido-u2f"
      ? "; a U2F credential can't be removed, and is of no use to anyone" : " and should be removed from the key"
  }

  /// The credential's id in base64url.
  fileprivate var idText: String { Base64URL.encode(authData.attestedCredential?.credentialID ?? []) }
}
