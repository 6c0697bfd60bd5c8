import Octets

/// Reads a JSON object without arrays and objects in it (RFC 8259), and leaves no copy of its texts behind.
///
/// `JSONText` keeps the whole text in memory that is not zeroed; a PIN must not stay in one.
struct FlatObjectParser {
  private let bytes: UnsafeRawBufferPointer
  private var position = 0

  init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

  /// Calls `body` with each member; nothing but white space may follow the object.
  mutating func forEachMember(
    _ body: (SecretBytes, ProgramMessage.Value) throws(ProgramMessageError) -> Void
  ) throws(ProgramMessageError) {
    skipSpace()
    try take("{")
    skipSpace()
    if peek != UInt8(ascii: "}") {
      while true {
        skipSpace()
        let name = try text()
        skipSpace()
        try take(":")
        skipSpace()
        try body(name, try value())
        skipSpace()
        if peek != UInt8(ascii: ",") { break }
        position += 1
      }
    }
    try take("}")
    skipSpace()
    guard position == bytes.count else { throw unexpected }
  }

  private var peek: UInt8? { position < bytes.count ? bytes[position] : nil }

  private var unexpected: ProgramMessageError {
    ProgramMessageError("The line is not one flat JSON object: it goes wrong at byte \(position).")
  }

  private mutating func skipSpace() {
    while let byte = peek, byte == 0x20 || byte == 0x09 || byte == 0x0d || byte == 0x0a { position += 1 }
  }

  private mutating func take(_ character: Unicode.Scalar) throws(ProgramMessageError) {
    guard peek == UInt8(ascii: character) else { throw unexpected }
    position += 1
  }

  private mutating func value() throws(ProgramMessageError) -> ProgramMessage.Value {
    switch peek {
    case UInt8(ascii: "\""): return .text(try text())
    case UInt8(ascii: "t"): return try word("true", .bool(true))
    case UInt8(ascii: "f"): return try word("false", .bool(false))
    case UInt8(ascii: "n"): return try word("null", .null)
    default: return .integer(try integer())
    }
  }

  private mutating func word(
    _ word: String, _ value: ProgramMessage.Value
  ) throws(ProgramMessageError) -> ProgramMessage.Value {
    for byte in word.utf8 {
      guard peek == byte else { throw unexpected }
      position += 1
    }
    return value
  }

  /// An integer of at most fifteen digits; nothing here is asked for that has a fraction.
  private mutating func integer() throws(ProgramMessageError) -> Int {
    let isNegative = peek == UInt8(ascii: "-")
    if isNegative { position += 1 }
    let start = position
    var number = 0
    while let digit = digit(10), position - start < 15 {
      number = number * 10 + digit
      position += 1
    }
    let isLong = position - start > 1 && bytes[start] == UInt8(ascii: "0")
    guard position > start, !isLong, digit(10) == nil else { throw unexpected }
    return isNegative ? -number : number
  }

  /// The digit at the position, in the given base.
  private func digit(_ base: Int) -> Int? {
    guard let peek, peek < 0x80 else { return nil }
    return Unicode.Scalar(peek).properties.isASCIIHexDigit
      ? Character(Unicode.Scalar(peek)).hexDigitValue.flatMap { $0 < base ? $0 : nil } : nil
  }

  // MARK: Texts

  /// The bytes of a string, its escapes resolved.
  private mutating func text() throws(ProgramMessageError) -> SecretBytes {
    try take("\"")
    // No escape is shorter than what it stands for.
    let limit = bytes.count - position
    var failure: ProgramMessageError?
    var count = 0
    let whole = SecretBytes(count: limit) { buffer in
      do throws(ProgramMessageError) {
        count = try fill(buffer)
      } catch {
        failure = error
      }
    }
    if let failure { throw failure }
    guard let text = whole.slice(0..<count), text.withBytes(Self.isUTF8) else { throw unexpected }
    return text
  }

  private mutating func fill(_ buffer: UnsafeMutableRawBufferPointer) throws(ProgramMessageError) -> Int {
    var count = 0
    while let byte = peek, byte != UInt8(ascii: "\"") {
      guard byte >= 0x20 else { throw unexpected }
      position += 1
      if byte == UInt8(ascii: "\\") {
        for unit in UTF8.encode(try escape()) ?? UTF8.encodedReplacementCharacter {
          buffer[count] = unit
          count += 1
        }
      } else {
        buffer[count] = byte
        count += 1
      }
    }
    try take("\"")
    return count
  }

  /// What follows a backslash.
  private mutating func escape() throws(ProgramMessageError) -> Unicode.Scalar {
    guard let letter = peek else { throw unexpected }
    position += 1
    switch Unicode.Scalar(letter) {
    case "\"", "\\", "/": return Unicode.Scalar(letter)
    case "b": return "\u{8}"
    case "f": return "\u{c}"
    case "n": return "\n"
    case "r": return "\r"
    case "t": return "\t"
    case "u":
      let unit = try hexadecimal()
      if let scalar = Unicode.Scalar(unit) { return scalar }
      // The first half of a pair of surrogates; a half by itself is no character.
      guard unit < 0xdc00 else { throw unexpected }
      try take("\\")
      try take("u")
      let second = try hexadecimal()
      guard (0xdc00...0xdfff).contains(second),
        let scalar = Unicode.Scalar(0x10000 + ((unit - 0xd800) << 10) + (second - 0xdc00))
      else { throw unexpected }
      return scalar
    default:
      position -= 1
      throw unexpected
    }
  }

  private mutating func hexadecimal() throws(ProgramMessageError) -> UInt32 {
    var unit: UInt32 = 0
    for _ in 0..<4 {
      guard let digit = digit(16) else { throw unexpected }
      unit = unit << 4 | UInt32(digit)
      position += 1
    }
    return unit
  }

  private static func isUTF8(_ bytes: UnsafeRawBufferPointer) -> Bool {
    var parser = Unicode.UTF8.ForwardParser()
    var iterator = bytes.makeIterator()
    while true {
      switch parser.parseScalar(from: &iterator) {
      case .valid: continue
      case .emptyInput: return true
      case .error: return false
      }
    }
  }
}
