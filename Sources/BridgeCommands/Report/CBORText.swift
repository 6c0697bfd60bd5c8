import CBOR
import JSONText
import Octets

/// CBOR values of unknown meaning, as JSON that loses nothing a person would look for.
///
/// Bytes become `h'…'` and tags `n(…)`, as in the diagnostic notation of RFC 8949 §8.
enum CBORText {
  /// The value as JSON.
  static func json(_ value: CBORValue) -> JSONOutput {
    switch value {
    case .unsigned(let number): .unsigned(number)
    case .negative(let number): .raw(Array(negative(number).utf8))
    case .bytes(let bytes): .string("h'\(Hex.encode(bytes))'")
    case .text(let text): .string(text)
    case .array(let elements): .array(elements.map(json))
    case .map(let map): .object(map.entries.map { (key($0.key), json($0.value)) })
    case .tagged(let tag, let inner):
      .string("\(tag)(\(String(decoding: json(inner).serialized(pretty: false), as: UTF8.self)))")
    case .bool(let flag): .bool(flag)
    case .null: .null
    case .undefined: .string("undefined")
    case .simple(let number): .string("simple(\(number))")
    case .float(let number): number.isFinite ? .raw(Array("\(number)".utf8)) : .string("\(number)")
    }
  }

  /// A map key as the name of a JSON member.
  static func key(_ value: CBORValue) -> String {
    switch value {
    case .text(let text): text
    case .unsigned(let number) where number <= 0xff: "0x" + Hex.encode([UInt8(number)])
    default: String(decoding: json(value).serialized(pretty: false), as: UTF8.self)
    }
  }

  /// −1 − n, written without overflow for every n.
  private static func negative(_ number: UInt64) -> String {
    number == .max ? "-18446744073709551616" : "-\(number + 1)"
  }
}
