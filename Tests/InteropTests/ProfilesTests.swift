import Testing

/// The virtual key dressed as each certified key: a registration ends with a response, or with the error that the key's
/// own limits make right, by the same file of rules as the combinations.
@Suite("registrations on certified keys")
struct ProfilesTests {
  @Test("each of the 240 keys registers, or fails for the reason that its record gives")
  func everyKey() async throws {
    let book = try RulesBook(RulesFile.read())
    let records = try ProfilesRecord.all.get()
    #expect(records.count == 240)
    let results = try await withThrowingTaskGroup(of: [Result].self) { group in
      let lanes = 4
      for lane in 0..<lanes {
        group.addTask {
          var results: [Result] = []
          for index in stride(from: lane, to: records.count, by: lanes) {
            results += try await Self.results(records[index], book)
          }
          return results
        }
      }
      return try await group.reduce(into: []) { $0 += $1 }
    }
    let misses = results.filter { !$0.differences.isEmpty }
    for miss in misses.prefix(12) { Issue.record("\(miss.name): \(miss.differences.joined(separator: "; "))") }
    #expect(misses.isEmpty, "\(misses.count) of \(results.count)")
    for (column, expected) in Self.summary {
      let counts = Dictionary(grouping: results.filter { $0.column == column }, by: \.outcome).mapValues(\.count)
      #expect(counts == expected, "\(column)")
    }
    #expect(Set(results.map(\.column)) == Set(Self.summary.keys))
  }

  private static let unsuitable = "NotAllowedError, noSuitableKey"
  private static let mustChange = "NotAllowedError, pinMustChange"
  private static let missing = "NotAllowedError, pinMissing"
  private static let excluded = "InvalidStateError, credentialExcluded"
  private static let unsupported = "NotSupportedError, keyRefused"

  /// How many of the 240 end how: for people, who cannot see it from the rules.
  ///
  /// 74 have a PIN that is needed, another one's must be changed where it is needed; 26 always verify and have nothing set up for it; 14
  /// store no discoverable credentials; 120 cannot verify as they are; 118 name algorithms without EdDSA, 62 name none.
  private static let summary: [String: [String: Int]] = [
    "usual, PIN": ["response": 214, unsuitable: 26],
    "usual, no PIN": ["response": 140, missing: 74, unsuitable: 26],
    "discoverable, PIN": ["response": 199, unsuitable: 40, mustChange: 1],
    "discoverable, no PIN": ["response": 125, missing: 74, unsuitable: 40, mustChange: 1],
    "verified, PIN": ["response": 119, unsuitable: 120, mustChange: 1],
    "verified, no PIN": ["response": 45, missing: 74, unsuitable: 120, mustChange: 1],
    "edDSA, PIN": ["response": 39, unsuitable: 140, unsupported: 61],
    "edDSA, no PIN": ["response": 31, missing: 32, unsuitable: 140, unsupported: 37],
    "excludingOthers, PIN": ["response": 214, unsuitable: 26],
    "excludingOthers, no PIN": ["response": 140, missing: 74, unsuitable: 26],
    "excludingItsOwn, PIN": [excluded: 214, unsuitable: 26],
    "excludingItsOwn, no PIN": [excluded: 140, missing: 74, unsuitable: 26],
  ]

  private struct Result: Sendable {
    let name: String
    let column: String
    let outcome: String
    let differences: [String]
  }

  private static func results(_ record: ProfilesRecord, _ book: RulesBook) async throws -> [Result] {
    let bench = try RulesBench(record.configuration())
    var results: [Result] = []
    var own: [UInt8] = [1]
    for request in ProfilesRequest.allCases {
      for pin in [ProfilesRecord.pin, nil] {
        let seen = try await bench.register(request.json(own: own), pin: pin)
        if let id = seen.credentialID { own = id }
        let expectation = expectation(request, pin: pin, record, book)
        var differences = expectation.differences(from: seen, lookingAside: request.hasList)
        for message in bench.wire.messages() where message.payload.count > record.maxMsgSize {
          differences.append("\(message.name) has \(message.payload.count) bytes")
        }
        let column = request.rawValue + (pin == nil ? ", no PIN" : ", PIN")
        results.append(
          Result(
            name: "\(record.description), \(column)", column: column, outcome: expectation.words,
            differences: differences))
      }
    }
    return results
  }

  private static func expectation(
    _ request: ProfilesRequest, pin: String?, _ record: ProfilesRecord, _ book: RulesBook
  ) -> RulesExpectation {
    var answers = record.answers.merging(request.answers) { $1 }
    answers["user.pin"] = .text(pin == nil ? "not given" : "given")
    var expectation = RulesExpectation(book, book.judged(book.combination(answers)))
    // The rules know two algorithms; the credential's is the first of the request that the key names.
    let named = record.algorithms ?? [-7]
    if let algorithm = request.algorithms.first(where: named.contains) {
      expectation.outcome["algorithm"] = .number(algorithm)
    }
    return expectation
  }
}
