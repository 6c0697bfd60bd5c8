/// The tags that attestation certificates' extensions use.
enum DERTag {
  static let integer: UInt = 0x02
  static let octetString: UInt = 0x04
  static let null: UInt = 0x05
  static let objectIdentifier: UInt = 0x06
  static let enumerated: UInt = 0x0a
  static let sequence: UInt = 0x30
  static let set: UInt = 0x31

  /// The tag of an explicitly tagged field: context class, constructed; its number above the identifier's bits.
  static func context(_ number: UInt) -> UInt { number < 31 ? 0xa0 | number : 0xbf00 | number << 16 }
}

/// A cursor over DER elements (X.690) that never traps; reading an element does not look into it.
struct DERReader {
  private let bytes: ArraySlice<UInt8>
  private var offset: Int

  init(_ bytes: [UInt8]) { self.init(slice: bytes[...]) }

  private init(slice: ArraySlice<UInt8>) {
    bytes = slice
    offset = slice.startIndex
  }

  var isAtEnd: Bool { offset == bytes.endIndex }

  /// The content of the next element where it has this tag; otherwise nil, and the element is still there.
  mutating func next(_ tag: UInt) -> [UInt8]? {
    var ahead = self
    guard let element = ahead.element(), element.tag == tag else { return nil }
    self = ahead
    return Array(element.content)
  }

  /// The next element, or nil at the end or where none can be read.
  mutating func element() -> (tag: UInt, content: ArraySlice<UInt8>)? {
    guard let tag = tag(), let count = length(), count <= bytes.endIndex - offset else { return nil }
    defer { offset += count }
    return (tag, bytes[offset..<offset + count])
  }

  /// The elements inside an element of this tag that comes next; nil where it does not, or where they cannot be read.
  mutating func elements(in tag: UInt) -> [(tag: UInt, content: [UInt8])]? {
    guard let content = next(tag) else { return nil }
    var inner = DERReader(content)
    var elements: [(tag: UInt, content: [UInt8])] = []
    while !inner.isAtEnd {
      guard let element = inner.element() else { return nil }
      elements.append((element.tag, Array(element.content)))
    }
    return elements
  }

  private mutating func byte() -> UInt8? {
    guard offset < bytes.endIndex else { return nil }
    defer { offset += 1 }
    return bytes[offset]
  }

  /// One identifier byte, or 0xBF and the like with a number of up to two bytes behind it.
  private mutating func tag() -> UInt? {
    guard let first = byte() else { return nil }
    guard first & 0x1f == 0x1f else { return UInt(first) }
    var number: UInt = 0
    for _ in 0..<2 {
      guard let next = byte() else { return nil }
      number = number << 7 | UInt(next & 0x7f)
      if next & 0x80 == 0 { return number >= 31 ? UInt(first) << 8 | number << 16 : nil }
    }
    return nil
  }

  /// A definite length in its shortest form, below 65,536.
  private mutating func length() -> Int? {
    guard let first = byte() else { return nil }
    switch first {
    case ..<0x80: return Int(first)
    case 0x81: return byte().flatMap { $0 >= 0x80 ? Int($0) : nil }
    case 0x82:
      guard let high = byte(), let low = byte(), high > 0 else { return nil }
      return Int(high) << 8 | Int(low)
    default: return nil
    }
  }
}
