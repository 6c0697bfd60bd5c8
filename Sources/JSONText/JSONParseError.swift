/// Why a text is not JSON, and where.
public struct JSONParseError: Error, Hashable, Sendable {
  /// What is wrong at the position.
  public enum What: Hashable, Sendable {
    /// The text ends where more is needed.
    case unexpectedEnd(expected: String)
    /// A byte that cannot stand here.
    case unexpected(UInt8, expected: String)
    /// Something other than white space after the value.
    case trailingContent
    /// A number that starts with a zero and goes on with a digit.
    case leadingZero
    /// A control character below U+0020 in a string, where only an escape is allowed.
    case controlCharacter(UInt8)
    /// A backslash followed by something that is no escape.
    case invalidEscape
    /// Bytes in a string that are not UTF-8.
    case invalidUTF8
    /// A byte order mark at the start, of UTF-8 or UTF-16.
    case byteOrderMark
    /// More levels than the limit.
    case tooDeep(limit: Int)
    /// More values than the limit.
    case tooManyValues(limit: Int)
    /// More bytes than the limit.
    case tooLarge(count: Int, limit: Int)
  }

  /// The line, from 1; lines end with LF, CR or both.
  public let line: Int
  /// The column, from 1, in Unicode code points.
  public let column: Int
  /// What is wrong there.
  public let what: What

  /// Finds the line and the column of a byte offset.
  init(_ what: What, at offset: Int, in bytes: [UInt8]) {
    var line = 1
    var lineStart = 0
    for index in 0..<offset {
      let endsWithLineFeed = bytes[index] == UInt8(ascii: "\n")
      // Of CR LF only the LF counts.
      let endsWithReturn =
        bytes[index] == UInt8(ascii: "\r") && !(index + 1 < bytes.count && bytes[index + 1] == UInt8(ascii: "\n"))
      if endsWithLineFeed || endsWithReturn {
        line += 1
        lineStart = index + 1
      }
    }
    self.line = line
    column = 1 + bytes[lineStart..<offset].count { $0 & 0xc0 != 0x80 }
    self.what = what
  }
}

extension JSONParseError: CustomStringConvertible {
  /// One line for people: where, what was found and what was expected.
  public var description: String { "line \(line), column \(column): \(what)" }
}

extension JSONParseError.What: CustomStringConvertible {
  /// The problem in a few words.
  public var description: String {
    switch self {
    case .unexpectedEnd(let expected): "the text ends where \(expected) is expected"
    case .unexpected(let byte, let expected): "found \(name(of: byte)) where \(expected) is expected"
    case .trailingContent: "something follows the JSON value"
    case .leadingZero: "a number must not start with a zero"
    case .controlCharacter(let byte): "\(name(of: byte)) must be escaped in a string"
    case .invalidEscape: "a backslash is not followed by a valid escape"
    case .invalidUTF8: "the string is not valid UTF-8"
    case .byteOrderMark: "the text starts with a byte order mark; write it as UTF-8 without one"
    case .tooDeep(let limit): "arrays and objects are nested in more than \(limit) levels"
    case .tooManyValues(let limit): "there are more than \(limit) values"
    case .tooLarge(let count, let limit): "the text has \(count) bytes, and at most \(limit) are accepted"
    }
  }
}

private func name(of byte: UInt8) -> String {
  switch byte {
  case 0x21...0x7e: "'\(Unicode.Scalar(byte))'"
  case 0x20: "a space"
  case UInt8(ascii: "\n"): "a line end"
  default: "the byte 0x\(byte < 16 ? "0" : "")\(String(byte, radix: 16))"
  }
}
