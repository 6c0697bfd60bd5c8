import Octets

/// A U2F response: data and a status of two bytes behind it (FIDO U2F Raw Message Formats 1.2 §3.2).
public struct U2FResponseFrame: Hashable, Sendable {
  /// The data; keys send none where the status is not success.
  public var data: [UInt8]
  /// The status.
  public var status: U2FStatus

  /// Creates a frame.
  public init(data: [UInt8] = [], status: U2FStatus = .noError) {
    self.data = data
    self.status = status
  }

  /// The bytes.
  public func encoded() -> [UInt8] {
    var bytes = data
    bytes.append(bigEndian: status.rawValue)
    return bytes
  }

  /// Reads a frame; throws a `MessageError` where there are not even the two bytes of a status.
  public init(_ bytes: [UInt8]) throws(MessageError) {
    guard bytes.count >= 2 else {
      throw MessageError(
        message: "U2F response", member: "status", problem: .truncated(needed: 2, remaining: bytes.count))
    }
    data = Array(bytes.dropLast(2))
    status = U2FStatus(rawValue: bytes.suffix(2).reduce(0) { $0 << 8 | UInt16($1) })
  }

  /// Reads a frame from a key whose length field may count the padding of its last report.
  ///
  /// The first byte of a status is 6X or 9X (ISO 7816-4 §5.6), so zeros at the end are padding but for the second byte of
  /// a status such as 9000.
  public init(padded bytes: [UInt8]) throws(MessageError) {
    let last = bytes.lastIndex { $0 != 0 } ?? bytes.endIndex - 1
    let end = last >= 0 && [0x60, 0x90].contains(bytes[last] & 0xf0) ? last + 2 : last + 1
    try self.init(Array(bytes[..<min(max(end, 0), bytes.count)]))
  }
}

/// The two bytes that end a U2F response; any value is a status (FIDO U2F Raw Message Formats 1.2 §3.3).
public struct U2FStatus: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
  /// The number.
  public let rawValue: UInt16

  /// Creates a status from a number, known or not.
  public init(rawValue: UInt16) { self.rawValue = rawValue }

  /// 9000: success.
  public static let noError = U2FStatus(rawValue: 0x9000)
  /// 6985: a touch is needed, or after check-only: the credential is known.
  public static let conditionsNotSatisfied = U2FStatus(rawValue: 0x6985)
  /// 6A80: the credential is not known.
  public static let wrongData = U2FStatus(rawValue: 0x6a80)
  /// 6700: the request has a wrong length.
  public static let wrongLength = U2FStatus(rawValue: 0x6700)
  /// 6986: U2F is switched off, such as by alwaysUv (CTAP 2.1 §7.2).
  public static let commandNotAllowed = U2FStatus(rawValue: 0x6986)
  /// 6F00: something else.
  public static let other = U2FStatus(rawValue: 0x6f00)
  /// 6E00: the class is not known.
  public static let claNotSupported = U2FStatus(rawValue: 0x6e00)
  /// 6D00: the instruction is not known.
  public static let insNotSupported = U2FStatus(rawValue: 0x6d00)

  /// Whether a key answers so when it is asked for a credential that is not its own.
  ///
  /// The specification has 6A80 for it; keys in the field also say 6700 of a key handle that is not as long as theirs,
  /// 6984 (data invalid) and 6A88 (not found).
  public var meansUnknownCredential: Bool { [0x6a80, 0x6700, 0x6984, 0x6a88].contains(rawValue) }

  /// A sentence for people: what happened and, where there is something to do, what.
  public var explanation: String {
    switch self {
    case .noError: "The key did what was asked."
    case .conditionsNotSatisfied: "The key is waiting for you. Touch it."
    case .wrongData: "The credential does not belong to this key. Use another key."
    case .wrongLength: "The key refused the length of the request. Unplug the key, plug it in and try again."
    case .commandNotAllowed: "The key refuses U2F, as it does while it always verifies the user. Use it with its PIN."
    case .claNotSupported, .insNotSupported: "The key does not know this command. It may be too old for it."
    default: "The key failed with status \(description). Unplug the key, plug it in and try again."
    }
  }

  /// The number in hexadecimal digits.
  public var description: String {
    let digits = String(rawValue, radix: 16, uppercase: true)
    return "0x" + String(repeating: "0", count: 4 - digits.count) + digits
  }
}
