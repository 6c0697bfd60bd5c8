import BridgeTestSupport
import CBOR
import CTAPMessages
import Foundation
import JSONText
import Octets
import Testing

/// The published vectors of this folder.
enum Vectors {
  static func json(_ name: String) throws -> JSONValue {
    let url = try #require(Bundle.module.url(forResource: name, withExtension: "json", subdirectory: "Vectors"))
    return try VectorFile.json(at: url.path)
  }
}

extension JSONValue {
  /// The bytes that a member has in hexadecimal.
  func hex(_ name: String) throws -> [UInt8] {
    let text = try #require(self[name]?.stringValue)
    return try #require(Hex.decode(text))
  }

  func member(_ name: String) throws -> JSONValue {
    try #require(self[name])
  }
}

func bytes(_ hex: String) -> [UInt8] {
  Hex.decode(hex) ?? []
}
