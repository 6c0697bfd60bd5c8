import BridgeTestSupport
import Octets
import Testing

@testable import RawDeflate

struct DeflateTests {
  /// Bytes that look random, the same ones each time.
  private static func noise(_ count: Int) -> [UInt8] { SeededRandom(seed: 3).bytes(count) }

  private static let samples: [[UInt8]] =
    [0, 1, 2, 257, 16_383, 16_384, 16_385, 100_000].flatMap { count in
      [noise(count), [UInt8](repeating: 7, count: count), (0..<count).map { UInt8(truncatingIfNeeded: $0) }]
    }

  @Test("what is compressed expands to what it was, and not with one byte less allowed", arguments: samples)
  func roundTrip(_ data: [UInt8]) throws {
    let compressed = try Deflate.compress(data)
    #expect(try Deflate.expand(compressed, limit: data.count) == data)
    guard !data.isEmpty else { return }
    #expect(throws: DeflateError.tooLarge(limit: data.count - 1)) {
      try Deflate.expand(compressed, limit: data.count - 1)
    }
  }

  // Made with Python's zlib.compressobj(wbits=-15), of other levels and strategies too.
  @Test(
    "streams of another compressor expand",
    arguments: [
      ("0300", []), ("cb48cdc9c90700", Array("hello".utf8)), ("010500faff68656c6c6f", Array("hello".utf8)),
      ("4b4c1c05c40200", [UInt8](repeating: 0x61, count: 300)),
      ("cb48cdc9c957c8402701", Array("hello hello hello hello".utf8)),
      ("6360646266616563e7e0e4e2e6e1e5e31710141216111513979094929691959357505452565155530700", Array(0..<40)),
    ] as [(String, [UInt8])])
  func foreign(_ stream: String, _ data: [UInt8]) throws {
    #expect(try Deflate.expand(try #require(Hex.decode(stream)), limit: 1000) == data)
  }

  @Test("a stream that is cut anywhere, or has something behind it, is malformed")
  func damaged() throws {
    let compressed = try Deflate.compress(Self.noise(300) + [UInt8](repeating: 0, count: 300))
    for count in 0..<compressed.count {
      #expect(throws: DeflateError.malformed) { try Deflate.expand(Array(compressed[..<count]), limit: 1000) }
    }
    #expect(throws: DeflateError.malformed) { try Deflate.expand(compressed + [0], limit: 1000) }
  }

  @Test("a thousandfold expansion stops at the limit")
  func bomb() throws {
    let bomb = try Deflate.compress([UInt8](repeating: 0, count: 10_000_000))
    #expect(bomb.count < 12_000)
    #expect(throws: DeflateError.tooLarge(limit: 1000)) { try Deflate.expand(bomb, limit: 1000) }
  }

  @Test("any bytes are expanded or refused, and never more than the limit")
  func anyBytes() {
    let random = SeededRandom(seed: 8)
    for size in 0..<400 {
      let bytes = random.bytes(size % 60)
      let expanded = (try? Deflate.expand(bytes, limit: 5000)) ?? []
      #expect(expanded.count <= 5000)
    }
  }
}
