public import CBOR
public import JSONText
internal import Octets

/// The rule by which JSON becomes CBOR on the way to a key, and CBOR becomes JSON on the way back.
///
/// To the key:
///
/// - `null`, `true` and `false`, strings and arrays become their like.
/// - A number without a point and an exponent becomes an integer, from -2^64 to 2^64 - 1; every other one a
///   floating-point number of 64 bits, so `1.0` is not `1`.
/// - `{"$base64url": "AQID"}` becomes a byte string.
/// - `{"$map": [[1, "a"], [-2, "b"]]}` becomes a map whose keys are no strings; every other object a map with strings.
/// - A name that is there twice, a key that is there twice, and more than two levels of arrays and maps, which is what
///   CTAP's four leave (CTAP 2.3 §8), are refused with the path.
///
/// Back (as RFC 8949 §6.1 advises): byte strings become base64url without padding; keys that are integers or byte strings
/// become strings in the same way, and where two would become the same, or one is something else yet, the map comes back
/// as a `$map`; of tags the content counts; undefined, other simple values and what is no finite number become `null`.
public enum JSONPassage {
  /// Why a value cannot pass.
  public struct Refusal: Error, Hashable, Sendable {
    /// A clause: which value, what it is, what was expected.
    public let reason: String
  }

  /// How many levels of arrays and maps may go to a key.
  public static let levels = 2

  static let bytesMember = "$base64url"
  static let mapMember = "$map"

  // MARK: To the key

  /// The CBOR for a JSON value.
  public static func cbor(_ json: JSONValue) throws(Refusal) -> CBORValue { try cbor(json, levels) }

  private static func cbor(_ json: JSONValue, _ levels: Int) throws(Refusal) -> CBORValue {
    switch json.kind {
    case .null: return .null
    case .bool: return .bool(json.boolValue == true)
    case .string: return .text(try text(json))
    case .number: return try number(json)
    case .array:
      let inner = try descend(json, levels)
      var elements: [CBORValue] = []
      for element in json.elements ?? [] { elements.append(try cbor(element, inner)) }
      return .array(elements)
    case .object: return try object(json, levels)
    }
  }

  private static func object(_ json: JSONValue, _ levels: Int) throws(Refusal) -> CBORValue {
    let members = json.members ?? []
    if members.count == 1, members[0].name == bytesMember { return .bytes(try bytes(members[0].value)) }
    let inner = try descend(json, levels)
    var map = CBORMap()
    if members.count == 1, members[0].name == mapMember {
      let pairs = members[0].value
      guard let elements = pairs.elements else { throw refused(pairs, "an array of pairs") }
      for pair in elements {
        guard let parts = pair.elements, parts.count == 2 else { throw refused(pair, "an array of a key and a value") }
        let key = try cbor(parts[0], 0)
        guard map[key] == nil else { throw Refusal(reason: "\(parts[0].path) is a key for the second time") }
        map[key] = try cbor(parts[1], inner)
      }
      return .map(map)
    }
    for (name, value) in members {
      guard map[name] == nil else { throw Refusal(reason: "\(value.path) is there twice; expected one value") }
      map[.text(name)] = try cbor(value, inner)
    }
    return .map(map)
  }

  private static func descend(_ json: JSONValue, _ levels: Int) throws(Refusal) -> Int {
    guard levels > 0 else {
      throw Refusal(
        reason: "\(json.path) is \(json.found) too deep inside; expected \(Self.levels) levels, and keys without any")
    }
    return levels - 1
  }

  private static func bytes(_ json: JSONValue) throws(Refusal) -> [UInt8] {
    guard let bytes = json.stringValue.flatMap({ try? Base64URL.decode($0) }) else {
      throw refused(json, "a base64url string")
    }
    return bytes
  }

  private static func text(_ json: JSONValue) throws(Refusal) -> String {
    guard let text = json.stringValue else { throw refused(json, "text without lone surrogates") }
    return text
  }

  private static func number(_ json: JSONValue) throws(Refusal) -> CBORValue {
    let text = json.numberText ?? ""
    guard text.allSatisfy({ $0 == "-" || $0.isNumber }) else {
      guard let number = json.doubleValue else { throw refused(json, "a number that 64 bits hold") }
      return .float(number)
    }
    if let number = UInt64(text) ?? (text == "-0" ? 0 : nil) { return .unsigned(number) }
    if text == "-18446744073709551616" { return .negative(.max) }
    guard text.hasPrefix("-"), let magnitude = UInt64(text.dropFirst()) else {
      throw refused(json, "an integer from -2^64 to 2^64 - 1")
    }
    return .negative(magnitude - 1)
  }

  private static func refused(_ json: JSONValue, _ expected: String) -> Refusal {
    Refusal(reason: "\(json.path) is \(json.found); expected \(expected)")
  }

  // MARK: Back

  /// The JSON for a CBOR value; there is one for each.
  public static func json(_ cbor: CBORValue) -> JSONOutput {
    switch cbor {
    case .unsigned(let number): .raw(Array(String(number).utf8))
    case .negative(let number): .raw(Array(negative(number).utf8))
    case .bytes(let bytes): .string(Base64URL.encode(bytes))
    case .text(let text): .string(text)
    case .bool(let flag): .bool(flag)
    case .null, .undefined, .simple: .null
    case .float(let number): number.isFinite ? .raw(Array("\(number)".utf8)) : .null
    case .tagged(_, let content): json(content)
    case .array(let elements): .array(elements.map(json))
    case .map(let map): object(map)
    }
  }

  private static func object(_ map: CBORMap) -> JSONOutput {
    let names = map.keys.compactMap(name)
    if Set(names).count == map.count { return .object(zip(names, map.entries).map { ($0, json($1.value)) }) }
    return [mapMember: .array(map.entries.map { .array([json($0.key), json($0.value)]) })]
  }

  /// The name that a key becomes; nil where there is none for it.
  private static func name(_ key: CBORValue) -> String? {
    switch key {
    case .text(let text): text
    case .unsigned(let number): String(number)
    case .negative(let number): negative(number)
    case .bytes(let bytes): Base64URL.encode(bytes)
    default: nil
    }
  }

  private static func negative(_ number: UInt64) -> String {
    number == .max ? "-18446744073709551616" : "-\(number + 1)"
  }
}
