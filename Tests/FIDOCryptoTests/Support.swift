import FIDOCrypto
import Foundation
import Octets
import Testing

/// Hexadecimal text as bytes; text that is none stops the test.
func hex(_ text: String) -> [UInt8] {
  guard let bytes = Hex.decode(text) else { fatalError("not hexadecimal: \(text.prefix(40))") }
  return bytes
}

func secret(_ text: String) -> SecretBytes { SecretBytes(hex(text)) }

/// Reads a vector file of this folder.
func vectors<Content: Decodable>(_ name: String, as type: Content.Type = Content.self) -> Content {
  guard let url = Bundle.module.url(forResource: name, withExtension: "json", subdirectory: "Vectors"),
    let data = try? Data(contentsOf: url), let content = try? JSONDecoder().decode(type, from: data)
  else { fatalError("cannot read the vectors \(name)") }
  return content
}

/// A file that is a list of cases.
struct Cases<Case: Decodable & Sendable>: Decodable, Sendable {
  let origin: String
  let cases: [Case]
}

extension SignatureAlgorithm {
  /// The algorithm by its name here.
  init(named name: String) {
    guard let algorithm = Self.allCases.first(where: { "\($0)" == name }) else { fatalError("no algorithm \(name)") }
    self = algorithm
  }
}

/// The bytes with one bit turned over, counted from the first byte's lowest.
func flipping(_ bit: Int, of bytes: [UInt8]) -> [UInt8] {
  var changed = bytes
  changed[bit / 8] ^= 1 << UInt8(bit % 8)
  return changed
}

/// One key for each algorithm, made once because RSA keys take their time.
enum TestKeys {
  static let all: [SignatureAlgorithm: SigningKey] = {
    var keys: [SignatureAlgorithm: SigningKey] = [:]
    for algorithm in SignatureAlgorithm.allCases {
      do {
        keys[algorithm] = try SigningKey.generate(algorithm)
      } catch {
        fatalError("\(algorithm): \(error)")
      }
    }
    return keys
  }()

  static func key(_ algorithm: SignatureAlgorithm) throws -> SigningKey { try #require(all[algorithm]) }
}
