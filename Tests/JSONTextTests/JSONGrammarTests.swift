import JSONText
import Testing

@Suite("The grammar of RFC 8259")
struct JSONGrammarTests {
  @Test(
    "well-formed text is accepted",
    arguments: [
      "null", "true", "false", "0", "-0", "1", "-1", "12345678901234567890123", "0.0", "-0.1", "1e5", "1E+5", "1e-5",
      "0e0", "0E-0", "1.5e300", "\"\"", "\"a\"", "\" \u{7f} \"", "\"\u{e9}\u{20ac}\u{1f511}\"", "\"\u{2028}\u{2029}\"",
      #""\" \\ \/ \b \f \n \r \t""#, #""\u0041\uD83D\udd11""#, #""\u0000""#, #""\ud800""#, #""\udc00\ud800""#,
      #""\ud800\u0041""#, "\"\u{fffe}\u{10ffff}\"", "[]", "[ ]", "[1]", "[1,2]", "[[],{}]", "{}", "{ }", "{\"\":0}",
      "{\"a\":1,\"a\":2}", " \t\r\n1 \t\r\n", "[\n1\n,\n2\n]", "{\"a\" : [ true , null ] }", "[0,-1,2.5,3e3]",
    ])
  func accepts(_ text: String) throws {
    let value = try JSONValue.parse(text)
    let trimmed = text.utf8.drop { " \t\r\n".utf8.contains($0) }.reversed().drop { " \t\r\n".utf8.contains($0) }
    #expect(value.source == Array(trimmed.reversed()))
  }

  struct Refused: Sendable, CustomTestStringConvertible {
    let text: String
    let line: Int
    let column: Int
    let what: JSONParseError.What

    init(_ text: String, _ line: Int, _ column: Int, _ what: JSONParseError.What) {
      self.text = text
      self.line = line
      self.column = column
      self.what = what
    }

    var testDescription: String { text.debugDescription }
  }

  static func found(_ character: Unicode.Scalar, _ expected: String) -> JSONParseError.What {
    .unexpected(UInt8(ascii: character), expected: expected)
  }

  static func end(_ expected: String) -> JSONParseError.What { .unexpectedEnd(expected: expected) }

