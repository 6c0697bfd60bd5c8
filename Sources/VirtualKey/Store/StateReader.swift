import CBOR

/// Reads the members of a saved map, naming the one that is wrong.
struct StateReader {
  private let entries: CBORMap
  private let name: String

  init(_ value: CBORValue, _ name: String) throws(StateFormatError) {
    guard let map = value.mapValue else { throw StateFormatError(member: name) }
    entries = map
    self.name = name
  }

  func map(_ key: Int, _ name: String) throws(StateFormatError) -> StateReader {
    try StateReader(required(key), "\(self.name).\(name)")
  }

  func optionalMap(_ key: Int, _ name: String) throws(StateFormatError) -> StateReader? {
    entries[key] == nil ? nil : try map(key, name)
  }

  func array(_ key: Int) throws(StateFormatError) -> [CBORValue] {
    guard let elements = try required(key).arrayValue else { throw wrong(key) }
    return elements
  }

  func optionalArray(_ key: Int) throws(StateFormatError) -> [CBORValue]? {
    entries[key] == nil ? nil : try array(key)
  }

  func bytes(_ key: Int, count: Int? = nil) throws(StateFormatError) -> [UInt8] {
    guard let bytes = try required(key).bytesValue, count == nil || bytes.count == count else { throw wrong(key) }
    return bytes
  }

  func optionalBytes(_ key: Int, count: Int? = nil) throws(StateFormatError) -> [UInt8]? {
    entries[key] == nil ? nil : try bytes(key, count: count)
  }

  func text(_ key: Int) throws(StateFormatError) -> String {
    guard let text = try required(key).textValue else { throw wrong(key) }
    return text
  }

  func optionalText(_ key: Int) throws(StateFormatError) -> String? {
    entries[key] == nil ? nil : try text(key)
  }

  func bool(_ key: Int) throws(StateFormatError) -> Bool {
    guard let flag = try required(key).boolValue else { throw wrong(key) }
    return flag
  }

  func optionalBool(_ key: Int) throws(StateFormatError) -> Bool? {
    entries[key] == nil ? nil : try bool(key)
  }

  func integer<Value: FixedWidthInteger>(
    _ key: Int, in range: ClosedRange<Value> = .min ... .max
  ) throws(StateFormatError) -> Value {
    guard let number = try required(key).intValue.flatMap(Value.init(exactly:)), range.contains(number) else {
      throw wrong(key)
    }
    return number
  }

  func optionalInteger(_ key: Int) throws(StateFormatError) -> Int? {
    entries[key] == nil ? nil : try integer(key)
  }

  private func required(_ key: Int) throws(StateFormatError) -> CBORValue {
    guard let value = entries[key] else { throw wrong(key) }
    return value
  }

  private func wrong(_ key: Int) -> StateFormatError { StateFormatError(member: "\(name).\(key)") }
}
