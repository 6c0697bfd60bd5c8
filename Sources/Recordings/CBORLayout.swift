internal import CBOR

/// Where the parts of a CBOR item lie in its bytes; made only of items that decode whole, within the decoder's limits.
struct CBORLayout {
  /// The item's value.
  let value: CBORValue
  /// Where the item lies, its head included.
  let range: Range<Int>
  /// The elements of an array; the keys and values of a map by turns; else nothing.
  let parts: [CBORLayout]

  /// Finds the parts of the item at `start`, which may be followed by other bytes; nil where there is none.
  init?(_ bytes: [UInt8], at start: Int) {
    guard let (value, end) = try? CBORDecoder.decodePrefix(bytes, from: start) else { return nil }
    self.init(bytes, value, start..<end)
  }

  private init?(_ bytes: [UInt8], _ value: CBORValue, _ range: Range<Int>) {
    self.value = value
    self.range = range
    let count: Int
    switch value {
    case .array(let elements): count = elements.count
    case .map(let map): count = 2 * map.count
    case .tagged: count = 1
    default: count = 0
    }
    var parts: [CBORLayout] = []
    var offset = range.lowerBound + Self.headLength(bytes[range.lowerBound])
    for _ in 0..<count {
      guard let part = CBORLayout(bytes, at: offset) else { return nil }
      parts.append(part)
      offset = part.range.upperBound
    }
    self.parts = parts
  }

  /// The members of a map.
  var members: [(key: CBORValue, value: CBORLayout)] {
    guard case .map = value else { return [] }
    return stride(from: 0, to: parts.count - 1, by: 2).map { (parts[$0].value, parts[$0 + 1]) }
  }

  /// Where the bytes of a byte string lie.
  var content: Range<Int>? {
    guard case .bytes(let bytes) = value else { return nil }
    return range.upperBound - bytes.count..<range.upperBound
  }

  /// Every string in the item, without its head; text that the decoder repaired counts as it was sent.
  func strings(in bytes: [UInt8]) -> [Range<Int>] {
    switch value {
    case .bytes, .text: [range.lowerBound + Self.headLength(bytes[range.lowerBound])..<range.upperBound]
    default: parts.flatMap { $0.strings(in: bytes) }
    }
  }

  /// The length of a head in bytes, by its first one.
  private static func headLength(_ initial: UInt8) -> Int {
    switch initial & 0x1f {
    case 24: 2
    case 25: 3
    case 26: 5
    case 27: 9
    default: 1
    }
  }
}