  @Test(
    "malformed text is refused with the place and the reason",
    arguments: [
      Refused("", 1, 1, end("a value")),
      Refused("  ", 1, 3, end("a value")),
      Refused("nul", 1, 4, end("'null'")),
      Refused("nulL", 1, 4, found("L", "'null'")),
      Refused("True", 1, 1, found("T", "a value")),
      Refused("truE", 1, 4, found("E", "'true'")),
      Refused("fals ", 1, 5, found(" ", "'false'")),
      Refused("NaN", 1, 1, found("N", "a value")),
      Refused("Infinity", 1, 1, found("I", "a value")),
      Refused("undefined", 1, 1, found("u", "a value")),
      Refused("'a'", 1, 1, found("'", "a value")),
      Refused("// no\n1", 1, 1, found("/", "a value")),
      Refused("1 /* no */", 1, 3, .trailingContent),
      Refused("1 2", 1, 3, .trailingContent),
      Refused("{}}", 1, 3, .trailingContent),
      Refused("\"a\"\"b\"", 1, 4, .trailingContent),
      Refused("nulll", 1, 5, .trailingContent),
      Refused("-", 1, 2, end("a digit")),
      Refused("+1", 1, 1, found("+", "a value")),
      Refused("-a", 1, 2, found("a", "a digit")),
      Refused("--1", 1, 2, found("-", "a digit")),
      Refused("01", 1, 2, .leadingZero),
      Refused("-00", 1, 3, .leadingZero),
      Refused(".5", 1, 1, found(".", "a value")),
      Refused("1.", 1, 3, end("a digit")),
      Refused("1.e5", 1, 3, found("e", "a digit")),
      Refused("[1.]", 1, 4, found("]", "a digit")),
      Refused("1e", 1, 3, end("a digit")),
      Refused("1e+", 1, 4, end("a digit")),
      Refused("1e+-1", 1, 4, found("-", "a digit")),
      Refused("1eE1", 1, 3, found("E", "a digit")),
      Refused("0x10", 1, 2, .trailingContent),
      Refused("1_000", 1, 2, .trailingContent),
      Refused("[", 1, 2, end("a value")),
      Refused("[1", 1, 3, end("',' or ']'")),
      Refused("[1,", 1, 4, end("a value")),
      Refused("[1,]", 1, 4, found("]", "a value")),
      Refused("[,1]", 1, 2, found(",", "a value")),
      Refused("[1 2]", 1, 4, found("2", "',' or ']'")),
      Refused("[1}", 1, 3, found("}", "',' or ']'")),
      Refused("]", 1, 1, found("]", "a value")),
      Refused("{", 1, 2, end("a member name or '}'")),
      Refused("{,}", 1, 2, found(",", "a member name or '}'")),
      Refused("{1:2}", 1, 2, found("1", "a member name or '}'")),
      Refused("{a:2}", 1, 2, found("a", "a member name or '}'")),
      Refused("{\"a\"", 1, 5, end("':'")),
      Refused("{\"a\",1}", 1, 5, found(",", "':'")),
      Refused("{\"a\"::1}", 1, 6, found(":", "a value")),
      Refused("{\"a\":}", 1, 6, found("}", "a value")),
      Refused("{\"a\":1", 1, 7, end("',' or '}'")),
      Refused("{\"a\":1]", 1, 7, found("]", "',' or '}'")),
      Refused("{\"a\":1,}", 1, 8, found("}", "a member name")),
      Refused("{\"a\":1,,}", 1, 8, found(",", "a member name")),
      Refused("\"", 1, 2, end("'\"'")),
      Refused("\"abc", 1, 5, end("'\"'")),
      Refused("\"\\", 1, 3, end("an escape")),
      Refused("\"\\u00", 1, 6, end("a hexadecimal digit")),
      Refused("\"\\u00g0\"", 1, 2, .invalidEscape),
      Refused("\"a\\x41\"", 1, 3, .invalidEscape),
      Refused("\"\\U0041\"", 1, 2, .invalidEscape),
      Refused("\"\\'\"", 1, 2, .invalidEscape),
      Refused("\"a\tb\"", 1, 3, .controlCharacter(9)),
      Refused("\"a\nb\"", 1, 3, .controlCharacter(10)),
      Refused("\"a\u{0}b\"", 1, 3, .controlCharacter(0)),
      Refused("\"a\u{1f}b\"", 1, 3, .controlCharacter(31)),
      Refused("\u{b}1", 1, 1, .unexpected(0x0b, expected: "a value")),
      Refused("\u{a0}1", 1, 1, .unexpected(0xc2, expected: "a value")),
      Refused("[\u{2028}]", 1, 2, .unexpected(0xe2, expected: "a value")),
      Refused("\u{feff}{}", 1, 1, .byteOrderMark),
      Refused("{\n  \"a\": 1,\n  b\n}", 3, 3, found("b", "a member name")),
      Refused("[\r\n1,\r\n  x]", 3, 3, found("x", "a value")),
      Refused("[\r1,\r  x]", 3, 3, found("x", "a value")),
      Refused("[\n\r\n\rx]", 4, 1, found("x", "a value")),
      Refused("[\"\u{e9}\u{20ac}\u{1f511}\" x]", 1, 8, found("x", "',' or ']'")),
    ])
  func refuses(_ refused: Refused) {
    #expect(throws: JSONParseError.self) { try JSONValue.parse(refused.text) }
    do throws(JSONParseError) {
      _ = try JSONValue.parse(refused.text)
    } catch {
      #expect(error.line == refused.line)
      #expect(error.column == refused.column)
      #expect(error.what == refused.what)
    }
  }

