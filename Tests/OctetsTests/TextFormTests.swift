import Octets
import Testing

@Suite("Base64url and hexadecimal text")
struct TextFormTests {
  // RFC 4648 §10 without the padding; the last rows are from §5's alphabet and RFC 7515, appendix C.
  private static let base64URLPairs: [(String, String)] = [
    ("", ""), ("66", "Zg"), ("666f", "Zm8"), ("666f6f", "Zm9v"), ("666f6f62", "Zm9vYg"),
    ("666f6f6261", "Zm9vYmE"),
    ("666f6f626172", "Zm9vYmFy"), ("fbff", "-_8"), ("ffffff", "____"), ("fbefbe", "----"),
    ("03ecffe0c1", "A-z_4ME"),
    ("00", "AA"), ("0000", "AAA"), ("000000", "AAAA"),
  ]

  // RFC 4648 §10, in lower case.
  private static let hexPairs: [(String, String)] = [
    ("", ""), ("f", "66"), ("fo", "666f"), ("foo", "666f6f"), ("foob", "666f6f62"),
    ("fooba", "666f6f6261"),
    ("foobar", "666f6f626172"),
  ]

  @Test("bytes become base64url and come back", arguments: base64URLPairs)
  func base64URL(_ hex: String, _ text: String) throws {
    let bytes = try #require(Hex.decode(hex))
    #expect(Base64URL.encode(bytes) == text)
    #expect(try Base64URL.decode(text) == bytes)
    #expect(try Base64URL.decode("x\(text)x".dropFirst().dropLast()) == bytes)
  }

  @Test(
    "a character outside the alphabet is refused with its place",
    arguments: [
      ("Zg==", "=", 2), ("Zm8=", "=", 3), ("=", "=", 0), ("+/8", "+", 0), ("Zm/v", "/", 2),
      (" Zg", " ", 0), ("Zg ", " ", 2),
      ("Zm9v\n", "\n", 4), ("Zm\r\n9v", "\r", 2), ("Zm.v", ".", 2), ("Z\u{0}", "\u{0}", 1),
      ("Zm9v{", "{", 4), ("@@@@", "@", 0),
      ("[AAA", "[", 0), ("`AAA", "`", 0), (":AAA", ":", 0),
    ] as [(String, Unicode.Scalar, Int)])
  func base64URLCharacters(_ text: String, _ character: Unicode.Scalar, _ position: Int) {
    #expect(throws: Base64URLError.character(character, position: position)) {
      try Base64URL.decode(text)
    }
  }

  @Test("a character of several bytes is refused by its first byte")
  func base64URLMultiByte() {
    #expect(throws: Base64URLError.character(Unicode.Scalar(0xc3), position: 1)) {
      try Base64URL.decode("Z\u{e9}")
    }
  }

  @Test("a length that no bytes encode to is refused", arguments: ["A", "AAAAA", "Zm9vY", "_"])
  func base64URLLength(_ text: String) {
    #expect(throws: Base64URLError.length(text.count)) { try Base64URL.decode(text) }
  }

  @Test(
    "bits behind the last byte must be zero",
    arguments: ["Zh", "Zn", "Zv", "Z_", "Zm9", "Zm-", "Zm_", "AB", "AAB", "Zm9vYh"])
  func base64URLSpareBits(_ text: String) {
    #expect(throws: Base64URLError.spareBits) { try Base64URL.decode(text) }
  }

  @Test("every byte at every place comes back")
  func base64URLAllBytes() throws {
    for byte in UInt8.min...UInt8.max {
      for bytes in [[byte], [0, byte], [0, 0, byte], [byte, 255, 0, byte]] {
        #expect(try Base64URL.decode(Base64URL.encode(bytes)) == bytes)
      }
    }
  }

  @Test("a long text is decoded whole")
  func base64URLLong() throws {
    let bytes = (0..<100_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }
    #expect(try Base64URL.decode(Base64URL.encode(bytes)) == bytes)
  }

  @Test("bytes become lower-case digits, and digits in either case become bytes", arguments: hexPairs)
  func hex(_ plain: String, _ text: String) {
    #expect(Hex.encode(Array(plain.utf8)) == text)
    #expect(Hex.decode(text) == Array(plain.utf8))
    #expect(Hex.decode(text.uppercased()) == Array(plain.utf8))
  }

  @Test("all byte values come back, mixed case too")
  func hexAllBytes() {
    let bytes = Array(UInt8.min...UInt8.max)
    #expect(Hex.decode(Hex.encode(bytes)) == bytes)
    #expect(Hex.decode("aBCdeF09") == [0xab, 0xcd, 0xef, 0x09])
  }

  @Test(
    "anything but an even number of digits is refused",
    arguments: [
      "0", "000", "0g", "g0", "0x00", " 00", "00 ", "0 0", "00\n", "-1", "+1", "/0", ":0", "@0",
      "G0", "`0", "\u{661}0", "\u{e9}",
    ])
  func hexRefusals(_ text: String) {
    #expect(Hex.decode(text) == nil)
  }
}
