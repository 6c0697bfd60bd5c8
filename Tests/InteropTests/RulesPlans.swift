import CTAPMessages

@testable import WebAuthnClient

/// The plans of combinations, for choosing the registrations that are worth carrying out; no expectation rests on them.
struct RulesPlans: Sendable {
  enum Outcome: Hashable {
    case hopeless(KeyObjection)
    case plan(KeyPlan)
  }

  private let cases: [(key: KeyFacts, wishes: KeyWishes)]

  /// Reads the facts and the wishes of combinations, each that is different once.
  init(_ book: RulesBook, _ combinations: [RulesBook.Combination]) throws {
    var facts: [RulesBook.Combination: KeyFacts] = [:]
    var wishes: [RulesBook.Combination: KeyWishes] = [:]
    var cases: [(key: KeyFacts, wishes: KeyWishes)] = []
    for combination in combinations {
      let key = book.part("key.", of: combination)
      let request = book.part("request.", of: combination) + book.part("policy.", of: combination)
      let known = (facts[key], wishes[request])
      if let fact = known.0, let wish = known.1 {
        cases.append((fact, wish))
        continue
      }
      let answers = RulesAnswers(book, combination)
      let new = (known.0 ?? KeyFacts(RulesKey.info(answers)), try known.1 ?? Self.wishes(answers))
      (facts[key], wishes[request]) = new
      cases.append(new)
    }
    self.cases = cases
  }

  /// The combinations that two planners plan differently.
  func differences(_ one: KeyPlanner, _ other: KeyPlanner) -> [Int] {
    cases.indices.filter { Self.outcome(one, cases[$0]) != Self.outcome(other, cases[$0]) }
  }

  private static func outcome(_ planner: KeyPlanner, _ one: (key: KeyFacts, wishes: KeyWishes)) -> Outcome {
    do throws(KeyObjection) {
      try planner.checkAnyKey(one.wishes)
      return .plan(try planner.plan(one.key, one.wishes))
    } catch {
      return .hopeless(error)
    }
  }

  private static func wishes(_ answers: RulesAnswers) throws -> KeyWishes {
    var policy = AuthenticatorPolicy()
    if answers.flag("policy.enterprise") { policy.enterpriseAttestation = ["example.org": .platformManaged] }
    let options = try CreationOptions(parsing: Array(RulesRequest.json(answers).utf8))
    var wishes = KeyWishes(options, relyingPartyID: "example.org", policy: policy)
    wishes.u2f = answers.u2f
    return wishes
  }
}
