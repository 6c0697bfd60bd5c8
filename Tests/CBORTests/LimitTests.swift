import CBOR
import Testing

@Suite("Bounds of the decoder")
struct LimitTests {
  private static let modes = [CBORDecoder.Mode.strict, .tolerant]

  private func nested(_ head: [UInt8], _ depth: Int) -> [UInt8] {
    Array(repeatElement(head, count: depth).joined()) + [0x00]
  }

  @Test("nesting of any kind is accepted up to the limit", arguments: [[0x81], [0xa1, 0x01], [0xc1]] as [[UInt8]])
  func depth(_ head: [UInt8]) throws {
    _ = try CBORDecoder.decode(nested(head, 16))
    #expect(throws: CBORError.tooDeep(limit: 16, offset: 16 * head.count)) {
      try CBORDecoder.decode(nested(head, 17))
    }
    _ = try CBORDecoder.decode(nested(head, 4), limits: .message)
    #expect(throws: CBORError.tooDeep(limit: 4, offset: 4 * head.count)) {
      try CBORDecoder.decode(nested(head, 5), limits: .message)
    }
    #expect(throws: CBORError.tooDeep(limit: 16, offset: 16 * head.count)) {
      try CBORDecoder.decode(nested(head, 100_000))
    }
  }

  @Test("nesting in keys counts too")
  func depthInKeys() throws {
    let input = try bytes("a1 81 81 00 00")
    #expect(try CBORDecoder.decode(input, limits: CBORLimits(depth: 3)) == [[[0]]: 0])
    #expect(throws: CBORError.tooDeep(limit: 2, offset: 2)) {
      try CBORDecoder.decode(input, limits: CBORLimits(depth: 2))
    }
  }

  @Test("no limit lifts the ceiling of the depth, and the ceiling itself is safe")
  func depthCeiling() throws {
    let limits = CBORLimits(depth: .max)
    #expect(limits.depth == CBORLimits.depthCeiling)
    let value = try CBORDecoder.decode(nested([0x81], CBORLimits.depthCeiling), limits: limits)
    #expect(value.encoded().count == CBORLimits.depthCeiling + 1)
    #expect(throws: CBORError.self) { try CBORDecoder.decode(nested([0x81], 1_000), limits: limits) }
  }

  @Test(
    "a count or length far beyond the input is refused at once",
    arguments: [2, 3, 4, 5] as [UInt8],
    [
      [26, 0xff, 0xff, 0xff, 0xff], [27, 0, 0, 0, 1, 0, 0, 0, 0], [27, 0x7f, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff],
      [27, 0x80, 0, 0, 0, 0, 0, 0, 0], [27, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff], [24, 200], [25, 1, 0],
      [23],
    ] as [[UInt8]])
  func hugeClaims(_ major: UInt8, _ argument: [UInt8]) {
    let head = [major << 5 | argument[0]] + argument.dropFirst()
    for mode in Self.modes {
      for content in [[], [1, 2, 3]] as [[UInt8]] {
        do throws(CBORError) {
          _ = try CBORDecoder.decode([0x81] + head + content, mode: mode)
          Issue.record("accepted")
        } catch {
          switch error {
          case .truncated(offset: 1), .countExceedsInput(_, offset: 1): break
          default: Issue.record("\(error)")
          }
        }
      }
    }
  }

  @Test("the largest arguments are integers and tags like any other")
  func largestArguments() throws {
    #expect(try CBORDecoder.decode(bytes("1bffffffffffffffff"), mode: .strict) == .unsigned(.max))
    #expect(try CBORDecoder.decode(bytes("3bffffffffffffffff"), mode: .strict) == .negative(.max))
    #expect(try CBORDecoder.decode(bytes("1b0000000100000000"), mode: .strict) == .unsigned(1 << 32))
    #expect(try CBORDecoder.decode(bytes("3affffffff"), mode: .strict) == .negative(0xffff_ffff))
    #expect(try CBORDecoder.decode(bytes("dbffffffffffffffff00")) == .tagged(.max, 0))
  }

  @Test("a map claims two bytes an entry")
  func mapClaims() throws {
    #expect(throws: CBORError.countExceedsInput(2, offset: 0)) { try CBORDecoder.decode(bytes("a2 01 02 03")) }
    #expect(throws: CBORError.truncated(offset: 2)) { try CBORDecoder.decode(bytes("a1 01 18")) }
  }

  @Test("items are counted, keys and containers among them")
  func items() throws {
    let input = try bytes("82 01 a1 02 03")
    #expect(try CBORDecoder.decode(input, limits: CBORLimits(items: 5)) == [1, [2: 3]])
    #expect(throws: CBORError.tooManyItems(limit: 4, offset: 2)) {
      try CBORDecoder.decode(input, limits: CBORLimits(items: 4))
    }
    #expect(throws: CBORError.tooManyItems(limit: 0, offset: 0)) {
      try CBORDecoder.decode([0], limits: CBORLimits(items: 0))
    }
    let tags = try bytes("c1 c1 00")
    #expect(throws: CBORError.tooManyItems(limit: 2, offset: 2)) {
      try CBORDecoder.decode(tags, limits: CBORLimits(items: 2))
    }
    let many = [0x9a, 0, 1, 0, 0] + [UInt8](repeating: 0, count: 65_536)
    #expect(throws: CBORError.tooManyItems(limit: 65_536, offset: 0)) { try CBORDecoder.decode(many) }
  }

  @Test("the size is limited before anything is read")
  func size() throws {
    let input = CBORValue.bytes([UInt8](repeating: 7, count: 8)).encoded()
    #expect(try CBORDecoder.decode(input, limits: CBORLimits(size: 9)).bytesValue?.count == 8)
    #expect(throws: CBORError.inputTooLarge(count: 9, limit: 8)) {
      try CBORDecoder.decode(input, limits: CBORLimits(size: 8))
    }
  }

  // Comparing each key with each would not end in a minute.
  @Test("a map of ten thousand keys is read, compared and searched", .timeLimit(.minutes(1)), arguments: modes)
  func manyKeys(_ mode: CBORDecoder.Mode) throws {
    let map = CBORMap((0..<10_000).map { (CBORValue.int($0), CBORValue.int(-$0)) })
    let input = map.encoded()
    let read = try #require(CBORDecoder.decode(input, mode: mode).mapValue)
    #expect(read == map)
    #expect(read[9_999] == -9_999)
    #expect(read[10_000] == nil)
    let duplicated = [0xb9, 0x27, 0x11] + input.dropFirst(3) + [0x19, 0x27, 0x0f, 0x00]
    #expect(throws: CBORError.duplicateKey(9_999, offset: input.count)) {
      try CBORDecoder.decode(duplicated, mode: mode)
    }
  }

  // Maps as keys that differ in their last entry only, entries turned round: the worst case of comparing.
  @Test("nested maps as keys cost no more than their size", .timeLimit(.minutes(15)))
  func nestedKeys() throws {
    func keys(_ level: Int, _ last: Int) -> CBORValue {
      guard level > 0 else { return .int(last) }
      return .map(CBORMap((0..<12).reversed().map { (keys(level - 1, $0 == 11 ? last : $0), 0) }))
    }
    let value = CBORValue.map([keys(4, 100): 1, keys(4, 101): 2])
    let input = value.encoded()
    #expect(try CBORDecoder.decode(input, limits: CBORLimits(items: .max)) == value)
  }
}
