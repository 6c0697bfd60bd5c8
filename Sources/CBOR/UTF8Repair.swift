/// Makes text of bytes that are not quite UTF-8.
enum UTF8Repair {
  /// The text with a character that was cut at the end left out, and every other error replaced by U+FFFD.
  static func text(_ bytes: UnsafeBufferPointer<UInt8>) -> String {
    String(decoding: bytes.dropLast(cutTail(bytes)), as: UTF8.self)
  }

  /// The number of bytes at the end that begin a character without ending it, 0 to 3.
  private static func cutTail(_ bytes: UnsafeBufferPointer<UInt8>) -> Int {
    for length in 1...3 {
      guard let byte = bytes.dropLast(length - 1).last else { return 0 }
      switch byte {
      case 0x80...0xbf: continue
      case 0xc2...0xdf: return length < 2 ? length : 0
      case 0xe0...0xef: return length < 3 ? length : 0
      case 0xf0...0xf4: return length
      default: return 0
      }
    }
    return 0
  }
}
