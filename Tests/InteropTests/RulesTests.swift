import Foundation
import Testing

@testable import WebAuthnClient

/// Registrations with every combination of options, held against the file of rules.
@Suite("registration rules")
struct RulesTests {
  private static let cases = Result { () throws -> (book: RulesBook, combinations: [RulesBook.Combination]) in
    let book = try RulesBook(RulesFile.read())
    return (book, book.combinations())
  }
  private static let plans = Result { try RulesPlans(cases.get().book, cases.get().combinations) }

  @Test("a registration with any combination of options does what the rules say")
  func everyCombination() async throws {
    let (book, combinations) = try Self.cases.get()
    #expect(combinations.count > 9000)
    // A run under a sanitizer, which takes ten times as long, may do with a share of them.
    let step = ProcessInfo.processInfo.environment["CTAPBRIDGE_ONE_COMBINATION_OF"].flatMap { Int($0) } ?? 1
    let chosen = stride(from: 0, to: combinations.count, by: max(step, 1)).map { combinations[$0] }
    let misses = try await Self.misses(book, chosen)
    // One miss tells more than a thousand of the same kind.
    for miss in misses.prefix(12) { Issue.record("\(miss)") }
    #expect(misses.isEmpty, "\(misses.count) of \(chosen.count)")
  }

  @Test("each row of the file decides about some combination")
  func rowsMatter() throws {
    let (book, combinations) = try Self.cases.get()
    var idle = Set(book.rows.indices)
    for combination in combinations where !idle.isEmpty {
      let (whole, rows) = book.trace(combination)
      for row in rows where idle.contains(row) {
        let part = book.judged(combination, omitting: row)
        guard book.outcome(part) != book.outcome(whole) else { continue }
        let words = [part, whole].map { RulesExpectation(book, $0).differences(from: nil) }
        if words[0] != words[1] { idle.remove(row) }
      }
    }
    #expect(idle.isEmpty, "\(idle.map { book.rows[$0].id })")
  }

  @Test("a planner without any one of its rules breaks the rules of the file", arguments: PlanRule.allCases)
  func everyPlanRuleMatters(_ rule: PlanRule) async throws {
    let (book, combinations) = try Self.cases.get()
    var maimed = KeyPlanner()
    maimed.rules.removeAll { $0 == rule }
    let candidates = try Self.plans.get().differences(KeyPlanner(), maimed)
    for index in candidates.prefix(20) {
      if try await !Self.misses(book, [combinations[index]], planner: maimed).isEmpty { return }
    }
    Issue.record("without \(rule) whatever is planned differently ends as it should, \(candidates.count) combinations")
  }

  private static func misses(
    _ book: RulesBook, _ combinations: [RulesBook.Combination], planner: KeyPlanner = KeyPlanner()
  ) async throws -> [String] {
    // One key serves all combinations that describe the same one; each ceremony has a thread, so few run at a time.
    let keys = Array(Dictionary(grouping: combinations) { book.part("key.", of: $0) }.values)
    return try await withThrowingTaskGroup(of: [String].self) { group in
      let lanes = 4
      for lane in 0..<min(lanes, keys.count) {
        group.addTask {
          var misses: [String] = []
          for key in stride(from: lane, to: keys.count, by: lanes) {
            let bench = try RulesBench(RulesKey.configuration(RulesAnswers(book, keys[key][0])))
            for combination in keys[key] {
              let differences = try await bench.differences(book, combination, planner).joined(separator: "; ")
              if !differences.isEmpty { misses.append("\(book.words(combination)): \(differences)") }
            }
          }
          return misses
        }
      }
      return try await group.reduce(into: []) { $0 += $1 }
    }
  }
}

extension RulesAnswers {
  init(_ book: RulesBook, _ combination: RulesBook.Combination) {
    self.init(values: book.values(of: book.questions, in: combination))
  }

  var u2f: U2FUse { U2FUse(rawValue: text("policy.u2f")) ?? .automatic }
}

extension RulesBench {
  /// Carries out the registration that a combination describes, and says what is not as the rules have it.
  func differences(
    _ book: RulesBook, _ combination: RulesBook.Combination, _ planner: KeyPlanner
  ) async throws -> [String] {
    let answers = RulesAnswers(book, combination)
    let pin = answers.text("user.pin") == "given" ? RulesKey.pin : nil
    let list = answers.text("request.excludeList")
    var own: [UInt8] = []
    if list.hasPrefix("its own") {
      own = try #require(await register(RulesRequest.plain, pin: pin).credentialID)
    }
    let request = RulesRequest.json(answers, excluded: RulesRequest.excluded(list, own: own))
    let seen = try await register(
      request, pin: pin, allowsEnterprise: answers.flag("policy.enterprise"), u2f: answers.u2f, planner: planner)
    let expected = RulesExpectation(book, book.judged(combination))
    return expected.differences(from: seen)
  }
}
