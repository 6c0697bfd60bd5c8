/// A logical channel on a key's HID node; each program that talks to the key has its own (CTAP §11.2.3).
public struct ChannelID: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
  /// The number, as it stands big-endian in the first four bytes of each report.
  public let rawValue: UInt32

  /// Creates a channel from its number.
  public init(rawValue: UInt32) {
    self.rawValue = rawValue
  }

  /// The channel on which channels are asked for.
  public static let broadcast = ChannelID(rawValue: 0xffff_ffff)

  /// Channel zero, which is never handed out.
  public static let reserved = ChannelID(rawValue: 0)

  /// Whether a key may hand out this channel.
  public var isAllocatable: Bool { self != .broadcast && self != .reserved }

  /// The number as eight hexadecimal digits.
  public var description: String {
    let digits = String(rawValue, radix: 16)
    return String(repeating: "0", count: 8 - digits.count) + digits
  }
}