  @Test(
    "bytes that are not UTF-8 are refused",
    arguments: [
      [0x80], [0xbf], [0xc0, 0x80], [0xc1, 0xbf], [0xc3], [0xc3, 0x28], [0xe0, 0x80, 0x80], [0xe0, 0x9f, 0xbf],
      [0xe2, 0x82], [0xe2, 0x28, 0xa1], [0xe2, 0x82, 0x28], [0xed, 0xa0, 0x80], [0xed, 0xbf, 0xbf],
      [0xf0, 0x80, 0x80, 0x80],
      [0xf0, 0x8f, 0xbf, 0xbf], [0xf0, 0x9f, 0x94], [0xf0, 0x9f, 0x28, 0x91], [0xf4, 0x90, 0x80, 0x80],
      [0xf5, 0x80, 0x80, 0x80],
      [0xfe], [0xff],
    ] as [[UInt8]])
  func refusesInvalidUTF8(_ bytes: [UInt8]) {
    for ending in [[0x22], []] as [[UInt8]] {
      do throws(JSONParseError) {
        _ = try JSONDocument(parsing: [0x22, 0x61] + bytes + ending)
        Issue.record("accepted")
      } catch {
        #expect(error.what == .invalidUTF8)
        #expect(error.column == 3)
      }
    }
  }

  @Test(
    "the edges of every UTF-8 length are accepted",
    arguments: [
      "\u{80}", "\u{7ff}", "\u{800}", "\u{d7ff}", "\u{e000}", "\u{ffff}", "\u{10000}", "\u{fffff}", "\u{10ffff}",
    ])
  func acceptsUTF8Edges(_ character: String) throws {
    #expect(try JSONValue.parse("\"\(character)\"").stringValue == character)
  }

  @Test("UTF-16 text is named as such", arguments: [[0xff, 0xfe, 0x31, 0], [0xfe, 0xff, 0, 0x31]] as [[UInt8]])
  func refusesUTF16(_ bytes: [UInt8]) {
    do throws(JSONParseError) {
      _ = try JSONDocument(parsing: bytes)
      Issue.record("accepted")
    } catch {
      #expect(error.what == .byteOrderMark)
    }
  }

  @Test("a text that ends anywhere inside is refused")
  func refusesEveryPrefix() throws {
    let text = Array(#" {"a":[1.5e+3,true,null,"\u00e9é"],"b":{"c":false}}"#.utf8)
    for count in 0..<text.count {
      #expect(throws: JSONParseError.self) { try JSONDocument(parsing: Array(text[..<count])) }
    }
    #expect(try JSONDocument(parsing: text).root.members?.count == 2)
  }

  @Test(
    "an error reads as one line for people",
    arguments: [
      ("[1,\n x]", "line 2, column 2: found 'x' where a value is expected"),
      ("[1", "line 1, column 3: the text ends where ',' or ']' is expected"),
      ("[1 2]", "line 1, column 4: found '2' where ',' or ']' is expected"),
      ("tr e", "line 1, column 3: found a space where 'true' is expected"),
      ("-\n", "line 1, column 2: found a line end where a digit is expected"),
      ("\u{1}", "line 1, column 1: found the byte 0x01 where a value is expected"),
      ("\u{e9}", "line 1, column 1: found the byte 0xc3 where a value is expected"),
      ("1 2", "line 1, column 3: something follows the JSON value"),
      ("01", "line 1, column 2: a number must not start with a zero"),
      ("\"\n\"", "line 1, column 2: a line end must be escaped in a string"),
      ("\"\\q\"", "line 1, column 2: a backslash is not followed by a valid escape"),
      ("\u{feff}1", "line 1, column 1: the text starts with a byte order mark; write it as UTF-8 without one"),
    ])
  func describesErrors(_ text: String, _ description: String) {
    do throws(JSONParseError) {
      _ = try JSONValue.parse(text)
      Issue.record("accepted")
    } catch {
      #expect(error.description == description)
    }
  }

  @Test("the remaining reasons read well")
  func describesReasons() {
    #expect(JSONParseError.What.invalidUTF8.description == "the string is not valid UTF-8")
    #expect(
      JSONParseError.What.tooDeep(limit: 64).description == "arrays and objects are nested in more than 64 levels")
    #expect(JSONParseError.What.tooManyValues(limit: 9).description == "there are more than 9 values")
    #expect(
      JSONParseError.What.tooLarge(count: 10, limit: 9).description
        == "the text has 10 bytes, and at most 9 are accepted")
  }
}
