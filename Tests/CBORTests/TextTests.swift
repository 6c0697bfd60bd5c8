import CBOR
import Testing

@Suite("Text that is not UTF-8")
struct TextTests {
  @Test(
    "a text that ends inside a character loses it in tolerant mode",
    arguments: [
      ("61 c3", ""), ("63 6161c3", "aa"), ("62 e282", ""), ("63 61e282", "a"), ("62 61e2", "a"), ("64 61f09f94", "a"),
      ("63 61f09f", "a"), ("62 61f0", "a"), ("62 61f4", "a"),
      ("65 c3a9f09f94", "\u{e9}"),
    ])
  func cut(_ hex: String, _ text: String) throws {
    let input = try bytes(hex)
    #expect(throws: CBORError.invalidUTF8(offset: 0)) { try CBORDecoder.decode(input, mode: .strict) }
    #expect(try CBORDecoder.decode(input) == .text(text))
  }

  @Test(
    "every other error becomes U+FFFD in tolerant mode",
    arguments: [
      ("61 80", "\u{fffd}"), ("62 c328", "\u{fffd}("), ("61 ff", "\u{fffd}"), ("61 f5", "\u{fffd}"),
      ("62 61c0", "a\u{fffd}"), ("63 61ff62", "a\u{fffd}b"), ("63 61c362", "a\u{fffd}b"),
      ("62 a9a9", "\u{fffd}\u{fffd}"),
      ("64 80808080", "\u{fffd}\u{fffd}\u{fffd}\u{fffd}"), ("64 ff61e282", "\u{fffd}a"),
    ])
  func replaced(_ hex: String, _ text: String) throws {
    let input = try bytes(hex)
    #expect(throws: CBORError.invalidUTF8(offset: 0)) { try CBORDecoder.decode(input, mode: .strict) }
    #expect(try CBORDecoder.decode(input) == .text(text))
  }

  @Test(
    "a whole text is never shortened", arguments: ["", "a", "\u{e9}", "\u{20ac}", "\u{1f511}", "a\u{1f511}", "\u{0}"])
  func whole(_ text: String) throws {
    let input = CBORValue.text(text).encoded()
    #expect(try CBORDecoder.decode(input, mode: .strict) == .text(text))
    #expect(try CBORDecoder.decode(input) == .text(text))
  }

  @Test("a name cut at 64 bytes, as keys do, keeps its whole characters", arguments: 1..<4)
  func cutAtByteCount(_ lead: Int) throws {
    let name = String(repeating: "x", count: lead) + String(repeating: "\u{1f511}", count: 20)
    let cut = Array(name.utf8.prefix(64))
    let value = try CBORDecoder.decode([0x78, 64] + cut)
    #expect(value == .text(String(name.prefix(lead + (64 - lead) / 4))))
  }
}
