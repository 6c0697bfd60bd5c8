extension CTAPStatus: CustomStringConvertible {
  /// The specification's name, such as `CTAP2_ERR_PIN_INVALID`; codes without one are named by their number.
  public var name: String {
    if let entry { return entry.name }
    return switch category {
    case .extension: "CTAP2_ERR_EXTENSION \(hex)"
    case .vendor: "CTAP2_ERR_VENDOR \(hex)"
    case .specified, .unknown: "unknown status \(hex)"
    }
  }

  /// A sentence or two for people: what happened and, where there is something to do, what.
  public var explanation: String {
    if let entry { return entry.explanation }
    return switch category {
    case .extension: "An extension failed on the key with status \(hex). Try again without the extension."
    case .vendor:
      "The key refused for a reason of its vendor's own, status \(hex). The vendor's documentation may explain it."
    case .specified, .unknown:
      "The key answered with status \(hex), which no specification explains. Unplug it, plug it in and try again."
    }
  }

  /// The name and the number.
  public var description: String {
    category == .specified ? "\(name) (\(hex))" : name
  }

  private var hex: String {
    "0x" + (rawValue < 16 ? "0" : "") + String(rawValue, radix: 16, uppercase: true)
  }

  var entry: (name: String, explanation: String)? { Self.entries[rawValue] }

  private static let entries: [UInt8: (name: String, explanation: String)] = transportEntries.merging(
    requestEntries.merging(verificationEntries) { first, _ in first }
  ) { first, _ in first }

  private static let replug = "Unplug the key, plug it in and try again."
  private static let report = "This is a fault of the program or of the key; please report it."

  private static let transportEntries: [UInt8: (name: String, explanation: String)] = [
    0x00: ("CTAP2_OK", "The key did what was asked."),
    0x01: ("CTAP1_ERR_INVALID_COMMAND", "The key does not know this command. It may be too old for it."),
    0x02: ("CTAP1_ERR_INVALID_PARAMETER", "The key refused a value in the request. \(report)"),
    0x03: ("CTAP1_ERR_INVALID_LENGTH", "The key refused the length of the request. \(replug)"),
    0x04: ("CTAP1_ERR_INVALID_SEQ", "Parts of the request reached the key in the wrong order. \(replug)"),
    0x05: ("CTAP1_ERR_TIMEOUT", "The request did not reach the key in time. \(replug)"),
    0x06: ("CTAP1_ERR_CHANNEL_BUSY", "Another program is using the key. Close it or wait until it has finished."),
    0x0a: ("CTAP1_ERR_LOCK_REQUIRED", "The key wants to be locked to this program first. Try again."),
    0x0b: ("CTAP1_ERR_INVALID_CHANNEL", "The key has forgotten its connection to this program. \(replug)"),
    0x11: ("CTAP2_ERR_CBOR_UNEXPECTED_TYPE", "The key did not understand a value in the request. \(report)"),
    0x12: ("CTAP2_ERR_INVALID_CBOR", "The key could not read the request. \(report)"),
    0x7f: ("CTAP1_ERR_OTHER", "The key failed and does not say why. \(replug)"),
    0xdf: ("CTAP2_ERR_SPEC_LAST", "The key failed and does not say why. \(replug)"),
  ]

  private static let requestEntries: [UInt8: (name: String, explanation: String)] = [
    0x14: ("CTAP2_ERR_MISSING_PARAMETER", "The key misses something in the request. \(report)"),
    0x15: ("CTAP2_ERR_LIMIT_EXCEEDED", "The request exceeds what this key can take. Use another key."),
    0x16: (
      "CTAP2_ERR_UNSUPPORTED_EXTENSION", "The key does not support an extension that was asked for. Use another key."
    ),
    0x17: ("CTAP2_ERR_FP_DATABASE_FULL", "The key has no room for another fingerprint. Remove one first."),
    0x18: ("CTAP2_ERR_LARGE_BLOB_STORAGE_FULL", "The key has no room for more stored data. Remove some first."),
    0x19: ("CTAP2_ERR_CREDENTIAL_EXCLUDED", "This key is registered for the account already. Use another key."),
    0x21: ("CTAP2_ERR_PROCESSING", "The key is still working. Wait a moment and try again."),
    0x22: ("CTAP2_ERR_INVALID_CREDENTIAL", "The credential does not belong to this key. Use another key."),
    0x23: ("CTAP2_ERR_USER_ACTION_PENDING", "The key is waiting for you. Touch it."),
    0x24: ("CTAP2_ERR_OPERATION_PENDING", "The key is busy with an earlier request. Wait a moment and try again."),
    0x25: ("CTAP2_ERR_NO_OPERATIONS", "The key has nothing that could be continued. Start again."),
    0x26: (
      "CTAP2_ERR_UNSUPPORTED_ALGORITHM",
      "The key supports none of the signature algorithms that were asked for. Use another key."
    ),
    0x27: ("CTAP2_ERR_OPERATION_DENIED", "The request was declined on the key. Try again if that was not meant."),
    0x28: (
      "CTAP2_ERR_KEY_STORE_FULL", "The key has no room for another credential. Delete one that is not needed first."
    ),
    0x29: ("CTAP2_ERR_NOT_BUSY", "The key is not working on anything. Start again."),
    0x2a: ("CTAP2_ERR_NO_OPERATION_PENDING", "The key has nothing to cancel. Start again."),
    0x2b: ("CTAP2_ERR_UNSUPPORTED_OPTION", "The key does not support something that was asked for. Use another key."),
    0x2c: ("CTAP2_ERR_INVALID_OPTION", "The key cannot do this in its present state. \(report)"),
    0x2d: ("CTAP2_ERR_KEEPALIVE_CANCEL", "The request was cancelled."),
    0x2e: ("CTAP2_ERR_NO_CREDENTIALS", "The key has no credential for this. Use the key that was registered."),
    0x39: ("CTAP2_ERR_REQUEST_TOO_LARGE", "The request is larger than this key can take. Use another key."),
    0x3d: ("CTAP2_ERR_INTEGRITY_FAILURE", "Data was damaged on its way to the key. Try again."),
    0x3e: ("CTAP2_ERR_INVALID_SUBCOMMAND", "The key does not know this part of the command. It may be too old for it."),
  ]

  private static let verificationEntries: [UInt8: (name: String, explanation: String)] = [
    0x2f: ("CTAP2_ERR_USER_ACTION_TIMEOUT", "The key was not touched in time. Try again and touch it when it blinks."),
    0x30: (
      "CTAP2_ERR_NOT_ALLOWED",
      "The key does not allow this now. Some actions are possible only in the first seconds after plugging it in."
    ),
    0x31: ("CTAP2_ERR_PIN_INVALID", "The PIN is wrong. Check it before you try again; the number of tries is limited."),
    0x32: (
      "CTAP2_ERR_PIN_BLOCKED",
      "The PIN was wrong too often and is blocked for good. Only a reset, which erases the key, makes it usable again."
    ),
    0x33: ("CTAP2_ERR_PIN_AUTH_INVALID", "The key did not accept the proof of the PIN. Enter the PIN again."),
    0x34: (
      "CTAP2_ERR_PIN_AUTH_BLOCKED",
      "The PIN was wrong several times in a row. Unplug the key and plug it in before you try again."
    ),
    0x35: ("CTAP2_ERR_PIN_NOT_SET", "The key has no PIN. Set one first."),
    0x36: ("CTAP2_ERR_PUAT_REQUIRED", "The key wants its PIN or your fingerprint first."),
    0x37: (
      "CTAP2_ERR_PIN_POLICY_VIOLATION",
      "The PIN breaks a rule of the key: it may be too short, too simple or not new. Choose another one."
    ),
    0x38: ("CTAP2_ERR_PIN_TOKEN_EXPIRED", "The time since the PIN was entered was too long. Enter it again."),
    0x3a: ("CTAP2_ERR_ACTION_TIMEOUT", "The key waited too long for you. Try again and touch it when it blinks."),
    0x3b: ("CTAP2_ERR_UP_REQUIRED", "The key wants to be touched for this. Try again and touch it when it blinks."),
    0x3c: (
      "CTAP2_ERR_UV_BLOCKED",
      "The fingerprint, or what the key checks instead, was wrong too often. Use the PIN, which unblocks it."
    ),
    0x3f: ("CTAP2_ERR_UV_INVALID", "The key did not recognise you. Try again, or use the PIN."),
    0x40: (
      "CTAP2_ERR_UNAUTHORIZED_PERMISSION", "The permission that was given does not cover this. Enter the PIN again."
    ),
  ]
}
