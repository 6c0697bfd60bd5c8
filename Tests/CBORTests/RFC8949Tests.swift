import CBOR
import Foundation
import Octets
import Testing

@Suite("The examples of RFC 8949, Appendix A")
struct RFC8949Tests {
  struct Example: Decodable, Sendable, CustomTestStringConvertible {
    let hex: String
    let diagnostic: String
    let shortest: String?
    var testDescription: String { "\(hex) = \(diagnostic)" }
  }

  struct Examples: Decodable {
    let definite: [Example]
    let indefinite: [Example]

    static let all: Examples = {
      guard let url = Bundle.module.url(forResource: "Vectors/rfc8949-appendix-a", withExtension: "json"),
        let data = try? Data(contentsOf: url), let examples = try? JSONDecoder().decode(Examples.self, from: data)
      else { return Examples(definite: [], indefinite: []) }
      return examples
    }()
  }

  @Test("all examples are there")
  func completeness() {
    #expect(Examples.all.definite.count == 70)
    #expect(Examples.all.indefinite.count == 11)
  }

  @Test("an example of definite length is decoded and comes back", arguments: Examples.all.definite)
  func definite(_ example: Example) throws {
    let input = try bytes(example.hex)
    let value = try CBORDecoder.decode(input)
    if case .float(let number) = value {
      let expected = try #require(Double(example.diagnostic))
      #expect(number.isNaN ? expected.isNaN : number.bitPattern == expected.bitPattern)
      #expect(Double(value.description).map { CBORValue.float($0) } == value)
    } else {
      #expect(value.description == example.diagnostic)
    }
    #expect(Hex.encode(value.encoded()) == example.shortest ?? example.hex)
    if example.diagnostic.contains("(") && !example.diagnostic.hasPrefix("simple") {
      #expect(throws: CBORError.self) { try CBORDecoder.decode(input, mode: .strict) }
    } else {
      #expect(try CBORDecoder.decode(input, mode: .strict) == value)
    }
  }

  @Test("an example of indefinite length is refused in both modes", arguments: Examples.all.indefinite)
  func indefinite(_ example: Example) throws {
    let input = try bytes(example.hex)
    let offset = try #require(input.firstIndex { [0x5f, 0x7f, 0x9f, 0xbf].contains($0) })
    for mode in [CBORDecoder.Mode.strict, .tolerant] {
      #expect(throws: CBORError.indefiniteLength(offset: offset)) { try CBORDecoder.decode(input, mode: mode) }
    }
  }
}
