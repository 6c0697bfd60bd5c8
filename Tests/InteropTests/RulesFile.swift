import Foundation

// The file of registration rules, and nothing of the library: what is expected of a registration must not be computed
// by the code that carries it out.

/// A value of a question, a step or an outcome.
enum RuleValue: Hashable, Sendable, Decodable, CustomStringConvertible {
  case flag(Bool)
  case number(Int)
  case text(String)
  case list([String])

  init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    if let flag = try? container.decode(Bool.self) {
      self = .flag(flag)
    } else if let number = try? container.decode(Int.self) {
      self = .number(number)
    } else if let text = try? container.decode(String.self) {
      self = .text(text)
    } else {
      self = .list(try container.decode([String].self))
    }
  }

  var description: String {
    switch self {
    case .flag(let flag): "\(flag)"
    case .number(let number): "\(number)"
    case .text(let text): text
    case .list(let list): "[\(list.joined(separator: ", "))]"
    }
  }
}

/// The file as it is written.
struct RulesFile: Decodable {
  struct Table: Decodable {
    let name: String
    /// Questions that take each of their values.
    let all: [String]
    /// Questions that take these values.
    let some: [String: [RuleValue]]
  }

  struct Rule: Decodable {
    let id: String
    let section: String
    let says: String
    let `if`: [String: RuleValues]
    let then: [String: RuleValue]
  }

  /// One value or a list of alternatives.
  struct RuleValues: Decodable {
    let values: [RuleValue]

    init(from decoder: any Decoder) throws {
      let container = try decoder.singleValueContainer()
      if let several = try? container.decode([RuleValue].self) {
        values = several
      } else {
        values = [try container.decode(RuleValue.self)]
      }
    }
  }

  let questions: [String: [RuleValue]]
  let usual: [String: RuleValue]
  let tables: [Table]
  let start: [String: RuleValue]
  let outcome: [String: RuleValue]
  let rules: [Rule]

  static func read() throws -> RulesFile {
    guard let url = Bundle.module.url(forResource: "Vectors/registration-rules", withExtension: "json") else {
      throw CocoaError(.fileNoSuchFile)
    }
    return try JSONDecoder().decode(RulesFile.self, from: Data(contentsOf: url))
  }
}
