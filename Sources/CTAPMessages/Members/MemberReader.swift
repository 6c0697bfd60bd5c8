import CBOR

/// Reads the members of a map one by one; what has not been read stays in `additional`.
struct MemberReader {
  private let message: String
  private(set) var additional: CBORMap

  init(_ value: CBORValue, _ message: String) throws(MessageError) {
    guard case .map(let map) = value else {
      throw MessageError(message: message, problem: .wrongType(expected: "map", found: value.kind))
    }
    self.message = message
    additional = map
  }

  /// Reads a member that may be absent.
  mutating func optional<Value>(_ key: MemberKey, _ type: MemberType<Value>) throws(MessageError) -> Value? {
    guard let value = additional[key.key] else { return nil }
    additional[key.key] = nil
    do throws(MessageError) {
      return try type.read(value)
    } catch {
      throw error.inside(message, key)
    }
  }

  /// Reads a member that must be there.
  mutating func required<Value>(_ key: MemberKey, _ type: MemberType<Value>) throws(MessageError) -> Value {
    guard let value = try optional(key, type) else {
      throw MessageError(message: message, member: key.name, number: key.number, problem: .missing)
    }
    return value
  }
}

/// Builds a map from the members of a message.
struct MemberWriter {
  private var map: CBORMap

  /// Starts with the members that are not known; a known one of the same key replaces them.
  init(_ additional: CBORMap = CBORMap()) {
    map = additional
  }

  /// Writes a member, unless it is nil.
  mutating func set(_ key: MemberKey, _ value: CBORValue?) {
    if let value { map[key.key] = value }
  }

  var value: CBORValue { .map(map) }
}
