import CBOR
import Testing

@Suite("What the decoder refuses")
struct DecoderRuleTests {
  @Test(
    "a number longer than it must be is refused in strict mode and read in tolerant mode",
    arguments: [
      ("1800", .unsigned(0)), ("1817", .unsigned(23)), ("190018", .unsigned(24)), ("1900ff", .unsigned(255)),
      ("1a0000ffff", .unsigned(65_535)), ("1b00000000ffffffff", .unsigned(4_294_967_295)),
      ("1b0000000000000000", .unsigned(0)), ("3800", .negative(0)), ("3817", .negative(23)), ("3900ff", .negative(255)),
      ("3a0000ffff", .negative(65_535)), ("3b00000000ffffffff", .negative(4_294_967_295)), ("5800", .bytes([])),
      ("580101", .bytes([1])), ("59000101", .bytes([1])), ("5a0000000101", .bytes([1])),
      ("5b000000000000000101", .bytes([1])), ("7800", .text("")), ("780161", .text("a")), ("79000161", .text("a")),
      ("7a0000000161", .text("a")), ("7b000000000000000161", .text("a")), ("9800", .array([])),
      ("980101", .array([1])), ("99000101", .array([1])), ("9a0000000101", .array([1])),
      ("9b000000000000000101", .array([1])), ("b800", .map([:])), ("b8010102", .map([1: 2])),
      ("b900010102", .map([1: 2])), ("ba000000010102", .map([1: 2])), ("bb00000000000000010102", .map([1: 2])),
    ] as [(String, CBORValue)])
  func nonMinimal(_ hex: String, _ value: CBORValue) throws {
    let input = try bytes(hex)
    #expect(throws: CBORError.nonMinimal(offset: 0)) { try CBORDecoder.decode(input, mode: .strict) }
    #expect(try CBORDecoder.decode(input) == value)
    #expect(throws: CBORError.nonMinimal(offset: 1)) { try CBORDecoder.decode([0x81] + input, mode: .strict) }
  }

  @Test("a long tag number is read in tolerant mode")
  func nonMinimalTag() throws {
    #expect(try CBORDecoder.decode(bytes("d80100")) == .tagged(1, 0))
    #expect(throws: CBORError.nonMinimal(offset: 0)) { try CBORDecoder.decode(bytes("d80100"), mode: .strict) }
  }

  @Test(
    "keys out of order are refused in strict mode and kept in tolerant mode",
    arguments: [
      ("a2 02 00 01 00", 3, [2, 1]), ("a2 20 00 01 00", 3, [-1, 1]), ("a2 21 00 20 00", 3, [-2, -1]),
      ("a2 1818 00 17 00", 4, [24, 23]), ("a2 6161 00 01 00", 4, ["a", 1]), ("a2 6162 00 6161 00", 4, ["b", "a"]),
      ("a2 626161 00 6162 00", 5, ["aa", "b"]), ("a2 6161 00 4161 00", 4, ["a", .bytes([0x61])]),
      ("a2 f5 00 f4 00", 3, [true, false]), ("a3 01 00 03 00 02 00", 5, [1, 3, 2]),
    ] as [(String, Int, [CBORValue])])
  func unsorted(_ hex: String, _ offset: Int, _ keys: [CBORValue]) throws {
    let input = try bytes(hex)
    #expect(throws: CBORError.unsortedKeys(offset: offset)) { try CBORDecoder.decode(input, mode: .strict) }
    let value = try CBORDecoder.decode(input)
    #expect(value.mapValue?.keys == keys)
    #expect(try CBORDecoder.decode(value.encoded(), mode: .strict) == value)
  }

