import CBOR

/// Inputs that are nearly right.
enum Mutation {
  /// An encoding that breaks canonical rules here and there, and is then damaged in up to three places.
  static func input(using generator: inout SeededGenerator) -> [UInt8] {
    let items = (0..<Int.random(in: 1...6, using: &generator)).map { _ in
      CBORValue.random(depth: 4, tags: generator.next().isMultiple(of: 4), using: &generator)
    }
    let value: CBORValue =
      Bool.random(using: &generator)
      ? .array(items) : .map(CBORMap(items.enumerated().map { (.int($0), $1) }))
    var bytes = generator.next().isMultiple(of: 3) ? value.encoded() : loose(value, &generator)
    for _ in 0..<Int.random(in: 0...3, using: &generator) { damage(&bytes, &generator) }
    return bytes
  }

  private static func damage(_ bytes: inout [UInt8], _ generator: inout SeededGenerator) {
    guard !bytes.isEmpty else { return }
    let position = Int.random(in: 0..<bytes.count, using: &generator)
    switch Int.random(in: 0..<6, using: &generator) {
    case 0: bytes[position] ^= 1 << UInt8.random(in: 0..<8, using: &generator)
    case 1: bytes[position] = .random(in: 0...255, using: &generator)
    case 2: bytes.remove(at: position)
    case 3: bytes.insert(.random(in: 0...255, using: &generator), at: position)
    case 4: bytes.removeSubrange(position...)
    default:
      bytes.insert(
        contentsOf: bytes[position...].prefix(Int.random(in: 1...8, using: &generator)),
        at: position)
    }
  }

  private static func loose(_ value: CBORValue, _ generator: inout SeededGenerator) -> [UInt8] {
    switch value {
    case .unsigned(let magnitude): head(0, magnitude, &generator)
    case .negative(let magnitude): head(1, magnitude, &generator)
    case .bytes(let content): string(2, content, &generator)
    case .text(let text): string(3, Array(text.utf8), &generator)
    case .array(let elements): list(4, elements.map { loose($0, &generator) }, &generator)
    case .map(let map):
      list(
        5, map.entries.map { loose($0.key, &generator) + loose($0.value, &generator) }, &generator)
    case .tagged(let tag, let content): head(6, tag, &generator) + loose(content, &generator)
    default: value.encoded()
    }
  }

  private static func isRare(_ generator: inout SeededGenerator) -> Bool {
    generator.next().isMultiple(of: 12)
  }

  private static func head(_ major: UInt8, _ argument: UInt64, _ generator: inout SeededGenerator)
    -> [UInt8]
  {
    let least =
      argument < 24
      ? 0 : argument < 1 << 8 ? 1 : argument < 1 << 16 ? 2 : argument < 1 << 32 ? 3 : 4
    let width = isRare(&generator) ? Int.random(in: least...4, using: &generator) : least
    guard width > 0 else { return [major << 5 | UInt8(argument)] }
    let count = 1 << (width - 1)
    return [major << 5 | UInt8(23 + width)]
      + (0..<count).map { UInt8(truncatingIfNeeded: argument >> UInt64(8 * (count - 1 - $0))) }
  }

  private static func string(_ major: UInt8, _ content: [UInt8], _ generator: inout SeededGenerator)
    -> [UInt8]
  {
    let whole = head(major, UInt64(content.count), &generator) + content
    return isRare(&generator) ? [major << 5 | 31] + whole + [0xff] : whole
  }

  private static func list(_ major: UInt8, _ items: [[UInt8]], _ generator: inout SeededGenerator)
    -> [UInt8]
  {
    var items = items
    if isRare(&generator), let again = items.randomElement(using: &generator) {
      items.append(again)
    }
    if isRare(&generator) { items.shuffle(using: &generator) }
    let content = Array(items.joined())
    return isRare(&generator)
      ? [major << 5 | 31] + content + [0xff]
      : head(major, UInt64(items.count), &generator) + content
  }
}
