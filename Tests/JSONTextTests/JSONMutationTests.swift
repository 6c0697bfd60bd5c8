import JSONText
import Testing

@Suite("Random and damaged texts")
struct JSONMutationTests {
  /// Random numbers that are the same on every run (SplitMix64).
  struct SeededGenerator: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
      state &+= 0x9e37_79b9_7f4a_7c15
      var mixed = state
      mixed = (mixed ^ mixed >> 30) &* 0xbf58_476d_1ce4_e5b9
      mixed = (mixed ^ mixed >> 27) &* 0x94d0_49bb_1331_11eb
      return mixed ^ mixed >> 31
    }
  }

  private static func random(_ depth: Int, _ generator: inout SeededGenerator) -> JSONOutput {
    switch Int.random(in: 0..<(depth > 0 ? 9 : 5), using: &generator) {
    case 0: .null
    case 1: .bool(.random(using: &generator))
    case 2: .int(Int(truncatingIfNeeded: generator.next() >> UInt64.random(in: 0..<64, using: &generator)))
    case 3, 4: .string(text(&generator))
    case 5, 6: .array((0..<Int.random(in: 0...5, using: &generator)).map { _ in random(depth - 1, &generator) })
    default:
      .object(
        (0..<Int.random(in: 0...5, using: &generator)).map { _ in (text(&generator), random(depth - 1, &generator)) })
    }
  }

  private static func text(_ generator: inout SeededGenerator) -> String {
    let parts = ["a", "b", "\"", "\\", "\n", "\u{1}", "\u{7f}", "\u{e9}", "\u{20ac}", "\u{1f511}"]
    return (0..<Int.random(in: 0...6, using: &generator)).map { _ in parts.randomElement(using: &generator) ?? "" }
      .joined()
  }

  /// The value as output again, from what the accessors tell.
  private static func rebuilt(_ value: JSONValue) throws -> JSONOutput {
    switch value.kind {
    case .null: .null
    case .bool: .bool(try #require(value.boolValue as Bool?))
    case .number: .int(try #require(value.integerValue))
    case .string: .string(try #require(value.stringValue))
    case .array: .array(try #require(value.elements).map(rebuilt))
    case .object: .object(try #require(value.members).map { ($0.name, try rebuilt($0.value)) })
    }
  }

  @Test("what is written is read back, pretty or not", arguments: UInt64(1)...10)
  func roundTrip(_ seed: UInt64) throws {
    var generator = SeededGenerator(state: seed)
    for _ in 0..<50 {
      let value = Self.random(5, &generator)
      let compact = value.serialized(pretty: false)
      #expect(try Self.rebuilt(JSONDocument(parsing: compact).root).serialized(pretty: false) == compact)
      let pretty = try JSONDocument(parsing: value.serialized(pretty: true)).root
      #expect(try Self.rebuilt(pretty).serialized(pretty: false) == compact)
    }
  }

  @Test("a damaged text is refused at a place inside it, or read to the end", arguments: UInt64(1)...10)
  func damage(_ seed: UInt64) {
    var generator = SeededGenerator(state: seed)
    var counts = (accepted: 0, refused: 0)
    for _ in 0..<300 {
      var text = Self.random(4, &generator).serialized(pretty: .random(using: &generator))
      for _ in 0..<Int.random(in: 1...2, using: &generator) {
        let position = Int.random(in: 0..<text.count, using: &generator)
        text[position] =
          generator.next().isMultiple(of: 2) ? .random(in: 0...255, using: &generator) : UInt8(ascii: "1")
      }
      do throws(JSONParseError) {
        let root = try JSONDocument(parsing: text).root
        counts.accepted += 1
        visit(root)
      } catch {
        counts.refused += 1
        #expect(error.line >= 1 && error.line <= text.count { $0 == 10 || $0 == 13 } + 1)
        #expect(error.column >= 1 && error.column <= text.count + 1)
      }
    }
    #expect(min(counts.accepted, counts.refused) > 10, "\(counts)")
  }

  /// Asks a value everything; each part must lie inside its parent and be JSON itself.
  private func visit(_ value: JSONValue) {
    _ = (value.integerValue, value.doubleValue, value.stringValue, value.path)
    #expect(throws: Never.self) { try JSONDocument(parsing: value.source) }
    for child in (value.elements ?? []) + (value.members ?? []).map(\.value) {
      #expect(child.sourceRange.lowerBound > value.sourceRange.lowerBound)
      #expect(child.sourceRange.upperBound < value.sourceRange.upperBound)
      visit(child)
    }
  }
}
