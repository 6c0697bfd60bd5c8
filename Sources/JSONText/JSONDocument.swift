/// A JSON text (RFC 8259) that was read once and whose values know where they stand in it.
public struct JSONDocument: Sendable {
  /// The value that the text is.
  public let root: JSONValue

  /// Reads a text, which must be UTF-8 without a byte order mark and hold one value and white space.
  ///
  /// Duplicate members and unpaired surrogate escapes pass, as RFC 8259 leaves both open; see `JSONValue`.
  public init(parsing bytes: [UInt8], limits: JSONLimits = .standard) throws(JSONParseError) {
    guard bytes.count <= limits.size else {
      throw JSONParseError(.tooLarge(count: bytes.count, limit: limits.size), at: 0, in: bytes)
    }
    var parser = JSONParser(bytes, limits: limits)
    try parser.document()
    root = JSONValue(storage: JSONStorage(bytes: bytes, nodes: parser.nodes), index: 0)
  }
}

extension JSONValue {
  /// Reads a text that is in a string.
  public static func parse(
    _ text: String, limits: JSONLimits = .standard
  ) throws(JSONParseError) -> JSONValue {
    try JSONDocument(parsing: Array(text.utf8), limits: limits).root
  }
}
