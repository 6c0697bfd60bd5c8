/// What a CTAPHID message asks for or answers: seven bits, without the bit that marks an initial report (CTAP §11.2.9).
public struct CTAPHIDCommand: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
  /// The number, 0 to 127.
  public let rawValue: UInt8

  /// Creates a command from its number; the top bit, which is not part of it, is dropped.
  public init(rawValue: UInt8) {
    self.rawValue = rawValue & 0x7f
  }

  /// Sends the payload back.
  public static let ping = CTAPHIDCommand(rawValue: 0x01)
  /// Carries a CTAP1/U2F message.
  public static let msg = CTAPHIDCommand(rawValue: 0x03)
  /// Keeps other channels out for some seconds.
  public static let lock = CTAPHIDCommand(rawValue: 0x04)
  /// Asks for a channel, or brings one back to a known state.
  public static let initialise = CTAPHIDCommand(rawValue: 0x06)
  /// Makes the key show itself.
  public static let wink = CTAPHIDCommand(rawValue: 0x08)
  /// Carries a CTAP2 message.
  public static let cbor = CTAPHIDCommand(rawValue: 0x10)
  /// Ends the request that the key is working on.
  public static let cancel = CTAPHIDCommand(rawValue: 0x11)
  /// Says that the key is still at work; only a key sends it.
  public static let keepAlive = CTAPHIDCommand(rawValue: 0x3b)
  /// Says that a message was not taken; only a key sends it.
  public static let error = CTAPHIDCommand(rawValue: 0x3f)

  /// Whether the number belongs to vendors (40 to 7F).
  public var isVendor: Bool { rawValue >= 0x40 }

  /// The specification's name, or the number where there is none.
  public var description: String {
    switch self {
    case .ping: "PING"
    case .msg: "MSG"
    case .lock: "LOCK"
    case .initialise: "INIT"
    case .wink: "WINK"
    case .cbor: "CBOR"
    case .cancel: "CANCEL"
    case .keepAlive: "KEEPALIVE"
    case .error: "ERROR"
    default: "command 0x" + String(rawValue, radix: 16)
    }
  }
}

/// The code in a key's ERROR frame (CTAP §11.2.9.1.6); codes that the specification does not know are kept.
public struct CTAPHIDErrorCode: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
  /// The code as the key sent it.
  public let rawValue: UInt8

  /// Creates a code from its number.
  public init(rawValue: UInt8) {
    self.rawValue = rawValue
  }

  /// The key does not know the command.
  public static let invalidCommand = CTAPHIDErrorCode(rawValue: 0x01)
  /// A parameter of the command is wrong.
  public static let invalidParameter = CTAPHIDErrorCode(rawValue: 0x02)
  /// The length of the message is wrong.
  public static let invalidLength = CTAPHIDErrorCode(rawValue: 0x03)
  /// A report came out of its order.
  public static let invalidSequence = CTAPHIDErrorCode(rawValue: 0x04)
  /// The rest of the message did not come in time.
  public static let messageTimeout = CTAPHIDErrorCode(rawValue: 0x05)
  /// The key is working for another channel.
  public static let channelBusy = CTAPHIDErrorCode(rawValue: 0x06)
  /// The command needs the lock.
  public static let lockRequired = CTAPHIDErrorCode(rawValue: 0x0a)
  /// The key did not hand out this channel.
  public static let invalidChannel = CTAPHIDErrorCode(rawValue: 0x0b)
  /// Something else.
  public static let other = CTAPHIDErrorCode(rawValue: 0x7f)

  /// The specification's name, or the number where there is none.
  public var description: String {
    switch self {
    case .invalidCommand: "ERR_INVALID_CMD"
    case .invalidParameter: "ERR_INVALID_PAR"
    case .invalidLength: "ERR_INVALID_LEN"
    case .invalidSequence: "ERR_INVALID_SEQ"
    case .messageTimeout: "ERR_MSG_TIMEOUT"
    case .channelBusy: "ERR_CHANNEL_BUSY"
    case .lockRequired: "ERR_LOCK_REQUIRED"
    case .invalidChannel: "ERR_INVALID_CHANNEL"
    case .other: "ERR_OTHER"
    default: "error code 0x" + String(rawValue, radix: 16)
    }
  }
}

/// What a key says of itself in its INIT reply (CTAP §11.2.9.1.3).
public struct DeviceCapabilities: OptionSet, Hashable, Sendable {
  /// The byte as the key sent it.
  public let rawValue: UInt8

  /// Creates a set from the byte.
  public init(rawValue: UInt8) {
    self.rawValue = rawValue
  }

  /// The key can show itself.
  public static let wink = DeviceCapabilities(rawValue: 0x01)
  /// The key speaks CTAP2.
  public static let cbor = DeviceCapabilities(rawValue: 0x04)
  /// The key does not speak CTAP1/U2F.
  public static let noMSG = DeviceCapabilities(rawValue: 0x08)
}

/// What a key says it is doing while a request runs (CTAP §11.2.9.1.7).
public enum KeepAlive: Hashable, Sendable {
  /// It is computing.
  case processing
  /// It waits for a touch.
  case userPresenceNeeded
  /// A status that the specification does not know.
  case other(UInt8)

  /// Creates a status from its byte.
  public init(status: UInt8) {
    switch status {
    case 1: self = .processing
    case 2: self = .userPresenceNeeded
    default: self = .other(status)
    }
  }

  /// The byte on the wire.
  public var status: UInt8 {
    switch self {
    case .processing: 1
    case .userPresenceNeeded: 2
    case .other(let status): status
    }
  }
}
