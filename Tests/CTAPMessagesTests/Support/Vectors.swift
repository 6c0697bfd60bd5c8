import Foundation
import Octets

/// The published vectors beside these tests.
enum Vectors {
  static let certifiedKeys: [CertifiedKey] = load("certified-keys-getinfo", CertifiedKeys.self).entries
  static let webauthn: [WebAuthnVector] = load("webauthn-l3", WebAuthnVectors.self).vectors
  static let pythonFIDO2: [String: String] = load("python-fido2", [String: String].self)

  /// Bytes that python-fido2's tests hold under a name of ours.
  static func python(_ name: String) -> [UInt8] { hex(pythonFIDO2[name] ?? "") }

  private static func load<Content: Decodable>(_ name: String, _ type: Content.Type) -> Content {
    do {
      guard let url = Bundle.module.url(forResource: name, withExtension: "json", subdirectory: "Vectors") else {
        fatalError("no vectors \(name)")
      }
      return try JSONDecoder().decode(type, from: Data(contentsOf: url))
    } catch {
      fatalError("vectors \(name): \(error)")
    }
  }
}

/// The bytes of hexadecimal text that is part of a test.
func hex(_ text: String) -> [UInt8] {
  guard let bytes = Hex.decode(text) else { fatalError("not hexadecimal: \(text)") }
  return bytes
}

private struct CertifiedKeys: Decodable { let entries: [CertifiedKey] }
private struct WebAuthnVectors: Decodable { let vectors: [WebAuthnVector] }

/// One record of the FIDO Metadata Service.
struct CertifiedKey: Decodable, Sendable, CustomStringConvertible {
  let aaguid: String
  let description: String
  let authenticatorGetInfo: [String: JSON]
}

/// One pair of ceremonies from the W3C vectors; byte strings are hex.
struct WebAuthnVector: Decodable, Sendable, CustomStringConvertible {
  let id: String
  let aaguid: String
  let credentialId: String
  let attestationObject: String
  let authenticatorData: String
  var description: String { id }
}

/// A JSON value; numbers of these records are integers.
enum JSON: Decodable, Sendable, Equatable {
  case bool(Bool), integer(Int), string(String), array([JSON]), object([String: JSON])

  init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    if let bool = try? container.decode(Bool.self) {
      self = .bool(bool)
    } else if let integer = try? container.decode(Int.self) {
      self = .integer(integer)
    } else if let string = try? container.decode(String.self) {
      self = .string(string)
    } else if let array = try? container.decode([JSON].self) {
      self = .array(array)
    } else {
      self = .object(try container.decode([String: JSON].self))
    }
  }
}
