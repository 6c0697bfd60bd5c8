import CBOR

/// A member of a message: the key that it has on the wire and the name that the specification gives it.
struct MemberKey: Sendable {
  let key: CBORValue
  let number: Int?
  let name: String

  /// A member with a number for a key.
  init(_ number: Int, _ name: String) {
    self.key = .int(number)
    self.number = number
    self.name = name
  }

  /// A member whose key is its name.
  init(_ name: String) {
    self.key = .text(name)
    self.number = nil
    self.name = name
  }
}
