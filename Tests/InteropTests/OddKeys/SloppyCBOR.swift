import CBOR
import CTAPMessages

/// CBOR as some firmware writes it: maps from back to front, every number and length one size too long.
enum SloppyCBOR {
  static func encode(_ value: CBORValue) -> [UInt8] {
    switch value {
    case .unsigned(let number): head(0, number)
    case .negative(let number): head(1, number)
    case .bytes(let bytes): head(2, UInt64(bytes.count)) + bytes
    case .text(let text): head(3, UInt64(text.utf8.count)) + text.utf8
    case .array(let items): items.reduce(head(4, UInt64(items.count))) { $0 + encode($1) }
    case .map(let map):
      map.entries.reversed().reduce(head(5, UInt64(map.count))) { $0 + encode($1.key) + encode($1.value) }
    default: value.encoded()
    }
  }

  private static func head(_ major: UInt8, _ number: UInt64) -> [UInt8] {
    let major = major << 5
    return switch number {
    case 0..<24: [major | 24, UInt8(number)]
    case 24..<0x100: [major | 25, 0, UInt8(number)]
    case 0x100..<0x1_0000: [major | 26, 0, 0, UInt8(number >> 8), UInt8(number & 0xff)]
    default: [major | 27] + (0..<8).map { UInt8(truncatingIfNeeded: number >> (56 - 8 * $0)) }
    }
  }
}

extension Oddity {
  /// A key whose every answer with content is rewritten.
  static func rewriting(
    _ only: Set<CTAPCommand>? = nil, _ rewrite: @escaping @Sendable (CBORMap) -> [UInt8]
  ) -> Oddity {
    Oddity(onAnswer: { request, answer in
      guard let command = request.ctap, only?.contains(command) ?? true, answer.first == 0, answer.count > 1,
        let map = try? CBORDecoder.decode(Array(answer.dropFirst())).mapValue
      else { return answer }
      return [0] + rewrite(map)
    })
  }

  /// The same, member by member.
  static func changing(_ only: Set<CTAPCommand>? = nil, _ change: @escaping @Sendable (inout CBORMap) -> Void)
    -> Oddity
  {
    rewriting(only) { map in
      var map = map
      change(&map)
      return CBORValue.map(map).encoded()
    }
  }
}
