/// One parsed text: the bytes once, and a flat list of where every value lies.
///
/// Values come in the order of the text, children right behind their parent; an object's children are names and values
/// in turn. A node takes 20 bytes, so that even the densest text needs little memory.
final class JSONStorage: Sendable {
  struct Node {
    let kind: JSONValue.Kind
    let start: UInt32
    var end: UInt32
    /// The index of the node behind this one and all its children.
    var next: UInt32
    /// The index of the array or object around it; the root is its own parent.
    let parent: UInt32

    var range: Range<Int> { Int(start)..<Int(end) }
  }

  let bytes: [UInt8]
  let nodes: [Node]

  init(bytes: [UInt8], nodes: [Node]) {
    self.bytes = bytes
    self.nodes = nodes
  }
}
