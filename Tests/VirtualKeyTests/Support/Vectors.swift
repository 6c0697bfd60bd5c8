import BridgeTestSupport
import Foundation
import JSONText
import Octets
import Testing

/// A file of this target's vectors.
func vectorFile(_ name: String) throws -> JSONValue {
  let url = try #require(Bundle.module.url(forResource: name, withExtension: "json", subdirectory: "Vectors"))
  return try VectorFile.json(at: url.path)
}

/// The bytes of hexadecimal digits; what are none count as no bytes, which no test expects.
func hex(_ digits: String) -> [UInt8] { Hex.decode(digits) ?? [] }

/// The getInfo records of certified keys.
let certifiedKeys: [JSONValue] = (try? vectorFile("certified-keys-getinfo")["entries"]?.elements) ?? []

extension JSONValue {
  /// A member of hexadecimal digits.
  func hex(_ name: String) throws -> [UInt8] {
    try #require(self[name]?.stringValue.flatMap { Hex.decode($0) }, "\(name)")
  }
}
