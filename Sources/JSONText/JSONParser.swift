/// The grammar of RFC 8259, one method a rule; notes where values lie and converts nothing.
struct JSONParser {
  private(set) var nodes: [JSONStorage.Node] = []

  private let bytes: [UInt8]
  private let limits: JSONLimits
  private var offset = 0

  init(_ bytes: [UInt8], limits: JSONLimits) {
    self.bytes = bytes
    self.limits = limits
  }

  mutating func document() throws(JSONParseError) {
    if bytes.starts(with: [0xef, 0xbb, 0xbf]) || bytes.starts(with: [0xff, 0xfe]) || bytes.starts(with: [0xfe, 0xff]) {
      throw failure(.byteOrderMark)
    }
    skipWhiteSpace()
    try value(parent: 0, depth: 0)
    skipWhiteSpace()
    guard offset == bytes.count else { throw failure(.trailingContent) }
  }

  private mutating func value(parent: Int, depth: Int) throws(JSONParseError) {
    switch peek() {
    case UInt8(ascii: "{"): try object(parent, depth)
    case UInt8(ascii: "["): try array(parent, depth)
    case UInt8(ascii: "\""): try string(parent)
    case UInt8(ascii: "t"): try literal("true", .bool, parent)
    case UInt8(ascii: "f"): try literal("false", .bool, parent)
    case UInt8(ascii: "n"): try literal("null", .null, parent)
    case let byte where byte == UInt8(ascii: "-") || isDigit(byte): try number(parent)
    default: throw unexpected("a value")
    }
  }

  private mutating func object(_ parent: Int, _ depth: Int) throws(JSONParseError) {
    let index = try openContainer(.object, parent, depth)
    skipWhiteSpace()
    if !take(UInt8(ascii: "}")) {
      guard peek() == UInt8(ascii: "\"") else { throw unexpected("a member name or '}'") }
      repeat {
        skipWhiteSpace()
        guard peek() == UInt8(ascii: "\"") else { throw unexpected("a member name") }
        try string(index)
        skipWhiteSpace()
        guard take(UInt8(ascii: ":")) else { throw unexpected("':'") }
        skipWhiteSpace()
        try value(parent: index, depth: depth + 1)
        skipWhiteSpace()
      } while take(UInt8(ascii: ","))
      guard take(UInt8(ascii: "}")) else { throw unexpected("',' or '}'") }
    }
    close(index)
  }

  private mutating func array(_ parent: Int, _ depth: Int) throws(JSONParseError) {
    let index = try openContainer(.array, parent, depth)
    skipWhiteSpace()
    if !take(UInt8(ascii: "]")) {
      repeat {
        skipWhiteSpace()
        try value(parent: index, depth: depth + 1)
        skipWhiteSpace()
      } while take(UInt8(ascii: ","))
      guard take(UInt8(ascii: "]")) else { throw unexpected("',' or ']'") }
    }
    close(index)
  }

  private mutating func literal(
    _ text: StaticString, _ kind: JSONValue.Kind, _ parent: Int
  ) throws(JSONParseError) {
    let index = try open(kind, parent)
    for position in 0..<text.utf8CodeUnitCount {
      guard take(text.utf8Start[position]) else { throw unexpected("'\(text)'") }
    }
    close(index)
  }

  private mutating func number(_ parent: Int) throws(JSONParseError) {
    let index = try open(.number, parent)
    _ = take(UInt8(ascii: "-"))
    if take(UInt8(ascii: "0")) {
      if isDigit(peek()) { throw failure(.leadingZero) }
    } else {
      try digits()
    }
    if take(UInt8(ascii: ".")) { try digits() }
    if take(UInt8(ascii: "e")) || take(UInt8(ascii: "E")) {
      if !take(UInt8(ascii: "+")) { _ = take(UInt8(ascii: "-")) }
      try digits()
    }
    close(index)
  }

  private mutating func digits() throws(JSONParseError) {
    guard isDigit(peek()) else { throw unexpected("a digit") }
    repeat { offset += 1 } while isDigit(peek())
  }

  private mutating func string(_ parent: Int) throws(JSONParseError) {
    let index = try open(.string, parent)
    offset += 1
    while true {
      switch peek() {
      case nil: throw unexpected("'\"'")
      case UInt8(ascii: "\""):
        offset += 1
        return close(index)
      case UInt8(ascii: "\\"): try escape()
      case .some(let byte) where byte < 0x20: throw failure(.controlCharacter(byte))
      case .some(let byte) where byte < 0x80: offset += 1
      default:
        guard let length = UTF8Sequence.length(in: bytes, at: offset) else { throw failure(.invalidUTF8) }
        offset += length
      }
    }
  }

  private mutating func escape() throws(JSONParseError) {
    let start = offset
    offset += 1
    guard let kind = peek() else { throw unexpected("an escape") }
    offset += 1
    switch kind {
    case UInt8(ascii: "u"):
      for _ in 0..<4 {
        guard let digit = peek() else { throw unexpected("a hexadecimal digit") }
        guard JSONEscape.hexDigit(digit) != nil else { throw failure(.invalidEscape, at: start) }
        offset += 1
      }
    default:
      guard JSONEscape.character(kind) != nil else { throw failure(.invalidEscape, at: start) }
    }
  }

  // MARK: Nodes

  private mutating func openContainer(
    _ kind: JSONValue.Kind, _ parent: Int, _ depth: Int
  ) throws(JSONParseError) -> Int {
    guard depth < limits.depth else { throw failure(.tooDeep(limit: limits.depth)) }
    let index = try open(kind, parent)
    offset += 1
    return index
  }

  private mutating func open(_ kind: JSONValue.Kind, _ parent: Int) throws(JSONParseError) -> Int {
    guard nodes.count < limits.values else { throw failure(.tooManyValues(limit: limits.values)) }
    let start = UInt32(offset)
    nodes.append(JSONStorage.Node(kind: kind, start: start, end: start, next: 0, parent: UInt32(parent)))
    return nodes.count - 1
  }

  private mutating func close(_ index: Int) {
    nodes[index].end = UInt32(offset)
    nodes[index].next = UInt32(nodes.count)
  }

  // MARK: Bytes

  private func peek() -> UInt8? { offset < bytes.count ? bytes[offset] : nil }

  private func isDigit(_ byte: UInt8?) -> Bool {
    guard let byte else { return false }
    return byte >= UInt8(ascii: "0") && byte <= UInt8(ascii: "9")
  }

  private mutating func take(_ byte: UInt8) -> Bool {
    guard peek() == byte else { return false }
    offset += 1
    return true
  }

  private mutating func skipWhiteSpace() {
    while let byte = peek(), byte == 0x20 || byte == 0x0a || byte == 0x0d || byte == 0x09 { offset += 1 }
  }

  private func unexpected(_ expected: String) -> JSONParseError {
    failure(peek().map { .unexpected($0, expected: expected) } ?? .unexpectedEnd(expected: expected))
  }

  private func failure(_ what: JSONParseError.What, at position: Int? = nil) -> JSONParseError {
    JSONParseError(what, at: position ?? offset, in: bytes)
  }
}
