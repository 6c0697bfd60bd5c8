/// Decodes CBOR with bounds, either as CTAP2 canonical form or as keys really write it.
public struct CBORDecoder {
  /// How much of the canonical form an input must keep.
  ///
  /// Duplicate keys, indefinite lengths, trailing bytes and everything beyond the limits are refused in both modes.
  public enum Mode: Hashable, Sendable {
    /// The CTAP2 canonical form: shortest integers, sorted keys, no tags, valid UTF-8.
    case strict
    /// Unsorted keys, long integers and tags pass, and invalid UTF-8 is repaired: a text that ends inside a character
    /// loses that character (CTAP lets a key cut names at a byte count), other errors become U+FFFD.
    case tolerant
  }

  /// Decodes an input that is one item and nothing else.
  public static func decode(
    _ bytes: [UInt8], mode: Mode = .tolerant, limits: CBORLimits = .standard
  ) throws(CBORError) -> CBORValue {
    let (value, end) = try decodePrefix(bytes, from: 0, mode: mode, limits: limits)
    guard end == bytes.count else { throw .trailingBytes(count: bytes.count - end, offset: end) }
    return value
  }

  /// Decodes the item that starts at an offset and returns it with the offset of the byte after it.
  ///
  /// Authenticator data needs this: a COSE key is followed by extension outputs without a length between them
  /// (WebAuthn §6.5.1). The limit on the size applies to everything from the offset on.
  public static func decodePrefix(
    _ bytes: [UInt8], from start: Int, mode: Mode = .tolerant, limits: CBORLimits = .standard
  ) throws(CBORError) -> (value: CBORValue, end: Int) {
    guard start >= 0, start <= bytes.count else { throw .startOutOfRange(start, count: bytes.count) }
    guard bytes.count - start <= limits.size else {
      throw .inputTooLarge(count: bytes.count - start, limit: limits.size)
    }
    return try bytes.withUnsafeBufferPointer { input throws(CBORError) in
      var parser = CBORParser(input: input, offset: start, strict: mode == .strict, limits: limits)
      let value = try parser.item(depth: 0)
      return (value, parser.offset)
    }
  }
}

/// The strict checks around libcbor's decoder, which itself accepts whatever is well-formed.
private struct CBORParser {
  let input: UnsafeBufferPointer<UInt8>
  var offset: Int
  let strict: Bool
  let limits: CBORLimits
  var items = 0

  private var remaining: Int { input.count - offset }

  init(input: UnsafeBufferPointer<UInt8>, offset: Int, strict: Bool, limits: CBORLimits) {
    self.input = input
    self.offset = offset
    self.strict = strict
    self.limits = limits
  }

  mutating func item(depth: Int) throws(CBORError) -> CBORValue {
    let start = offset
    guard items < limits.items else { throw .tooManyItems(limit: limits.items, offset: start) }
    items += 1
    switch try head() {
    case .unsigned(let magnitude): return .unsigned(magnitude)
    case .negative(let magnitude): return .negative(magnitude)
    case .bytes(let content): return .bytes(Array(content))
    case .text(let content): return .text(try text(content, start))
    case .array(let count): return .array(try array(count, depth, start))
    case .map(let count): return .map(try map(count, depth, start))
    case .tag(let number):
      guard !strict else { throw .tag(number, offset: start) }
      try checkDepth(depth, start)
      return .tagged(number, try item(depth: depth + 1))
    case .bool(let flag): return .bool(flag)
    case .null: return .null
    case .undefined: return .undefined
    case .simple(let number): return .simple(number)
    case .float(let number): return .float(number)
    case .none: throw .reservedInitialByte(input[start], offset: start)
    }
  }

