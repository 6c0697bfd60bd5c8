/// A value in a JSON text, which keeps the exact bytes it was written with.
///
/// All values of a text share one buffer. Where members have the same name the last one counts, as in JavaScript.
/// Names are compared by code points after their escapes are resolved; a name with an unpaired surrogate matches
/// nothing.
public struct JSONValue: Sendable {
  /// The kinds of values.
  public enum Kind: UInt8, Hashable, Sendable {
    /// `null`.
    case null
    /// `true` or `false`.
    case bool
    /// A number.
    case number
    /// A string.
    case string
    /// An array.
    case array
    /// An object.
    case object
  }

  let storage: JSONStorage
  let index: Int

  var node: JSONStorage.Node { storage.nodes[index] }

  /// The kind of value.
  public var kind: Kind { node.kind }

  /// Where the value stands in the text, in bytes from its start, without white space around it.
  public var sourceRange: Range<Int> { node.range }

  /// The bytes the value was written with, white space inside it included.
  public var source: [UInt8] { Array(sourceSlice) }

  var sourceSlice: ArraySlice<UInt8> { storage.bytes[node.range] }

  /// Whether the value is `null`.
  public var isNull: Bool { kind == .null }

  /// True or false; nil for other kinds.
  public var boolValue: Bool? {
    kind == .bool ? sourceSlice.first == UInt8(ascii: "t") : nil
  }

  /// The characters of a string; nil for other kinds and where a surrogate has no partner.
  public var stringValue: String? {
    kind == .string ? JSONEscape.resolve(stringContent) : nil
  }

  /// What stands between the quotation marks.
  var stringContent: ArraySlice<UInt8> { sourceSlice.dropFirst().dropLast() }

  /// The elements of an array in order; nil for other kinds.
  public var elements: [JSONValue]? {
    guard kind == .array else { return nil }
    var elements: [JSONValue] = []
    var child = index + 1
    while child < node.next {
      elements.append(JSONValue(storage: storage, index: child))
      child = Int(storage.nodes[child].next)
    }
    return elements
  }

  /// The members of an object in order, duplicates included; nil for other kinds.
  ///
  /// An unpaired surrogate in a name shows as U+FFFD.
  public var members: [(name: String, value: JSONValue)]? {
    guard kind == .object else { return nil }
    var members: [(name: String, value: JSONValue)] = []
    forEachMember { name, value in members.append((name.displayedString, value)) }
    return members
  }

  /// The value of the last member with a name; nil where there is none and for other kinds.
  public subscript(name: String) -> JSONValue? {
    var found: JSONValue?
    forEachMember { candidate, value in
      if candidate.isString(name) { found = value }
    }
    return found
  }

  /// The values of all members with a name, in order; more than one means that the name is duplicated.
  public func duplicates(of name: String) -> [JSONValue] {
    var found: [JSONValue] = []
    forEachMember { candidate, value in
      if candidate.isString(name) { found.append(value) }
    }
    return found
  }

  private func forEachMember(_ body: (_ name: JSONValue, _ value: JSONValue) -> Void) {
    guard kind == .object else { return }
    let end = node.next
    var child = index + 1
    while child < end {
      let value = JSONValue(storage: storage, index: child + 1)
      body(JSONValue(storage: storage, index: child), value)
      child = Int(value.node.next)
    }
  }

  /// The string with U+FFFD for unpaired surrogates.
  var displayedString: String { JSONEscape.resolve(stringContent, replacement: "\u{fffd}") ?? "" }

  private func isString(_ text: String) -> Bool {
    let content = stringContent
    guard content.contains(UInt8(ascii: "\\")) else { return content.elementsEqual(text.utf8) }
    return JSONEscape.resolve(content).map { $0.utf8.elementsEqual(text.utf8) } ?? false
  }
}
