import CBOR

/// What a member may be, and how it becomes a Swift value.
struct MemberType<Value> {
  let read: (CBORValue) throws(MessageError) -> Value

  init(_ read: @escaping (CBORValue) throws(MessageError) -> Value) {
    self.read = read
  }

  /// A type that one CBOR type carries.
  fileprivate init(_ expected: String, _ convert: @escaping (CBORValue) -> Value?) {
    read = { value throws(MessageError) in
      guard let converted = convert(value) else { throw .wrongType(expected, value) }
      return converted
    }
  }
}

extension MemberType where Value == [UInt8] {
  static var bytes: Self {
    MemberType("byte string") { if case .bytes(let bytes) = $0 { bytes } else { nil } }
  }
}

extension MemberType where Value == String {
  static var text: Self {
    MemberType("text string") { if case .text(let text) = $0 { text } else { nil } }
  }
}

extension MemberType where Value == Bool {
  static var bool: Self {
    MemberType("boolean") { if case .bool(let bool) = $0 { bool } else { nil } }
  }
}

extension MemberType where Value == CBORMap {
  static var map: Self {
    MemberType("map") { if case .map(let map) = $0 { map } else { nil } }
  }
}

extension MemberType where Value == UInt64 {
  static var unsigned: Self {
    MemberType("unsigned integer") { if case .unsigned(let number) = $0 { number } else { nil } }
  }
}

extension MemberType where Value == Int {
  /// A count, a size or a code: an unsigned integer that fits `Int`.
  static var count: Self {
    MemberType { value throws(MessageError) in
      let number = try MemberType<UInt64>.unsigned.read(value)
      guard let count = Int(exactly: number) else { throw .wrongValue("at most \(Int.max)", "\(number)") }
      return count
    }
  }

  /// An integer of either sign that fits `Int`.
  static var integer: Self {
    MemberType { value throws(MessageError) in
      switch value {
      case .unsigned(let number), .negative(let number):
        guard let integer = value.intValue else {
          throw .wrongValue("an integer of 64 bits with its sign", value.kind + " \(number)")
        }
        return integer
      default: throw .wrongType("integer", value)
      }
    }
  }
}

extension MemberType where Value: CTAPMessage {
  /// Another message, or a part that several messages have.
  static var message: Self {
    MemberType { value throws(MessageError) in try Value(cbor: value) }
  }
}

extension MemberType where Value: RawRepresentable, Value.RawValue == Int {
  /// A code that is kept whether it has a name or not.
  static var code: Self {
    MemberType { value throws(MessageError) in
      let number = try MemberType<Int>.count.read(value)
      guard let code = Value(rawValue: number) else { throw .wrongValue("a known code", "\(number)") }
      return code
    }
  }
}

extension MemberType {
  /// A list whose elements are all of one type.
  static func list<Element>(_ element: MemberType<Element>) -> Self where Value == [Element] {
    MemberType { value throws(MessageError) in
      guard case .array(let values) = value else { throw .wrongType("array", value) }
      var elements: [Element] = []
      for (index, value) in values.enumerated() {
        do throws(MessageError) {
          elements.append(try element.read(value))
        } catch {
          throw error.at(index)
        }
      }
      return elements
    }
  }
}

extension MessageError {
  /// A member of the wrong type, before the reader says which.
  static func wrongType(_ expected: String, _ found: CBORValue) -> MessageError {
    MessageError(message: "", problem: .wrongType(expected: expected, found: found.kind))
  }

  /// A member with an impossible value, before the reader says which.
  static func wrongValue(_ expected: String, _ found: String) -> MessageError {
    MessageError(message: "", problem: .wrongValue(expected: expected, found: found))
  }
}

extension CBORValue {
  /// The name of the CBOR type, for errors.
  var kind: String {
    switch self {
    case .unsigned: "unsigned integer"
    case .negative: "negative integer"
    case .bytes: "byte string"
    case .text: "text string"
    case .array: "array"
    case .map: "map"
    case .tagged: "tagged item"
    case .bool: "boolean"
    case .null: "null"
    case .undefined: "undefined"
    case .simple: "simple value"
    case .float: "floating-point number"
    }
  }

  static func texts(_ texts: [String]) -> CBORValue { .array(texts.map(CBORValue.text)) }

  static func ints(_ numbers: [Int]) -> CBORValue { .array(numbers.map(CBORValue.int)) }

  static func list(_ messages: [some CTAPMessage]) -> CBORValue { .array(messages.map { $0.cbor() }) }
}
