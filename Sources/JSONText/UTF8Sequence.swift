/// The well-formed byte sequences of Unicode table 3-7.
enum UTF8Sequence {
  /// The length of the character of two to four bytes that starts at an index, or nil where none does.
  static func length(in bytes: [UInt8], at index: Int) -> Int? {
    let second: ClosedRange<UInt8>
    let length: Int
    switch bytes[index] {
    case 0xc2...0xdf: (second, length) = (0x80...0xbf, 2)
    case 0xe0: (second, length) = (0xa0...0xbf, 3)
    case 0xed: (second, length) = (0x80...0x9f, 3)
    case 0xe1...0xef: (second, length) = (0x80...0xbf, 3)
    case 0xf0: (second, length) = (0x90...0xbf, 4)
    case 0xf1...0xf3: (second, length) = (0x80...0xbf, 4)
    case 0xf4: (second, length) = (0x80...0x8f, 4)
    default: return nil
    }
    guard bytes.count - index >= length, second.contains(bytes[index + 1]) else { return nil }
    return bytes[index + 2..<index + length].allSatisfy { $0 & 0xc0 == 0x80 } ? length : nil
  }
}
