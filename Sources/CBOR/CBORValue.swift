/// One CBOR data item (RFC 8949 §3), as CTAP2 messages, COSE keys and attestation objects use it.
///
/// Two values are equal when they mean the same item: the order of a map's entries does not count, and floating-point
/// numbers are compared by their bits, so that a NaN equals itself and `0.0` differs from `-0.0`.
public enum CBORValue: Sendable {
  /// An unsigned integer (major type 0).
  case unsigned(UInt64)
  /// A negative integer (major type 1); the number is `-1 - n`, which reaches down to -2^64.
  case negative(UInt64)
  /// A byte string (major type 2).
  case bytes([UInt8])
  /// A text string (major type 3).
  case text(String)
  /// An array (major type 4).
  case array([CBORValue])
  /// A map (major type 5).
  case map(CBORMap)
  /// A tag number and the item it is about (major type 6); CTAP2 canonical form has none.
  indirect case tagged(UInt64, CBORValue)
  /// True or false.
  case bool(Bool)
  /// Null.
  case null
  /// Undefined.
  case undefined
  /// A simple value other than the four above; see `encoded()` for the numbers that do not exist.
  case simple(UInt8)
  /// A floating-point number of any width; the width it was read in is not kept.
  case float(Double)
}

extension CBORValue {
  /// The item for a signed integer.
  public static func int(_ value: Int) -> CBORValue {
    value >= 0 ? .unsigned(UInt64(value)) : .negative(UInt64(-1 - value))
  }

  /// The integer, or nil where the item is none or does not fit.
  public var intValue: Int? {
    switch self {
    case .unsigned(let magnitude): Int(exactly: magnitude)
    case .negative(let magnitude): Int(exactly: magnitude).map { -1 - $0 }
    default: nil
    }
  }

  /// The bytes of a byte string.
  public var bytesValue: [UInt8]? {
    if case .bytes(let bytes) = self { bytes } else { nil }
  }

  /// The characters of a text string.
  public var textValue: String? {
    if case .text(let text) = self { text } else { nil }
  }

  /// The elements of an array.
  public var arrayValue: [CBORValue]? {
    if case .array(let elements) = self { elements } else { nil }
  }

  /// The map.
  public var mapValue: CBORMap? {
    if case .map(let map) = self { map } else { nil }
  }

  /// True or false.
  public var boolValue: Bool? {
    if case .bool(let flag) = self { flag } else { nil }
  }
}

extension CBORValue: Hashable {
  /// Whether both are the same item.
  public static func == (left: CBORValue, right: CBORValue) -> Bool {
    switch (left, right) {
    case (.unsigned(let one), .unsigned(let other)): one == other
    case (.negative(let one), .negative(let other)): one == other
    case (.bytes(let one), .bytes(let other)): one == other
    // By code units: Swift's own equality takes two ways of writing an accent for the same text.
    case (.text(let one), .text(let other)): one.utf8.elementsEqual(other.utf8)
    case (.array(let one), .array(let other)): one == other
    case (.map(let one), .map(let other)): one == other
    case (.tagged(let tag, let one), .tagged(let otherTag, let other)): tag == otherTag && one == other
    case (.bool(let one), .bool(let other)): one == other
    case (.null, .null), (.undefined, .undefined): true
    case (.simple(let one), .simple(let other)): one == other
    case (.float(let one), .float(let other)): one.bitPattern == other.bitPattern
    default: false
    }
  }

  /// Feeds what `==` compares to the hasher.
  public func hash(into hasher: inout Hasher) {
    switch self {
    case .unsigned(let magnitude): hasher.combine(magnitude)
    case .negative(let magnitude): hasher.combine(~magnitude)
    case .bytes(let bytes): hasher.combine(bytes)
    case .text(var text):
      text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
    case .array(let elements): hasher.combine(elements)
    case .map(let map): hasher.combine(map)
    case .tagged(let tag, let value):
      hasher.combine(tag)
      hasher.combine(value)
    case .bool(let flag): hasher.combine(flag)
    case .null: hasher.combine(UInt8(0xf6))
    case .undefined: hasher.combine(UInt8(0xf7))
    case .simple(let number): hasher.combine(number)
    case .float(let number): hasher.combine(number.bitPattern)
    }
  }
}

extension CBORValue: ExpressibleByIntegerLiteral, ExpressibleByStringLiteral, ExpressibleByBooleanLiteral {
  /// Writes an integer item as a literal.
  public init(integerLiteral value: Int) { self = .int(value) }

  /// Writes a text item as a literal.
  public init(stringLiteral value: String) { self = .text(value) }

  /// Writes true or false as a literal.
  public init(booleanLiteral value: Bool) { self = .bool(value) }
}

extension CBORValue: ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral {
  /// Writes an array item as a literal.
  public init(arrayLiteral elements: CBORValue...) { self = .array(elements) }

  /// Writes a map item as a literal; a key that comes twice keeps its last value.
  public init(dictionaryLiteral elements: (CBORValue, CBORValue)...) { self = .map(CBORMap(elements)) }
}
