internal import CTAPMessages

/// Decides how a registration is carried out on a key, from facts alone.
struct RegistrationPlanner: Sendable {
  /// The rules to apply; a test leaves one out to see that something then goes wrong.
  var rules = PlanRule.allCases

  /// The plan for a key.
  /// - Throws: Why the key is no candidate.
  func plan(_ key: KeyFacts, _ wishes: KeyWishes) throws(KeyObjection) -> RegistrationPlan {
    var draft = PlanDraft()
    draft.pinServes = key.pin == true
    for rule in rules { try rule.apply(to: &draft, key, wishes) }
    draft.plan.verification = draft.verifies ? draft.method : .none
    return draft.plan
  }
}
