import CTAPMessages
import Testing

@Suite("Status codes")
struct StatusTests {
  /// The codes that the specifications name (CTAP 2.0 to 2.3, §8.2).
  static let specified: [UInt8: String] = [
    0x00: "CTAP2_OK", 0x01: "CTAP1_ERR_INVALID_COMMAND", 0x02: "CTAP1_ERR_INVALID_PARAMETER",
    0x03: "CTAP1_ERR_INVALID_LENGTH", 0x04: "CTAP1_ERR_INVALID_SEQ", 0x05: "CTAP1_ERR_TIMEOUT",
    0x06: "CTAP1_ERR_CHANNEL_BUSY", 0x0a: "CTAP1_ERR_LOCK_REQUIRED", 0x0b: "CTAP1_ERR_INVALID_CHANNEL",
    0x11: "CTAP2_ERR_CBOR_UNEXPECTED_TYPE", 0x12: "CTAP2_ERR_INVALID_CBOR", 0x14: "CTAP2_ERR_MISSING_PARAMETER",
    0x15: "CTAP2_ERR_LIMIT_EXCEEDED", 0x16: "CTAP2_ERR_UNSUPPORTED_EXTENSION", 0x17: "CTAP2_ERR_FP_DATABASE_FULL",
    0x18: "CTAP2_ERR_LARGE_BLOB_STORAGE_FULL", 0x19: "CTAP2_ERR_CREDENTIAL_EXCLUDED", 0x21: "CTAP2_ERR_PROCESSING",
    0x22: "CTAP2_ERR_INVALID_CREDENTIAL", 0x23: "CTAP2_ERR_USER_ACTION_PENDING", 0x24: "CTAP2_ERR_OPERATION_PENDING",
    0x25: "CTAP2_ERR_NO_OPERATIONS", 0x26: "CTAP2_ERR_UNSUPPORTED_ALGORITHM", 0x27: "CTAP2_ERR_OPERATION_DENIED",
    0x28: "CTAP2_ERR_KEY_STORE_FULL", 0x29: "CTAP2_ERR_NOT_BUSY", 0x2a: "CTAP2_ERR_NO_OPERATION_PENDING",
    0x2b: "CTAP2_ERR_UNSUPPORTED_OPTION", 0x2c: "CTAP2_ERR_INVALID_OPTION", 0x2d: "CTAP2_ERR_KEEPALIVE_CANCEL",
    0x2e: "CTAP2_ERR_NO_CREDENTIALS", 0x2f: "CTAP2_ERR_USER_ACTION_TIMEOUT", 0x30: "CTAP2_ERR_NOT_ALLOWED",
    0x31: "CTAP2_ERR_PIN_INVALID", 0x32: "CTAP2_ERR_PIN_BLOCKED", 0x33: "CTAP2_ERR_PIN_AUTH_INVALID",
    0x34: "CTAP2_ERR_PIN_AUTH_BLOCKED", 0x35: "CTAP2_ERR_PIN_NOT_SET", 0x36: "CTAP2_ERR_PUAT_REQUIRED",
    0x37: "CTAP2_ERR_PIN_POLICY_VIOLATION", 0x38: "CTAP2_ERR_PIN_TOKEN_EXPIRED", 0x39: "CTAP2_ERR_REQUEST_TOO_LARGE",
    0x3a: "CTAP2_ERR_ACTION_TIMEOUT", 0x3b: "CTAP2_ERR_UP_REQUIRED", 0x3c: "CTAP2_ERR_UV_BLOCKED",
    0x3d: "CTAP2_ERR_INTEGRITY_FAILURE", 0x3e: "CTAP2_ERR_INVALID_SUBCOMMAND", 0x3f: "CTAP2_ERR_UV_INVALID",
    0x40: "CTAP2_ERR_UNAUTHORIZED_PERMISSION", 0x7f: "CTAP1_ERR_OTHER", 0xdf: "CTAP2_ERR_SPEC_LAST",
  ]

