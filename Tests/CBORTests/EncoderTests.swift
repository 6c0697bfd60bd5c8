import CBOR
import Octets
import Testing

@Suite("The canonical form")
struct EncoderTests {
  @Test(
    "integers and lengths take their shortest form",
    arguments: [
      (.unsigned(0), "00"), (.unsigned(23), "17"), (.unsigned(24), "1818"), (.unsigned(255), "18ff"),
      (.unsigned(256), "190100"), (.unsigned(65_535), "19ffff"), (.unsigned(65_536), "1a00010000"),
      (.unsigned(0xffff_ffff), "1affffffff"), (.unsigned(0x1_0000_0000), "1b0000000100000000"),
      (.unsigned(.max), "1bffffffffffffffff"), (-1, "20"), (-24, "37"), (-25, "3818"), (-256, "38ff"), (-257, "390100"),
      (-65_536, "39ffff"), (-65_537, "3a00010000"), (.negative(0xffff_ffff), "3affffffff"),
      (.negative(0x1_0000_0000), "3b0000000100000000"), (.int(.min), "3b7fffffffffffffff"),
      (.negative(.max), "3bffffffffffffffff"), (.tagged(23, 0), "d700"), (.tagged(24, 0), "d81800"),
      (.tagged(.max, 0), "dbffffffffffffffff00"), (.int(.max), "1b7fffffffffffffff"),
    ] as [(CBORValue, String)])
  func shortest(_ value: CBORValue, _ hex: String) {
    #expect(Hex.encode(value.encoded()) == hex)
  }

  @Test(
    "lengths of strings, arrays and maps take their shortest form",
    arguments: [
      (0, [0]), (23, [23]), (24, [24, 24]), (255, [24, 255]), (256, [25, 1, 0]), (65_536, [26, 0, 1, 0, 0]),
    ]
      as [(Int, [UInt8])])
  func lengths(_ count: Int, _ head: [UInt8]) {
    func isHead(_ major: UInt8, _ value: CBORValue) -> Bool {
      value.encoded().starts(with: [major << 5 | head[0]] + head.dropFirst())
    }
    #expect(isHead(2, .bytes([UInt8](repeating: 1, count: count))))
    #expect(isHead(3, .text(String(repeating: "a", count: count))))
    #expect(isHead(4, .array([CBORValue](repeating: 0, count: count))))
    #expect(isHead(5, .map(CBORMap((0..<count).map { (.int($0), 0) }))))
  }

  // The order of each row is that of CTAP 2.2 §8: major type, then length, then bytes.
  @Test(
    "keys are sorted whatever their order was",
    arguments: [
      [1, 2, 3, 23, 24, 255, 256, 65_536], [10, 100, -1, -2, -24, -25, -256, -257],
      ["a", "b", "z", "aa", "ab", "ba", "aaa"],
      [.bytes([]), .bytes([0]), .bytes([255]), .bytes([0, 0]), "", "\u{7f}"],
      ["fmt", "attStmt", "authData"], ["id", "icon", "name", "displayName"],
      [1, 3, -1, -2, -3],
      [0, -1, .bytes([1]), "a", [1], [1: 1], false, true, .null, .undefined, .simple(32), .float(1)],
      ["rk", "up", "uv"], ["credProtect", "hmac-secret"],
    ] as [[CBORValue]])
  func keyOrder(_ sorted: [CBORValue]) throws {
    var generator = SeededGenerator(seed: 5)
    for _ in 0..<10 {
      let map = CBORMap(sorted.shuffled(using: &generator).map { ($0, .null) })
      let decoded = try #require(CBORDecoder.decode(map.encoded(), mode: .strict).mapValue)
      #expect(decoded.keys == sorted)
    }
  }

  @Test(
    "a floating-point number takes the shortest width that keeps it",
    arguments: [
      (0, "f90000"), (-0.0, "f98000"), (1, "f93c00"), (65_504, "f97bff"), (65_505, "fa477fe100"),
      (65_536, "fa47800000"),
      (0x1p-24, "f90001"), (-0x1p-24, "f98001"), (0x1p-25, "fa33000000"), (0x1.8p-24, "fa33c00000"),
      (0x3ffp-24, "f903ff"),
      (0x1p-14, "f90400"), (0x401p-24, "f90401"), (1.0009765625, "f93c01"), (1.00048828125, "fa3f801000"),
      (-2.5, "f9c100"),
      (0.1, "fb3fb999999999999a"), (1e300, "fb7e37e43c8800759c"), (0x1p-149, "fa00000001"),
      (0x1p-1074, "fb0000000000000001"),
      (.infinity, "f97c00"), (-.infinity, "f9fc00"), (.nan, "f97e00"), (-.nan, "f97e00"),
      (Double(nan: 5, signaling: false), "f97e00"), (.greatestFiniteMagnitude, "fb7fefffffffffffff"),
      (Double(Float.greatestFiniteMagnitude), "fa7f7fffff"),
    ] as [(Double, String)])
  func floats(_ number: Double, _ hex: String) throws {
    #expect(Hex.encode(CBORValue.float(number).encoded()) == hex)
    guard case .float(let read) = try CBORDecoder.decode(bytes(hex), mode: .strict) else {
      Issue.record("no number")
      return
    }
    #expect(number.isNaN ? read.isNaN : read.bitPattern == number.bitPattern)
  }

  @Test("every number of half width comes back in half width")
  func everyHalf() throws {
    for half in UInt16.min...UInt16.max {
      let input = [0xf9, UInt8(half >> 8), UInt8(half & 0xff)]
      let isNaN = half & 0x7fff > 0x7c00
      #expect(try CBORDecoder.decode(input, mode: .strict).encoded() == (isNaN ? [0xf9, 0x7e, 0x00] : input))
    }
  }

  @Test("wider numbers are read as what they are")
  func widerFloats() throws {
    #expect(try CBORDecoder.decode(bytes("fa3f800000"), mode: .strict) == .float(1))
    #expect(try CBORDecoder.decode(bytes("fb3ff0000000000000"), mode: .strict) == .float(1))
  }

  @Test("simple values encode, and those that do not exist become undefined")
  func simpleValues() {
    #expect((UInt8(20)...23).map { CBORValue.simple($0).encoded() } == [[0xf4], [0xf5], [0xf6], [0xf7]])
    #expect((UInt8(24)...31).allSatisfy { CBORValue.simple($0).encoded() == [0xf7] })
    #expect(CBORValue.simple(32).encoded() == [0xf8, 32])
    #expect(CBORValue.simple(19).encoded() == [0xf3])
  }

  @Test("random values come back from the canonical form, which strict mode accepts", arguments: UInt64(1)...20)
  func roundTrip(_ seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    for _ in 0..<100 {
      let value = CBORValue.random(depth: 4, tags: false, using: &generator)
      let encoded = value.encoded()
      let decoded = try CBORDecoder.decode(encoded, mode: .strict)
      #expect(decoded.encoded() == encoded)
      #expect(decoded.description == (try CBORDecoder.decode(encoded).description))
      let tagged = CBORValue.random(depth: 4, tags: true, using: &generator)
      #expect(try CBORDecoder.decode(tagged.encoded()).encoded() == tagged.encoded())
    }
  }
}
