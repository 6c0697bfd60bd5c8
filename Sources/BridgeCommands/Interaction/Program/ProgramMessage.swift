import Octets

/// One line from the program at the other end: an answer, or the wish to stop.
enum ProgramMessage: Sendable {
  case cancel
  case answer(id: Int, Value)

  /// The value of an answer; text stays in memory that is zeroed, because it may be a PIN.
  enum Value: Sendable {
    case null
    case bool(Bool)
    case integer(Int)
    case text(SecretBytes)
  }

  /// Reads a line: one JSON object (RFC 8259) whose members are no arrays and no objects.
  ///
  /// Members that are not known are skipped, so that a later version may add some.
  init(parsing line: UnsafeRawBufferPointer) throws(ProgramMessageError) {
    var parser = FlatObjectParser(line)
    var members: [Name: Value] = [:]
    try parser.forEachMember { (name, value) throws(ProgramMessageError) in
      guard let name = Name(name) else { return }
      guard members.updateValue(value, forKey: name) == nil else {
        throw ProgramMessageError("The member \"\(name.rawValue)\" is given twice.")
      }
    }
    switch members[.type] {
    case .text(let type) where type.equals("cancel"): self = .cancel
    case .text(let type) where type.equals("answer"):
      guard case .integer(let id) = members[.id] else {
        throw ProgramMessageError("An answer has an \"id\", the number of its question.")
      }
      guard let value = members[.value] else { throw ProgramMessageError("An answer has a \"value\".", id: id) }
      self = .answer(id: id, value)
    default: throw ProgramMessageError("A line has the \"type\" answer or cancel.")
    }
  }

  private enum Name: String, CaseIterable {
    case type, id, value

    init?(_ secret: SecretBytes) {
      guard let name = Name.allCases.first(where: { secret.equals($0.rawValue) }) else { return nil }
      self = name
    }
  }
}

/// Why a line from the program is not taken; it never quotes the line, which may hold a PIN.
struct ProgramMessageError: Error, Equatable {
  let reason: String
  /// The question that was meant, where that can be told.
  let id: Int?

  init(_ reason: String, id: Int? = nil) {
    self.reason = reason
    self.id = id
  }
}

extension SecretBytes {
  /// Whether the bytes are a text that is no secret.
  fileprivate func equals(_ text: StaticString) -> Bool { equals("\(text)") }

  fileprivate func equals(_ text: String) -> Bool { withBytes { $0.elementsEqual(text.utf8) } }
}
