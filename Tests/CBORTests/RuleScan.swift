import CBOR

/// An independent reading of the rules: the well-formedness check of RFC 8949, Appendix C, which notes what else it sees.
struct RuleScan {
  enum Rule: Hashable {
    case indefinite, nonMinimal, unsorted, duplicate, tag, unassigned, invalidUTF8, tooDeep,
      hugeClaim
  }

  struct Malformed: Error {}

  private let input: [UInt8]
  private(set) var offset = 0
  private(set) var rules: Set<Rule> = []
  private(set) var isWellFormed = false

  init(_ input: [UInt8]) {
    self.input = input
    isWellFormed = (try? item(depth: 0, breakable: false)) != nil
  }

  /// Reads one item; true means that it was a break.
  private mutating func item(depth: Int, breakable: Bool) throws -> Bool {
    let initial = try take(1).first ?? 0
    let (major, information) = (initial >> 5, initial & 0x1f)
    var argument = UInt64(information)
    switch information {
    case 24...27:
      let width = 1 << (information - 24)
      argument = try take(width).reduce(0) { $0 << 8 | UInt64($1) }
      let least: UInt64 = width == 1 ? 24 : 1 << (width * 4)
      if major != 7 && argument < least { rules.insert(.nonMinimal) }
    case 28...30: throw Malformed()
    case 31: return try indefinite(major, depth, breakable)
    default: break
    }
    switch major {
    case 2: _ = try take(argument)
    case 3:
      let content = try take(argument)
      if String(validating: content, as: UTF8.self) == nil { rules.insert(.invalidUTF8) }
    case 4:
      try open(depth, argument, 1)
      for _ in 0..<argument { _ = try item(depth: depth + 1, breakable: false) }
    case 5:
      try open(depth, argument, 2)
      var keys: [[UInt8]] = []
      for _ in 0..<argument { try entry(depth, &keys) }
    case 6:
      rules.insert(.tag)
      if argument >= 6 && argument <= 20 && information < 24 { rules.insert(.unassigned) }
      try open(depth, 1, 1)
      _ = try item(depth: depth + 1, breakable: false)
    case 7 where information == 24:
      guard argument >= 32 else { throw Malformed() }
      rules.insert(.unassigned)
    case 7 where information < 20: rules.insert(.unassigned)
    default: break
    }
    return false
  }

  private mutating func indefinite(_ major: UInt8, _ depth: Int, _ breakable: Bool) throws -> Bool {
    switch major {
    case 2, 3:
      while try peek() != 0xff {
        guard try peek() >> 5 == major, try peek() & 0x1f != 31 else {
          // libcbor makes room for an array or a map before it sees that it may not stand here.
          if try [4, 5].contains(peek() >> 5) { _ = try? item(depth: depth + 1, breakable: false) }
          throw Malformed()
        }
        _ = try item(depth: depth + 1, breakable: false)
      }
      offset += 1
    case 4:
      try open(depth, 0, 1)
      while try !item(depth: depth + 1, breakable: true) {}
    case 5:
      try open(depth, 0, 2)
      while try !item(depth: depth + 1, breakable: true) {
        _ = try item(depth: depth + 1, breakable: false)
      }
    case 7:
      guard breakable else { throw Malformed() }
      return true
    default: throw Malformed()
    }
    rules.insert(.indefinite)
    return false
  }

  private mutating func entry(_ depth: Int, _ keys: inout [[UInt8]]) throws {
    let start = offset
    _ = try item(depth: depth + 1, breakable: false)
    let key = Array(input[start..<offset])
    if let last = keys.last, key.lexicographicallyPrecedes(last) { rules.insert(.unsorted) }
    // Keys in different forms are the same key, so the values are compared where there are any.
    let value = try? CBORDecoder.decode(key)
    if keys.contains(where: {
      $0 == key || (value != nil && (try? CBORDecoder.decode($0)) == value)
    }) {
      rules.insert(.duplicate)
    }
    keys.append(key)
    _ = try item(depth: depth + 1, breakable: false)
  }

  private mutating func open(_ depth: Int, _ count: UInt64, _ bytesEach: UInt64) throws {
    if depth >= CBORLimits.standard.depth { rules.insert(.tooDeep) }
    guard count <= UInt64(input.count - offset) / bytesEach else {
      rules.insert(.hugeClaim)
      throw Malformed()
    }
  }

  private func peek() throws -> UInt8 {
    guard offset < input.count else { throw Malformed() }
    return input[offset]
  }

  private mutating func take(_ count: some BinaryInteger) throws -> ArraySlice<UInt8> {
    guard let count = Int(exactly: count), count <= input.count - offset else { throw Malformed() }
    defer { offset += count }
    return input[offset..<offset + count]
  }
}
