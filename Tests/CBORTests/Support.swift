import CBOR
import Octets
import Testing

/// Bytes from hexadecimal text in which spaces may stand.
func bytes(_ hex: String) throws -> [UInt8] {
  try #require(Hex.decode(hex.replacing(" ", with: "")))
}

/// Random numbers that are the same on every run (SplitMix64).
struct SeededGenerator: RandomNumberGenerator {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    var mixed = state
    mixed = (mixed ^ mixed >> 30) &* 0xbf58_476d_1ce4_e5b9
    mixed = (mixed ^ mixed >> 27) &* 0x94d0_49bb_1331_11eb
    return mixed ^ mixed >> 31
  }
}

extension CBORValue {
  /// A value of any shape, at most `depth` levels deep.
  static func random(depth: Int, tags: Bool, using generator: inout SeededGenerator) -> CBORValue {
    switch Int.random(in: 0..<(depth > 0 ? 12 : 9), using: &generator) {
    case 0: .unsigned(randomArgument(&generator))
    case 1: .negative(randomArgument(&generator))
    case 2: .bytes((0..<Int.random(in: 0...40, using: &generator)).map { _ in .random(in: 0...255, using: &generator) })
    case 3, 4: .text(String((0..<Int.random(in: 0...30, using: &generator)).map { _ in randomCharacter(&generator) }))
    case 5: .bool(.random(using: &generator))
    case 6: Bool.random(using: &generator) ? .null : .undefined
    case 7: .simple([0, 15, 19, 32, 100, 255].randomElement(using: &generator) ?? 0)
    case 8: .float(randomNumber(&generator))
    case 9:
      .array(
        (0..<Int.random(in: 0...6, using: &generator)).map { _ in
          random(depth: depth - 1, tags: tags, using: &generator)
        })
    case 10 where tags: .tagged(randomArgument(&generator), random(depth: depth - 1, tags: tags, using: &generator))
    default:
      .map(
        CBORMap(
          (0..<Int.random(in: 0...6, using: &generator)).map { _ in
            (
              random(depth: depth - 1, tags: tags, using: &generator),
              random(depth: depth - 1, tags: tags, using: &generator)
            )
          }))
    }
  }

  /// Every width comes about equally often.
  private static func randomArgument(_ generator: inout SeededGenerator) -> UInt64 {
    generator.next() >> UInt64([63, 59, 56, 48, 32, 0].randomElement(using: &generator) ?? 0)
  }

  private static func randomCharacter(_ generator: inout SeededGenerator) -> Character {
    ["a", "\"", "\n", "\u{e9}", "e\u{301}", "\u{20ac}", "\u{1f511}"].randomElement(using: &generator) ?? "z"
  }

  private static func randomNumber(_ generator: inout SeededGenerator) -> Double {
    switch Int.random(in: 0..<5, using: &generator) {
    case 0: Double(Int.random(in: -3000...3000, using: &generator))
    case 1: Double(Float(bitPattern: UInt32(truncatingIfNeeded: generator.next())))
    case 2: [.infinity, -.infinity, .nan, 0, -0.0].randomElement(using: &generator) ?? 0
    default: Double(bitPattern: generator.next())
    }
  }
}
