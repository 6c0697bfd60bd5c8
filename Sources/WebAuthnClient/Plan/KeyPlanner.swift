internal import CTAPMessages

/// Decides how a ceremony is carried out on a key, from facts alone.
struct KeyPlanner: Sendable {
  /// The rules to apply, all of them for a registration; a test leaves one out to see that something then goes wrong.
  var rules = PlanRule.allCases

  /// Decides the same for an authentication: what concerns the credential is settled already.
  static let authentication = KeyPlanner(rules: PlanRule.allCases.filter(\.concernsAuthentication))

  /// Looks for what no key at all could satisfy, whatever it says of itself.
  /// - Throws: Why every key is the wrong one.
  func checkAnyKey(_ wishes: KeyWishes) throws(KeyObjection) {
    var draft = PlanDraft()
    for rule in rules where rule.concernsEveryKey { try rule.apply(to: &draft, KeyFacts(), wishes) }
  }

  /// The plan for a key.
  /// - Throws: Why the key is no candidate.
  func plan(_ key: KeyFacts, _ wishes: KeyWishes) throws(KeyObjection) -> KeyPlan {
    var draft = PlanDraft()
    draft.pinServes = key.pin == true
    for rule in rules {
      // Once U2F is settled on, what the key can do over CTAP2 is of no account.
      try rule.apply(to: &draft, draft.plan.usesU2F ? .overU2F : key, wishes)
    }
    draft.plan.verification = draft.verifies ? draft.method : .none
    return draft.plan
  }
}
