/// A JSON text to be written; members keep their order.
public enum JSONOutput: Sendable {
  /// `null`.
  case null
  /// `true` or `false`.
  case bool(Bool)
  /// An integer.
  case int(Int)
  /// A string.
  case string(String)
  /// An array.
  case array([JSONOutput])
  /// An object, its members in this order.
  case object([(String, JSONOutput)])
  /// JSON text that is inserted byte for byte; the caller answers for its being JSON.
  case raw([UInt8])

  /// Writes the text as UTF-8, on one line without spaces, or indented by two spaces a level.
  ///
  /// Only quotation marks, backslashes and control characters below U+0020 are escaped. Raw text is never re-indented.
  public func serialized(pretty: Bool) -> [UInt8] {
    var writer = JSONTextWriter(pretty: pretty)
    writer.append(self)
    return writer.output
  }
}

extension JSONOutput: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByBooleanLiteral {
  /// Writes a string as a literal.
  public init(stringLiteral value: String) { self = .string(value) }

  /// Writes an integer as a literal.
  public init(integerLiteral value: Int) { self = .int(value) }

  /// Writes true or false as a literal.
  public init(booleanLiteral value: Bool) { self = .bool(value) }
}

extension JSONOutput: ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral {
  /// Writes an array as a literal.
  public init(arrayLiteral elements: JSONOutput...) { self = .array(elements) }

  /// Writes an object as a literal, its members in this order.
  public init(dictionaryLiteral elements: (String, JSONOutput)...) { self = .object(elements) }
}

private struct JSONTextWriter {
  private(set) var output: [UInt8] = []
  private let pretty: Bool
  private var level = 0

  init(pretty: Bool) { self.pretty = pretty }

  mutating func append(_ value: JSONOutput) {
    switch value {
    case .null: append("null")
    case .bool(let flag): append(flag ? "true" : "false")
    case .int(let number): append(String(number))
    case .string(let text): appendQuoted(text)
    case .raw(let text): output.append(contentsOf: text)
    case .array(let elements):
      appendList("[", elements, "]") { writer, element in writer.append(element) }
    case .object(let members):
      appendList("{", members, "}") { writer, member in
        writer.appendQuoted(member.0)
        writer.append(writer.pretty ? ": " : ":")
        writer.append(member.1)
      }
    }
  }

  private mutating func appendList<Item>(
    _ opening: String, _ items: [Item], _ closing: String, _ item: (inout JSONTextWriter, Item) -> Void
  ) {
    append(opening)
    level += 1
    for (position, element) in items.enumerated() {
      if position > 0 { append(",") }
      newLine()
      item(&self, element)
    }
    level -= 1
    if !items.isEmpty { newLine() }
    append(closing)
  }

  private mutating func newLine() {
    guard pretty else { return }
    append("\n")
    output.append(contentsOf: repeatElement(UInt8(ascii: " "), count: 2 * level))
  }

  private mutating func append(_ text: String) { output.append(contentsOf: text.utf8) }

  private mutating func appendQuoted(_ text: String) {
    append("\"")
    for byte in text.utf8 {
      switch byte {
      case UInt8(ascii: "\""), UInt8(ascii: "\\"): output.append(contentsOf: [UInt8(ascii: "\\"), byte])
      case 0x08: append("\\b")
      case 0x09: append("\\t")
      case 0x0a: append("\\n")
      case 0x0c: append("\\f")
      case 0x0d: append("\\r")
      case ..<0x20: append((byte < 0x10 ? "\\u000" : "\\u00") + String(byte, radix: 16))
      default: output.append(byte)
      }
    }
    append("\"")
  }
}