  @Test(
    "a key that comes twice is refused in both modes",
    arguments: [
      ("a2 01 00 01 00", 1, 3), ("a2 6161 00 6161 01", "a", 4), ("a3 01 00 02 00 01 00", 1, 5),
      ("a2 4101 00 4101 00", .bytes([1]), 4), ("a2 8101 00 8101 00", [1], 4), ("a2 a10102 00 a10102 00", [1: 2], 5),
      ("a2 f6 00 f6 00", .null, 3),
    ] as [(String, CBORValue, Int)])
  func duplicates(_ hex: String, _ key: CBORValue, _ offset: Int) throws {
    let input = try bytes(hex)
    #expect(throws: CBORError.duplicateKey(key, offset: offset)) { try CBORDecoder.decode(input) }
    #expect(throws: CBORError.self) { try CBORDecoder.decode(input, mode: .strict) }
  }

  @Test(
    "a key that comes twice in different forms is still the same key",
    arguments: [
      ("a2 01 00 1801 00", 1, 3), ("a2 f90000 00 fa00000000 00", .float(0), 5), ("a2 6161 00 780161 00", "a", 4),
      ("a2 62c3a9 00 63c3a9c3 00", "\u{e9}", 5), ("a2 a201000200 00 a202000100 00", [1: 0, 2: 0], 7),
    ] as [(String, CBORValue, Int)])
  func duplicatesInDisguise(_ hex: String, _ key: CBORValue, _ offset: Int) throws {
    let input = try bytes(hex)
    #expect(throws: CBORError.duplicateKey(key, offset: offset)) { try CBORDecoder.decode(input) }
    #expect(throws: CBORError.self) { try CBORDecoder.decode(input, mode: .strict) }
  }

  @Test("two ways of writing an accent are two keys")
  func canonicalEquivalence() throws {
    let map = try #require(CBORDecoder.decode(bytes("a2 62c3a9 01 6365cc81 02"), mode: .strict).mapValue)
    #expect(map["\u{e9}"] == 1)
    #expect(map["e\u{301}"] == 2)
  }

  @Test("zero and minus zero are two keys")
  func signedZeros() throws {
    #expect(try CBORDecoder.decode(bytes("a2 f90000 01 f98000 02"), mode: .strict).mapValue?.count == 2)
  }

  @Test(
    "tags are refused in strict mode and kept in tolerant mode",
    arguments: [
      ("c0 6161", 0, .tagged(0, "a")), ("81 c1 00", 1, [.tagged(1, 0)]),
      ("a1 01 d9d9f7 80", 2, [1: .tagged(55_799, [])]),
      ("db ffffffffffffffff f6", 0, .tagged(.max, .null)),
    ] as [(String, Int, CBORValue)])
  func tags(_ hex: String, _ offset: Int, _ value: CBORValue) throws {
    let input = try bytes(hex)
    do throws(CBORError) {
      _ = try CBORDecoder.decode(input, mode: .strict)
      Issue.record("accepted")
    } catch {
      guard case .tag(_, offset) = error else {
        Issue.record("\(error)")
        return
      }
    }
    #expect(try CBORDecoder.decode(input) == value)
    #expect(value.encoded() == input)
  }

