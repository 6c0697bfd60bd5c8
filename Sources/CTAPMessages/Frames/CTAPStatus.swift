/// The byte that begins a response: success, or why the key did not do what was asked (CTAP 2.3 §8.2).
///
/// Any byte is a status, so a code that is not known travels through every layer as it is.
public struct CTAPStatus: RawRepresentable, Hashable, Sendable {
  /// The byte.
  public let rawValue: UInt8

  /// Creates a status from a byte, known or not.
  public init(rawValue: UInt8) { self.rawValue = rawValue }

  /// Where a status code belongs.
  public enum Category: Hashable, Sendable {
    /// The specification names it, in its present or in an older version.
    case specified
    /// E0 to EF: it belongs to an extension.
    case `extension`
    /// F0 to FF: it belongs to the vendor of the key.
    case vendor
    /// None of these.
    case unknown
  }

  /// Where the code belongs.
  public var category: Category {
    switch rawValue {
    case 0xe0...0xef: .extension
    case 0xf0...0xff: .vendor
    default: entry == nil ? .unknown : .specified
    }
  }

  /// 00: success.
  public static let ok = CTAPStatus(rawValue: 0x00)
  /// 01: the command is not known.
  public static let invalidCommand = CTAPStatus(rawValue: 0x01)
  /// 02: a parameter has an impossible value.
  public static let invalidParameter = CTAPStatus(rawValue: 0x02)
  /// 03: the message has a wrong length.
  public static let invalidLength = CTAPStatus(rawValue: 0x03)
  /// 04: reports came out of sequence.
  public static let invalidSequence = CTAPStatus(rawValue: 0x04)
  /// 05: a message did not arrive in time.
  public static let timeout = CTAPStatus(rawValue: 0x05)
  /// 06: another program uses the key.
  public static let channelBusy = CTAPStatus(rawValue: 0x06)
  /// 0A: the command needs the channel lock.
  public static let lockRequired = CTAPStatus(rawValue: 0x0a)
  /// 0B: the channel does not exist.
  public static let invalidChannel = CTAPStatus(rawValue: 0x0b)
  /// 11: a parameter has the wrong CBOR type.
  public static let cborUnexpectedType = CTAPStatus(rawValue: 0x11)
  /// 12: the parameters are not valid CBOR.
  public static let invalidCBOR = CTAPStatus(rawValue: 0x12)
  /// 14: a required parameter is not there.
  public static let missingParameter = CTAPStatus(rawValue: 0x14)
  /// 15: a limit of the key is exceeded.
  public static let limitExceeded = CTAPStatus(rawValue: 0x15)
  /// 16: an extension is not supported (CTAP 2.0).
  public static let unsupportedExtension = CTAPStatus(rawValue: 0x16)
  /// 17: no room for another fingerprint.
  public static let fingerprintDatabaseFull = CTAPStatus(rawValue: 0x17)
  /// 18: no room for the large-blob array.
  public static let largeBlobStorageFull = CTAPStatus(rawValue: 0x18)
  /// 19: a credential of the exclude list is on the key.
  public static let credentialExcluded = CTAPStatus(rawValue: 0x19)
  /// 21: the key is still working.
  public static let processing = CTAPStatus(rawValue: 0x21)
  /// 22: the credential is not one of this key.
  public static let invalidCredential = CTAPStatus(rawValue: 0x22)
  /// 23: the key waits for a person.
  public static let userActionPending = CTAPStatus(rawValue: 0x23)
  /// 24: the key works on something else.
  public static let operationPending = CTAPStatus(rawValue: 0x24)
  /// 25: nothing is being worked on.
  public static let noOperations = CTAPStatus(rawValue: 0x25)
  /// 26: none of the algorithms is supported.
  public static let unsupportedAlgorithm = CTAPStatus(rawValue: 0x26)
  /// 27: the person or the key refused.
  public static let operationDenied = CTAPStatus(rawValue: 0x27)
  /// 28: no room for another credential.
  public static let keyStoreFull = CTAPStatus(rawValue: 0x28)
  /// 29: the key is not busy (CTAP 2.0).
  public static let notBusy = CTAPStatus(rawValue: 0x29)
  /// 2A: nothing to cancel (CTAP 2.0).
  public static let noOperationPending = CTAPStatus(rawValue: 0x2a)
  /// 2B: an option is not supported.
  public static let unsupportedOption = CTAPStatus(rawValue: 0x2b)
  /// 2C: an option is not valid here.
  public static let invalidOption = CTAPStatus(rawValue: 0x2c)
  /// 2D: the request was cancelled.
  public static let keepAliveCancel = CTAPStatus(rawValue: 0x2d)
  /// 2E: no credential answers.
  public static let noCredentials = CTAPStatus(rawValue: 0x2e)
  /// 2F: nobody touched the key in time.
  public static let userActionTimeout = CTAPStatus(rawValue: 0x2f)
  /// 30: not allowed now, such as a reset long after power-up.
  public static let notAllowed = CTAPStatus(rawValue: 0x30)
  /// 31: the PIN is wrong.
  public static let pinInvalid = CTAPStatus(rawValue: 0x31)
  /// 32: the PIN is blocked for good.
  public static let pinBlocked = CTAPStatus(rawValue: 0x32)
  /// 33: the proof that a PIN/UV token is held is wrong.
  public static let pinAuthInvalid = CTAPStatus(rawValue: 0x33)
  /// 34: the PIN is blocked until the key is plugged in again.
  public static let pinAuthBlocked = CTAPStatus(rawValue: 0x34)
  /// 35: no PIN is set.
  public static let pinNotSet = CTAPStatus(rawValue: 0x35)
  /// 36: a PIN/UV token is needed.
  public static let puatRequired = CTAPStatus(rawValue: 0x36)
  /// 37: the PIN breaks a rule of the key.
  public static let pinPolicyViolation = CTAPStatus(rawValue: 0x37)
  /// 38: the PIN/UV token has expired (CTAP 2.0).
  public static let pinTokenExpired = CTAPStatus(rawValue: 0x38)
  /// 39: the request is larger than the key takes.
  public static let requestTooLarge = CTAPStatus(rawValue: 0x39)
  /// 3A: the key's time for this action is over.
  public static let actionTimeout = CTAPStatus(rawValue: 0x3a)
  /// 3B: a touch is needed.
  public static let upRequired = CTAPStatus(rawValue: 0x3b)
  /// 3C: built-in verification is blocked.
  public static let uvBlocked = CTAPStatus(rawValue: 0x3c)
  /// 3D: a checksum does not match.
  public static let integrityFailure = CTAPStatus(rawValue: 0x3d)
  /// 3E: the subcommand is not known.
  public static let invalidSubcommand = CTAPStatus(rawValue: 0x3e)
  /// 3F: built-in verification did not recognise the person.
  public static let uvInvalid = CTAPStatus(rawValue: 0x3f)
  /// 40: the PIN/UV token lacks the permission.
  public static let unauthorizedPermission = CTAPStatus(rawValue: 0x40)
  /// 7F: an error that the key does not explain.
  public static let other = CTAPStatus(rawValue: 0x7f)
}
