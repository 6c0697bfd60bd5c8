/// One thing that takes bytes from outside. It may refuse them in any way that it documents, and must not trap.
struct FuzzTarget {
  typealias Body = @Sendable ([UInt8]) -> Void

  let name: String
  let body: Body

  init(_ name: String, _ body: @escaping Body) {
    self.name = name
    self.body = body
  }

  static let all = reports + values + messages + sessions + largeBlobs + requests + verification + keySide + files
}

/// Ends the run where something does not hold that must hold for every input.
func mustHold(_ condition: Bool, _ words: @autoclosure () -> String) {
  if !condition { fatalError(words()) }
}

/// Cuts an input into pieces, each behind its length in two bytes; the last one may be shorter than it says.
struct Pieces {
  private var rest: ArraySlice<UInt8>

  init(_ bytes: some Collection<UInt8>) { rest = ArraySlice(bytes) }

  mutating func byte() -> UInt8? { rest.popFirst() }

  mutating func next() -> [UInt8]? {
    guard rest.count >= 2 else { return nil }
    let length = Int(rest[rest.startIndex]) << 8 | Int(rest[rest.startIndex + 1])
    rest = rest.dropFirst(2)
    defer { rest = rest.dropFirst(length) }
    return Array(rest.prefix(length))
  }

  /// The next so many bytes, or fewer at the end; nil where there are none.
  mutating func next(_ count: Int) -> [UInt8]? {
    guard !rest.isEmpty else { return nil }
    defer { rest = rest.dropFirst(count) }
    return Array(rest.prefix(count))
  }
}