  @Test("every byte has a name, its number in what is printed, and a sentence", arguments: 0...UInt8.max)
  func total(byte: UInt8) throws {
    let status = CTAPStatus(rawValue: byte)
    let number = "0x" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
    #expect(status.rawValue == byte)
    #expect(status.description.contains(number))
    let first = try #require(status.explanation.first)
    #expect(first.isUppercase)
    #expect(status.explanation.last == ".")
    switch byte {
    case 0xe0...0xef:
      #expect(status.category == .extension)
      #expect(status.name == "CTAP2_ERR_EXTENSION \(number)")
      #expect(status.explanation.contains(number))
    case 0xf0...0xff:
      #expect(status.category == .vendor)
      #expect(status.name == "CTAP2_ERR_VENDOR \(number)")
      #expect(status.explanation.contains(number))
    default:
      #expect(status.category == (Self.specified[byte] == nil ? .unknown : .specified))
      #expect(status.name == Self.specified[byte] ?? "unknown status \(number)")
      #expect(status.description == (Self.specified[byte].map { "\($0) (\(number))" } ?? status.name))
    }
  }

  @Test("the constants are the codes of their names")
  func constants() {
    let constants: [CTAPStatus] = [
      .ok, .invalidCommand, .invalidParameter, .invalidLength, .invalidSequence, .timeout, .channelBusy, .lockRequired,
      .invalidChannel, .cborUnexpectedType, .invalidCBOR, .missingParameter, .limitExceeded, .unsupportedExtension,
      .fingerprintDatabaseFull, .largeBlobStorageFull, .credentialExcluded, .processing, .invalidCredential,
      .userActionPending, .operationPending, .noOperations, .unsupportedAlgorithm, .operationDenied, .keyStoreFull,
      .notBusy, .noOperationPending, .unsupportedOption, .invalidOption, .keepAliveCancel, .noCredentials,
      .userActionTimeout, .notAllowed, .pinInvalid, .pinBlocked, .pinAuthInvalid, .pinAuthBlocked, .pinNotSet,
      .puatRequired, .pinPolicyViolation, .pinTokenExpired, .requestTooLarge, .actionTimeout, .upRequired, .uvBlocked,
      .integrityFailure, .invalidSubcommand, .uvInvalid, .unauthorizedPermission, .other,
    ]
    #expect(Set(constants.map(\.rawValue)) == Set(Self.specified.keys).subtracting([0xdf]))
    #expect(constants.map(\.rawValue) == constants.map(\.rawValue).sorted())
  }

  @Test("different codes that ask for different things have different sentences")
  func distinct() {
    let pin: [CTAPStatus] = [.pinInvalid, .pinBlocked, .pinAuthInvalid, .pinAuthBlocked, .pinNotSet, .puatRequired]
    #expect(Set(pin.map(\.explanation)).count == pin.count)
    #expect(CTAPStatus.pinAuthBlocked.explanation.contains("Unplug"))
    #expect(CTAPStatus.pinBlocked.explanation.contains("reset"))
    #expect(CTAPStatus.credentialExcluded.explanation.contains("registered"))
  }

  @Test("a finger gets a sentence for each kind of feedback, known or not", arguments: 0...16)
  func samples(code: Int) {
    let status = EnrollSampleStatus(rawValue: code)
    #expect(status.explanation.last == ".")
    #expect(status.explanation.contains("feedback \(code)") == (code > 0x0e))
  }

  @Test("the feedback constants have the numbers of the specification")
  func sampleConstants() {
    let constants: [EnrollSampleStatus] = [
      .good, .tooHigh, .tooLow, .tooLeft, .tooRight, .tooFast, .tooSlow, .poorQuality, .tooSkewed, .tooShort,
      .mergeFailure, .exists, .databaseFull, .noUserActivity, .noUserPresenceTransition,
    ]
    #expect(constants.map(\.rawValue) == Array(0...14))
  }
}
