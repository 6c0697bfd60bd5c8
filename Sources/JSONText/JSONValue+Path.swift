extension JSONValue {
  /// The way from the root to the value for messages, such as `rp.id` or `pubKeyCredParams[2].alg`.
  ///
  /// The root's path is empty. Names that are no identifiers stand in brackets and quotation marks, and long ones are
  /// shortened, so that a message stays one line.
  public var path: String {
    var steps: [String] = []
    var current = self
    while current.index > 0 {
      let parent = JSONValue(storage: storage, index: Int(current.node.parent))
      steps.append(parent.kind == .array ? "[\(parent.position(of: current))]" : current.nameStep)
      current = parent
    }
    let path = steps.reversed().joined()
    return path.hasPrefix(".") ? String(path.dropFirst()) : path
  }

  /// How many elements of the array come before a child.
  private func position(of child: JSONValue) -> Int {
    var position = 0
    var candidate = index + 1
    while candidate < child.index {
      candidate = Int(storage.nodes[candidate].next)
      position += 1
    }
    return position
  }

  /// The step to a member: its name is the node in front of it.
  private var nameStep: String {
    let name = JSONValue(storage: storage, index: index - 1).displayedString
    let shown = name.count > Self.longestShownName ? String(name.prefix(Self.longestShownName - 1)) + "…" : name
    guard Self.isIdentifier(name) else {
      return "[" + Self.quoted(shown) + "]"
    }
    return "." + shown
  }

  private static func isIdentifier(_ name: String) -> Bool {
    guard let first = name.utf8.first, !(UInt8(ascii: "0")...UInt8(ascii: "9")).contains(first) else { return false }
    return name.utf8.allSatisfy { byte in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
      case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "-"), UInt8(ascii: "$"): true
      default: false
      }
    }
  }

  /// The name as a JSON string in which a terminal finds no control characters.
  private static func quoted(_ name: String) -> String {
    String(decoding: JSONOutput.string(name).serialized(pretty: false), as: UTF8.self).unicodeScalars
      .reduce(into: "") { text, scalar in
        text += (0x7f...0x9f).contains(scalar.value) ? "\\u00" + String(scalar.value, radix: 16) : String(scalar)
      }
  }

  private static let longestShownName = 48
}
