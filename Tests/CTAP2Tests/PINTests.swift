import CTAP2
import Octets
import Testing

@Suite("The text of a PIN")
struct PINTests {
  struct Case: Sendable, CustomTestStringConvertible {
    let name: String
    let typed: String
    var minimum = 4
    var maximum: Int?
    var expected: String?
    var error: PINError?
    var testDescription: String { name }
  }

  static let table: [Case] = [
    Case(name: "four digits", typed: "1234", expected: "1234"),
    Case(name: "nothing", typed: "", error: .tooShort(0, minimum: 4)),
    Case(name: "three digits", typed: "123", error: .tooShort(3, minimum: 4)),
    Case(name: "three code points of nine bytes", typed: "日本語", error: .tooShort(3, minimum: 4)),
    Case(name: "four code points of twelve bytes", typed: "日本語字", expected: "日本語字"),
    Case(name: "the key's own minimum", typed: "12345", minimum: 6, error: .tooShort(5, minimum: 6)),
    Case(name: "just the key's own minimum", typed: "123456", minimum: 6, expected: "123456"),
    Case(
      name: "sixty-three bytes", typed: String(repeating: "a", count: 63), expected: String(repeating: "a", count: 63)),
    Case(
      name: "sixty-four bytes", typed: String(repeating: "a", count: 64), error: .tooManyBytes(64, maximum: 63)),
    Case(
      name: "twenty-two code points of sixty-six bytes", typed: String(repeating: "字", count: 22),
      error: .tooManyBytes(66, maximum: 63)),
    Case(
      name: "more than is looked at", typed: String(repeating: "a", count: 5000),
      error: .tooManyBytes(5000, maximum: 63)),
    Case(name: "the key's own maximum", typed: "123456789", maximum: 8, error: .tooLong(9, maximum: 8)),
    Case(name: "just the key's own maximum", typed: "ééééé678", maximum: 8, expected: "ééééé678"),
    Case(name: "decomposed letters are composed", typed: "e\u{301}e\u{301}e\u{301}e\u{301}", expected: "éééé"),
    Case(name: "decomposed letters count once", typed: "e\u{301}e\u{301}1", error: .tooShort(3, minimum: 4)),
    Case(
      name: "Hangul letters become syllables", typed: String(repeating: "\u{1112}\u{1161}\u{11ab}", count: 4),
      expected: "한한한한"),
    Case(name: "marks are put in order", typed: "123q\u{307}\u{323}", expected: "123q\u{323}\u{307}"),
    Case(name: "compatibility forms stay", typed: "ﬁ①23", expected: "ﬁ①23"),
    Case(name: "the Ångström sign becomes a letter", typed: "123\u{212b}", expected: "123\u{c5}"),
    Case(name: "emoji", typed: "🔑🔑🔑🔑", expected: "🔑🔑🔑🔑"),
    Case(name: "one emoji of several code points", typed: "👩‍👩‍👧‍👦", expected: "👩‍👩‍👧‍👦"),
    Case(name: "a NUL at the end", typed: "1234\0", error: .containsNUL),
    Case(name: "a NUL in the middle", typed: "12\0345", error: .containsNUL),
    Case(name: "spaces are kept", typed: " 12 ", expected: " 12 "),
  ]

  @Test("is prepared as CTAP says, or refused for the rule that it breaks", arguments: table)
  func prepare(_ row: Case) throws {
    let typed = SecretBytes(Array(row.typed.utf8))
    guard let error = row.error else {
      let prepared = try PIN.prepare(typed, minimumCodePoints: row.minimum, maximumCodePoints: row.maximum)
      #expect(prepared.exposed() == Array((row.expected ?? "").utf8))
      return
    }
    #expect(throws: error) {
      try PIN.prepare(typed, minimumCodePoints: row.minimum, maximumCodePoints: row.maximum)
    }
  }

  @Test("may be 63 bytes after composing although more were typed")
  func composedToFit() throws {
    let typed = SecretBytes(Array(String(repeating: "\u{1112}\u{1161}\u{11ab}", count: 21).utf8))
    #expect(typed.count == 189)
    #expect(try PIN.prepare(typed).count == 63)
  }

  @Test("that is prepared already stays as it is", arguments: table.compactMap(\.expected))
  func preparedTwice(_ text: String) throws {
    let once = try PIN.prepare(SecretBytes(Array(text.utf8)))
    #expect(try PIN.prepare(once).exposed() == once.exposed())
  }

  @Test(
    "that is no UTF-8 is refused",
    arguments: [
      [0x31, 0x32, 0x33, 0xff], [0x31, 0x32, 0x33, 0xc3], [0xed, 0xa0, 0x80, 0x31], [0xc0, 0xb1, 0x32, 0x33],
    ]
  )
  func brokenText(_ bytes: [UInt8]) {
    #expect(throws: PINError.notUTF8) { try PIN.prepare(SecretBytes(bytes)) }
  }

  @Test(
    "is refused in words that say the numbers and not the PIN",
    arguments: [
      (PINError.tooShort(3, minimum: 4), "has 3 characters; this key wants at least 4"),
      (.tooLong(9, maximum: 8), "has 9 characters; this key takes at most 8"),
      (.tooManyBytes(64, maximum: 63), "has 64 bytes in UTF-8; a PIN has at most 63"),
      (.containsNUL, "NUL"),
      (.notUTF8, "not valid UTF-8"),
    ])
  func words(_ error: PINError, _ part: String) {
    #expect(error.description.contains(part))
  }
}