  /// Reads one head, moves behind it (and behind a string's content), and applies the rules about heads.
  private mutating func head() throws(CBORError) -> CBORHead {
    let start = offset
    guard start < input.count else { throw .truncated(offset: start) }
    let initial = input[start]
    let information = initial & 0x1f
    try checkInitialByte(initial, start)
    if let head = try headBeyondLibrary(initial, start) { return head }
    var head = CBORHead.none
    guard let length = CBORHead.read(UnsafeBufferPointer(rebasing: input[start...]), into: &head) else {
      throw .reservedInitialByte(initial, offset: start)
    }
    guard length > 0 else { throw .truncated(offset: start) }
    offset += length
    if strict, let argument = head.argument, argument < Self.leastArgument(information) {
      throw .nonMinimal(offset: start)
    }
    return head
  }

  private func checkInitialByte(_ initial: UInt8, _ start: Int) throws(CBORError) {
    switch (initial >> 5, initial & 0x1f) {
    case (_, 28...30), (0...1, 31), (6, 31): throw .reservedInitialByte(initial, offset: start)
    case (2...5, 31): throw .indefiniteLength(offset: start)
    case (7, 31): throw .unexpectedBreak(offset: start)
    default: break
    }
  }

  /// The well-formed heads that libcbor 0.8 refuses: simple values and small tags without a registered meaning.
  private mutating func headBeyondLibrary(_ initial: UInt8, _ start: Int) throws(CBORError) -> CBORHead? {
    switch initial {
    case 0xc0...0xd7:
      offset += 1
      return .tag(UInt64(initial & 0x1f))
    case 0xe0...0xf3:
      offset += 1
      return .simple(initial & 0x1f)
    case 0xf8:
      guard remaining >= 2 else { throw .truncated(offset: start) }
      let number = input[start + 1]
      guard number >= 32 else { throw .invalidSimpleValue(number, offset: start) }
      offset += 2
      return .simple(number)
    default: return nil
    }
  }

  /// The least argument for which an additional information of this kind is the shortest form.
  private static func leastArgument(_ information: UInt8) -> UInt64 {
    switch information {
    case 24: 24
    case 25: 1 << 8
    case 26: 1 << 16
    case 27: 1 << 32
    default: 0
    }
  }

  private func text(_ content: UnsafeBufferPointer<UInt8>, _ start: Int) throws(CBORError) -> String {
    if let text = String(validating: content, as: UTF8.self) { return text }
    guard !strict else { throw .invalidUTF8(offset: start) }
    return UTF8Repair.text(content)
  }

  private mutating func array(_ count: UInt64, _ depth: Int, _ start: Int) throws(CBORError) -> [CBORValue] {
    try checkDepth(depth, start)
    try checkCount(count, bytesEach: 1, start)
    var elements: [CBORValue] = []
    // The claim sizes no buffer: nested claims would multiply.
    for _ in 0..<count { elements.append(try item(depth: depth + 1)) }
    return elements
  }

  private mutating func map(_ count: UInt64, _ depth: Int, _ start: Int) throws(CBORError) -> CBORMap {
    try checkDepth(depth, start)
    try checkCount(count, bytesEach: 2, start)
    var map = CBORMap()
    var previous = offset..<offset
    for _ in 0..<count {
      let keyStart = offset
      let key = try item(depth: depth + 1)
      let range = keyStart..<offset
      if strict, !map.isEmpty, input[range].lexicographicallyPrecedes(input[previous]) {
        throw .unsortedKeys(offset: keyStart)
      }
      previous = range
      let value = try item(depth: depth + 1)
      guard map.insertNew(key, value) else { throw .duplicateKey(key, offset: keyStart) }
    }
    return map
  }

  private func checkDepth(_ depth: Int, _ start: Int) throws(CBORError) {
    guard depth < limits.depth else { throw .tooDeep(limit: limits.depth, offset: start) }
  }

  /// Refuses a claim that the bytes left cannot hold, or that the limit on items forbids.
  private func checkCount(_ count: UInt64, bytesEach: UInt64, _ start: Int) throws(CBORError) {
    guard count <= UInt64(remaining) / bytesEach else { throw .countExceedsInput(count, offset: start) }
    guard count * bytesEach <= UInt64(limits.items - items) else {
      throw .tooManyItems(limit: limits.items, offset: start)
    }
  }
}