  @Test(
    "an item of indefinite length is refused in both modes",
    arguments: ["5f ff", "5f 4101 ff", "7f ff", "7f 6161 ff", "9f ff", "9f 01 ff", "bf ff", "bf 01 02 ff"])
  func indefinite(_ hex: String) throws {
    for mode in [CBORDecoder.Mode.strict, .tolerant] {
      #expect(throws: CBORError.indefiniteLength(offset: 0)) { try CBORDecoder.decode(bytes(hex), mode: mode) }
      #expect(throws: CBORError.indefiniteLength(offset: 2)) {
        try CBORDecoder.decode(bytes("a1 01" + hex), mode: mode)
      }
    }
  }

  @Test(
    "bytes that start no item are refused in both modes",
    arguments: (UInt8.min...UInt8.max).filter { $0 & 0x1f >= 28 && $0 & 0x1f <= 30 } + [0x1f, 0x3f, 0xdf])
  func reserved(_ initial: UInt8) throws {
    for mode in [CBORDecoder.Mode.strict, .tolerant] {
      #expect(throws: CBORError.reservedInitialByte(initial, offset: 1)) {
        try CBORDecoder.decode([0x81, initial] + [UInt8](repeating: 0, count: 16), mode: mode)
      }
    }
  }

  @Test("a break that ends nothing is refused", arguments: ["ff", "81 ff", "a1 ff 00", "a1 01 ff", "c0 ff"])
  func unexpectedBreak(_ hex: String) throws {
    let input = try bytes(hex)
    let offset = try #require(input.firstIndex(of: 0xff))
    #expect(throws: CBORError.unexpectedBreak(offset: offset)) { try CBORDecoder.decode(input) }
  }

  @Test("a simple value below 32 in two bytes is refused in both modes", arguments: UInt8(0)..<32)
  func shortSimpleValue(_ number: UInt8) {
    for mode in [CBORDecoder.Mode.strict, .tolerant] {
      #expect(throws: CBORError.invalidSimpleValue(number, offset: 0)) {
        try CBORDecoder.decode([0xf8, number], mode: mode)
      }
    }
  }

  @Test("every simple value that exists comes back")
  func simpleValues() throws {
    for number in UInt8(0)..<20 { #expect(try CBORDecoder.decode([0xe0 | number], mode: .strict) == .simple(number)) }
    for number in UInt8(32)...255 { #expect(try CBORDecoder.decode([0xf8, number], mode: .strict) == .simple(number)) }
  }

  @Test("bytes after the item are refused in both modes", arguments: ["00 00", "80 f6", "a0 ff", "f6 1f", "6161 61"])
  func trailing(_ hex: String) throws {
    let input = try bytes(hex)
    let end = input.count - 1
    for mode in [CBORDecoder.Mode.strict, .tolerant] {
      #expect(throws: CBORError.trailingBytes(count: 1, offset: end)) { try CBORDecoder.decode(input, mode: mode) }
    }
  }

  @Test("an empty input is refused")
  func empty() {
    #expect(throws: CBORError.truncated(offset: 0)) { try CBORDecoder.decode([]) }
  }

  @Test("an error reads as one line for people")
  func descriptions() {
    let errors: [(CBORError, String)] = [
      (.truncated(offset: 7), "byte 7: the item goes on after the end of the input"),
      (.countExceedsInput(.max, offset: 1), "byte 1: 18446744073709551615 entries do not fit into the input"),
      (.reservedInitialByte(0x1c, offset: 1), "byte 1: 0x1c starts no item"),
      (.invalidSimpleValue(5, offset: 1), "byte 1: the simple value 5 is written in two bytes"),
      (.unexpectedBreak(offset: 1), "byte 1: a break ends nothing"),
      (.indefiniteLength(offset: 1), "byte 1: the item has no definite length"),
      (.nonMinimal(offset: 1), "byte 1: the number is not in its shortest form"),
      (.unsortedKeys(offset: 1), "byte 1: the map's keys are not sorted"),
      (.duplicateKey("a\u{1b}", offset: 1), "byte 1: the map has the key \"a\\u001b\" twice"),
      (.tag(2, offset: 1), "byte 1: there is a tag (2)"),
      (.invalidUTF8(offset: 1), "byte 1: the text is not valid UTF-8"),
      (.tooDeep(limit: 4, offset: 1), "byte 1: items are nested in more than 4 levels"),
      (.tooManyItems(limit: 4, offset: 1), "byte 1: there are more than 4 items"),
      (.trailingBytes(count: 3, offset: 1), "byte 1: 3 bytes follow the item"),
      (.inputTooLarge(count: 10, limit: 9), "the input has 10 bytes, and at most 9 are accepted"),
      (.startOutOfRange(-1, count: 9), "byte -1: the input has only 9 bytes"),
    ]
    for (error, description) in errors { #expect(error.description == description) }
  }
}
