import CBOR
import JSONText
import Octets

extension FuzzTarget {
  /// The encodings under everything.
  static let values = [
    FuzzTarget("cbor", cbor), FuzzTarget("cbor-libcbor", differential), FuzzTarget("json", json),
  ]

  private static func cbor(_ bytes: [UInt8]) {
    if let value = try? CBORDecoder.decode(bytes, mode: .tolerant) {
      let written = value.encoded()
      let again = try? CBORDecoder.decode(written, mode: .tolerant)
      mustHold(again == value || value.hasFloat, "written and read again, it differs")
      mustHold(again?.encoded() == written, "what was written is written differently")
      _ = value.description
    }
    if let value = try? CBORDecoder.decode(bytes, mode: .strict), !value.hasFloat {
      mustHold(value.encoded() == bytes, "strict input is written differently")
    }
    if let (_, end) = try? CBORDecoder.decodePrefix(bytes, from: bytes.count / 2) {
      mustHold((bytes.count / 2...bytes.count).contains(end), "an end of \(end)")
    }
  }

  /// Ours against libcbor's own decoder and the written rules; short, because the scan compares all keys with all.
  private static func differential(_ bytes: [UInt8]) {
    guard bytes.count <= 2048 else { return }
    let found = DecoderComparison(bytes).disagreements
    mustHold(found.isEmpty, found.joined(separator: "; "))
  }

  private static func json(_ bytes: [UInt8]) {
    guard let root = try? JSONDocument(parsing: bytes).root else { return }
    walk(root, 0)
  }

  private static func walk(_ value: JSONValue, _ depth: Int) {
    mustHold(depth <= 64, "\(depth) levels")
    mustHold((try? JSONDocument(parsing: value.source).root.kind) == value.kind || depth > 3, "its source is no JSON")
    _ = (value.stringValue, value.integerValue, value.doubleValue, value.boolValue)
    if depth < 3 { _ = value.path }
    for element in value.elements ?? [] { walk(element, depth + 1) }
    for member in value.members ?? [] { walk(member.value, depth + 1) }
  }
}
