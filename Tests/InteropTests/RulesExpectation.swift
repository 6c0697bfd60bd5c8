/// What the rules say of a registration, to hold against what was seen of one.
struct RulesExpectation {
  private static let exchange = ["opening", "verifying", "looking", "making"]
  private static let request = [
    "rk", "uv", "pinUvAuthParam", "pinUvAuthProtocol", "enterpriseAttestation", "attestationFormatsPreference",
  ]
  private static let result = ["format", "verifiedFlag", "algorithm"]
  private static let always = ["error", "kind", "permissions", "tokenIsFor"]

  var outcome: [String: RuleValue]

  init(_ book: RulesBook, _ judged: RulesBook.Combination) {
    outcome = book.values(of: book.outcomes, in: judged)
  }

  /// The messages from the host in their order.
  var messages: [String] {
    Self.exchange.flatMap { part in
      if case .list(let messages)? = outcome[part] { messages } else { [String]() }
    }
  }

  /// The outcomes that can be seen: of the request only where one is sent, of the result only where there is one.
  private var visible: [String] {
    Self.always + (outcome["making"] == .list([]) ? [] : Self.request)
      + (outcome["error"] == .text("none") ? Self.result : [])
  }

  /// The error and its kind, or that there is none.
  var words: String {
    outcome["error"] == .text("none")
      ? "response" : ["error", "kind"].compactMap { outcome[$0]?.description }.joined(separator: ", ")
  }

  /// What is not as the rules say, in words; all that they say where there is nothing to compare with.
  ///
  /// `lookingAside` passes over how an exclude list was looked through, which depends on its sizes and the key's.
  func differences(from seen: RulesBench.Observation?, lookingAside: Bool = false) -> [String] {
    var seen = seen
    if lookingAside {
      let looks = seen?.exchange.count { $0 == "getAssertion" } ?? 0
      seen?.exchange.removeAll { $0 == "getAssertion" }
      seen?.transactions -= looks
      if looks > 0 && outcome["permissions"] == .text("mc") && seen?.outcome["permissions"] == .text("mc ga") {
        seen?.outcome["permissions"] = .text("mc")
      }
    }
    var words: [String] = []
    for name in visible where seen == nil || seen?.outcome[name] != outcome[name] {
      words.append("\(name) \(seen?.outcome[name]?.description ?? "unseen"), not \(outcome[name]?.description ?? "")")
    }
    if messages != seen?.exchange {
      let sent = seen?.exchange.joined(separator: ", ") ?? "nothing"
      words.append("sent \(sent), not \(messages.joined(separator: ", "))")
    }
    if let seen, seen.transactions != messages.count { words.append("the key counted \(seen.transactions)") }
    if let seen, !words.isEmpty, !seen.reason.isEmpty { words.append("because: \(seen.reason)") }
    return words
  }
}
