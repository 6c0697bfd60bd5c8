/// The base64url text of RFC 4648 §5 as WebAuthn uses it: no padding, no white space, no spare bits.
public enum Base64URL {
  private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)

  /// Encodes bytes without padding.
  public static func encode(_ bytes: some Collection<UInt8>) -> String {
    var text: [UInt8] = []
    text.reserveCapacity((bytes.count * 4 + 2) / 3)
    var pending: UInt32 = 0
    var bits = 0
    for byte in bytes {
      pending = pending << 8 | UInt32(byte)
      bits += 8
      while bits >= 6 {
        bits -= 6
        text.append(alphabet[Int(pending >> UInt32(bits) & 0x3f)])
      }
    }
    if bits > 0 { text.append(alphabet[Int(pending << UInt32(6 - bits) & 0x3f)]) }
    return String(decoding: text, as: UTF8.self)
  }

  /// Decodes text that has only characters of the alphabet and a length that bytes can have.
  public static func decode(_ text: some StringProtocol) throws(Base64URLError) -> [UInt8] {
    var bytes: [UInt8] = []
    var pending: UInt32 = 0
    var bits = 0
    var position = 0
    for character in text.utf8 {
      guard let value = value(character) else {
        throw .character(Unicode.Scalar(character), position: position)
      }
      pending = pending << 6 | UInt32(value)
      bits += 6
      if bits >= 8 {
        bits -= 8
        bytes.append(UInt8(truncatingIfNeeded: pending >> UInt32(bits)))
      }
      position += 1
    }
    guard bits < 6 else { throw .length(position) }
    guard pending & (1 << UInt32(bits) - 1) == 0 else { throw .spareBits }
    return bytes
  }

  private static func value(_ character: UInt8) -> UInt8? {
    switch character {
    case UInt8(ascii: "A")...UInt8(ascii: "Z"): character - UInt8(ascii: "A")
    case UInt8(ascii: "a")...UInt8(ascii: "z"): character - UInt8(ascii: "a") + 26
    case UInt8(ascii: "0")...UInt8(ascii: "9"): character - UInt8(ascii: "0") + 52
    case UInt8(ascii: "-"): 62
    case UInt8(ascii: "_"): 63
    default: nil
    }
  }
}

/// Why a text is not base64url.
public enum Base64URLError: Error, Hashable, Sendable {
  /// A character outside the alphabet (`=` and white space among them), at a position counted in bytes from 0.
  case character(Unicode.Scalar, position: Int)
  /// A number of characters that no number of bytes encodes to.
  case length(Int)
  /// Bits after the last byte that are not zero.
  case spareBits
}
