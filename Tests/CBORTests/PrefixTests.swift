import CBOR
import Testing

@Suite("One item among other bytes")
struct PrefixTests {
  /// A COSE key (RFC 9052 §7) between other bytes, as in authenticator data.
  private static let key: CBORValue = [
    1: 2, 3: -7, -1: 1, -2: .bytes([UInt8](repeating: 0x11, count: 32)),
    -3: .bytes([UInt8](repeating: 0x22, count: 32)),
  ]

  @Test("an item is read at an offset, and its end is told", arguments: [CBORDecoder.Mode.strict, .tolerant])
  func atOffset(_ mode: CBORDecoder.Mode) throws {
    let extensions: CBORValue = ["credProtect": 2]
    let input = [0xff, 0xff, 0xff] + Self.key.encoded() + extensions.encoded()
    let (key, end) = try CBORDecoder.decodePrefix(input, from: 3, mode: mode)
    #expect(key == Self.key)
    #expect(end == 3 + Self.key.encoded().count)
    let (outputs, last) = try CBORDecoder.decodePrefix(input, from: end, mode: mode)
    #expect(outputs == extensions)
    #expect(last == input.count)
  }

  @Test("offsets in errors count from the start of the input")
  func errorOffsets() throws {
    #expect(throws: CBORError.unsortedKeys(offset: 5)) {
      try CBORDecoder.decodePrefix(bytes("0000 a2 02 00 01 00 ff"), from: 2, mode: .strict)
    }
    #expect(throws: CBORError.truncated(offset: 2)) { try CBORDecoder.decodePrefix(bytes("0000 18"), from: 2) }
  }

  @Test("a start outside the input is refused", arguments: [-1, 4, .min, .max])
  func outside(_ start: Int) {
    #expect(throws: CBORError.startOutOfRange(start, count: 3)) {
      try CBORDecoder.decodePrefix([0, 0, 0], from: start)
    }
  }

  @Test("a start at the end finds nothing")
  func atEnd() {
    #expect(throws: CBORError.truncated(offset: 3)) { try CBORDecoder.decodePrefix([0, 0, 0], from: 3) }
  }

  @Test("the limit on the size counts from the offset")
  func sizeFromOffset() throws {
    let input = [UInt8](repeating: 0, count: 10)
    #expect(try CBORDecoder.decodePrefix(input, from: 5, limits: CBORLimits(size: 5)).end == 6)
    #expect(throws: CBORError.inputTooLarge(count: 6, limit: 5)) {
      try CBORDecoder.decodePrefix(input, from: 4, limits: CBORLimits(size: 5))
    }
  }

  @Test("an input that ends at any byte inside an item is refused in both modes")
  func everyTruncation() throws {
    let value: CBORValue = [
      1: [.int(.max), -70_000, .float(1.1), .float(100_000), .float(1.5)], 2: .bytes([UInt8](repeating: 9, count: 300)),
      3: "text \u{1f511}", "nested": ["a": [true, .null, .undefined, .simple(99)]], "key": Self.key,
    ]
    let input = value.encoded()
    for count in 0..<input.count {
      for mode in [CBORDecoder.Mode.strict, .tolerant] {
        do throws(CBORError) {
          _ = try CBORDecoder.decode(Array(input[..<count]), mode: mode)
          Issue.record("accepted \(count) bytes")
        } catch {
          switch error {
          case .truncated(let offset), .countExceedsInput(_, let offset): #expect(offset <= count)
          default: Issue.record("\(error)")
          }
        }
      }
    }
    #expect(try CBORDecoder.decode(input, mode: .strict) == value)
  }
}
