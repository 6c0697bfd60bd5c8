import Foundation

/// The rules made ready to be applied to many combinations: names and values are numbers here.
struct RulesBook: Sendable {
  /// One value, by its number, for each name, by its number.
  typealias Combination = [Int]

  struct Row: Sendable {
    let id: String
    let conditions: [(name: Int, values: [Int])]
    let consequences: [(name: Int, value: Int)]
    let isLast: Bool
  }

  private(set) var names: [String] = []
  private(set) var values: [RuleValue] = []
  private(set) var rows: [Row] = []
  /// The names of questions, then of outcomes.
  let questions: [String]
  let outcomes: [String]
  private let numbers: [String: Int]
  /// The usual answer to each question, and the first value of each step and outcome.
  private(set) var initial: Combination = []
  private var tables: [(name: String, axes: [(name: Int, values: [Int])])] = []

  init(_ file: RulesFile) throws {
    questions = file.questions.keys.sorted()
    outcomes = file.outcome.keys.sorted()
    names = questions + file.start.keys.sorted() + outcomes
    let names = names
    numbers = Dictionary(uniqueKeysWithValues: zip(names, names.indices))
    var known: [RuleValue: Int] = [:]
    var values: [RuleValue] = []
    func number(_ value: RuleValue) -> Int {
      if let number = known[value] { return number }
      values.append(value)
      known[value] = values.count - 1
      return values.count - 1
    }
    func name(_ name: String) throws -> Int {
      guard let number = names.firstIndex(of: name) else { throw RulesError("nothing is called \(name)") }
      return number
    }
    let first = file.usual.merging(file.start) { old, _ in old }.merging(file.outcome) { old, _ in old }
    for name in names {
      guard let value = first[name] else { throw RulesError("\(name) has no first value") }
      initial.append(number(value))
    }
    for rule in file.rules {
      var conditions: [(name: Int, values: [Int])] = []
      for (key, wanted) in rule.if {
        if let all = file.questions[key], let stray = wanted.values.first(where: { !all.contains($0) }) {
          throw RulesError("the rule \(rule.id) asks whether \(key) is \(stray), which it never is")
        }
        conditions.append((try name(key), wanted.values.map(number)))
      }
      rows.append(
        Row(
          id: rule.id, conditions: conditions,
          consequences: try rule.then.map { (try name($0.key), number($0.value)) },
          isLast: rule.then["error"] != nil))
    }
    for table in file.tables {
      var axes: [(name: Int, values: [Int])] = []
      for question in table.all {
        guard let all = file.questions[question] else { throw RulesError("there is no question \(question)") }
        axes.append((try name(question), all.map(number)))
      }
      for (question, some) in table.some.sorted(by: { $0.key < $1.key }) {
        guard let all = file.questions[question], some.allSatisfy(all.contains) else {
          throw RulesError("\(question) has not all of the values of the table \(table.name)")
        }
        axes.append((try name(question), some.map(number)))
      }
      tables.append((table.name, axes))
    }
    self.values = values
  }

  /// Each table's combinations of answers, the usual ones among them where a table does not vary a question.
  func combinations() -> [Combination] {
    var all: [Combination] = []
    var seen: Set<Combination> = []
    for table in tables {
      var some = [initial]
      for axis in table.axes {
        some = some.flatMap { one in
          axis.values.map { value in
            var next = one
            next[axis.name] = value
            return next
          }
        }
      }
      for one in some where seen.insert(one).inserted { all.append(one) }
    }
    return all
  }

  /// A combination of these answers and, for the rest, the usual ones.
  func combination(_ answers: [String: RuleValue]) -> Combination {
    var combination = initial
    for (name, value) in answers {
      guard let number = numbers[name], let known = values.firstIndex(of: value) else {
        preconditionFailure("\(name) is never \(value)")
      }
      combination[number] = known
    }
    return combination
  }

  /// The part of a combination whose names begin with a prefix, as something to tell it by.
  func part(_ prefix: String, of combination: Combination) -> Combination {
    questions.indices.filter { questions[$0].hasPrefix(prefix) }.map { combination[$0] }
  }

  /// The outcome's part of a judged combination.
  func outcome(_ judged: Combination) -> ArraySlice<Int> { judged[(names.count - outcomes.count)...] }

  /// The steps and the outcome of a combination of answers; `omitted` is a row that does not apply.
  func judged(_ combination: Combination, omitting omitted: Int? = nil) -> Combination {
    trace(combination, omitting: omitted).judged
  }

  /// The same with the rows that applied.
  func trace(_ combination: Combination, omitting omitted: Int? = nil) -> (judged: Combination, rows: [Int]) {
    var state = combination
    var applied: [Int] = []
    for (index, row) in rows.enumerated() where index != omitted {
      guard row.conditions.allSatisfy({ $0.values.contains(state[$0.name]) }) else { continue }
      for consequence in row.consequences { state[consequence.name] = consequence.value }
      applied.append(index)
      if row.isLast { break }
    }
    return (state, applied)
  }

  /// The value of a name.
  func value(_ name: String, in combination: Combination) -> RuleValue {
    guard let number = numbers[name] else { preconditionFailure("nothing is called \(name)") }
    return values[combination[number]]
  }

  /// The values of some names.
  func values(of names: [String], in combination: Combination) -> [String: RuleValue] {
    Dictionary(uniqueKeysWithValues: names.map { ($0, value($0, in: combination)) })
  }

  /// The answers that are not the usual ones, to tell a combination by.
  func words(_ combination: Combination) -> String {
    let unusual = questions.filter { name in numbers[name].map { combination[$0] != initial[$0] } ?? false }
    return unusual.map { "\($0) \(value($0, in: combination))" }.joined(separator: "; ")
  }
}

struct RulesError: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) {
    self.description = description
  }
}
