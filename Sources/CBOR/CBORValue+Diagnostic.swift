internal import Octets

extension CBORValue: CustomStringConvertible {
  /// The item in the diagnostic notation of RFC 8949 §8, such as `{1: h'00ff', "up": true}`, on one line.
  ///
  /// Control characters in text are escaped, so that a terminal can show what a key sent.
  public var description: String {
    switch self {
    case .unsigned(let magnitude): String(magnitude)
    case .negative(let magnitude): magnitude == .max ? "-18446744073709551616" : "-\(magnitude + 1)"
    case .bytes(let bytes): "h'\(Hex.encode(bytes))'"
    case .text(let text): Self.quoted(text)
    case .array(let elements): "[" + elements.map(\.description).joined(separator: ", ") + "]"
    case .map(let map): map.description
    case .tagged(let tag, let content): "\(tag)(\(content))"
    case .bool(let flag): flag ? "true" : "false"
    case .null: "null"
    case .undefined: "undefined"
    case .simple(let number): "simple(\(number))"
    case .float(let number): Self.decimal(number)
    }
  }

  private static func decimal(_ number: Double) -> String {
    if number.isNaN { return "NaN" }
    if number.isInfinite { return number < 0 ? "-Infinity" : "Infinity" }
    return number.description
  }

  private static func quoted(_ text: String) -> String {
    var quoted = "\""
    for scalar in text.unicodeScalars {
      switch scalar.value {
      case 0x22, 0x5c: quoted += "\\" + String(scalar)
      case ..<0x20, 0x7f...0x9f: quoted += "\\u" + Hex.encode([0, UInt8(scalar.value)])
      default: quoted.unicodeScalars.append(scalar)
      }
    }
    return quoted + "\""
  }
}

extension CBORMap: CustomStringConvertible {
  /// The map in diagnostic notation, its entries in their own order.
  public var description: String {
    "{" + entries.map { "\($0.key): \($0.value)" }.joined(separator: ", ") + "}"
  }
}
