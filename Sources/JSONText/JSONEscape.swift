/// The escapes of RFC 8259 §7.
enum JSONEscape {
  /// The character that a letter after a backslash stands for; nil for `u` and for what is no escape.
  static func character(_ letter: UInt8) -> UInt8? {
    switch letter {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): letter
    case UInt8(ascii: "b"): 0x08
    case UInt8(ascii: "f"): 0x0c
    case UInt8(ascii: "n"): 0x0a
    case UInt8(ascii: "r"): 0x0d
    case UInt8(ascii: "t"): 0x09
    default: nil
    }
  }

  /// The value of a hexadecimal digit in either case.
  static func hexDigit(_ digit: UInt8) -> UInt8? {
    switch digit {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): digit - UInt8(ascii: "A") + 10
    default: nil
    }
  }

  /// Resolves the escapes of a string's content, which the parser has checked.
  ///
  /// Surrogate pairs become one character. Where a surrogate has no partner the result is nil, unless `replacement` is
  /// given for it.
  static func resolve(_ content: ArraySlice<UInt8>, replacement: Unicode.Scalar? = nil) -> String? {
    guard content.contains(UInt8(ascii: "\\")) else { return String(decoding: content, as: UTF8.self) }
    var text: [UInt8] = []
    text.reserveCapacity(content.count)
    var rest = content
    while let byte = rest.popFirst() {
      guard byte == UInt8(ascii: "\\"), let letter = rest.popFirst() else {
        text.append(byte)
        continue
      }
      if let character = character(letter) {
        text.append(character)
      } else if let scalar = scalar(from: &rest) ?? replacement {
        text.append(contentsOf: Character(scalar).utf8)
      } else {
        return nil
      }
    }
    return String(decoding: text, as: UTF8.self)
  }

  /// Reads what follows `\u`, with the escape of the low surrogate where there is one; nil for a lone surrogate.
  private static func scalar(from rest: inout ArraySlice<UInt8>) -> Unicode.Scalar? {
    let unit = codeUnit(rest)
    rest = rest.dropFirst(4)
    guard UTF16.isLeadSurrogate(unit), rest.starts(with: [UInt8(ascii: "\\"), UInt8(ascii: "u")]) else {
      return Unicode.Scalar(unit)
    }
    let trail = codeUnit(rest.dropFirst(2))
    guard UTF16.isTrailSurrogate(trail) else { return nil }
    rest = rest.dropFirst(6)
    return Unicode.Scalar(0x10000 + (UInt32(unit) - 0xd800) << 10 + (UInt32(trail) - 0xdc00))
  }

  private static func codeUnit(_ digits: ArraySlice<UInt8>) -> UInt16 {
    digits.prefix(4).reduce(0) { $0 << 4 | UInt16(hexDigit($1) ?? 0) }
  }
}
