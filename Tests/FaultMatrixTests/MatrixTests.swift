import FaultJudge
import Synchronization
import Testing

@testable import FaultMatrix

@Suite("The fault matrix")
struct MatrixTests {
  /// The kinds that can happen only in one direction.
  static let oneWay: [FaultGroup: Direction] = [
    .duplicatedFromKey: .fromKey, .duplicatedToKey: .toKey, .busyAWhile: .toKey, .busyForEver: .toKey,
    .unknownKeepAlive: .fromKey, .staleInit: .fromKey, .staleReply: .fromKey, .misplacedAnswer: .fromKey,
    .cancelledAnswer: .fromKey,
  ]

  @Test("every kind of fault happens in every direction it can, at every report", arguments: Ceremony.all.map(\.name))
  func complete(_ name: String) async throws {
    let ceremony = try #require(Ceremony.all.first { $0.name == name })
    let run = try await Run(ceremony, nil, undisturbed: nil, isTracing: true)
    let catalogue = Catalogue(run.trace, bits: 4)
    let faults = catalogue.faults
    #expect(Set(faults.map(\.name)).count == faults.count)
    let hasLongRequests = catalogue.places.contains { place in
      place.direction == .toKey && place.report[4] < 0x80
    }
    for group in FaultGroup.allCases where group != .undisturbed {
      for direction in Direction.allCases where Self.oneWay[group].map({ $0 == direction }) ?? true {
        if group == .wrongSequence, direction == .toKey, !hasLongRequests { continue }
        #expect(faults.contains { $0.group == group && $0.direction == direction }, "\(group) \(direction)")
      }
    }
    for place in catalogue.places {
      for group in [FaultGroup.dropped, .delayed, .truncated, .flipped, .wrongChannel, .silence, .unplugged] {
        #expect(
          faults.contains { $0.group == group && $0.direction == place.direction && $0.position == place.position })
      }
    }
  }

  @Test("a sample of the cells of each ceremony passes", .timeLimit(.minutes(20)))
  func sample() async throws {
    var selection = MatrixSelection()
    selection.bits = 3
    selection.stride = 151
    let failures = Mutex<[String]>([])
    let counts = try await Matrix(
      selection,
      observer: { result in
        if result.end == .failed { failures.withLock { $0.append("\(result.name): \(result.objections)") } }
      }
    ).run()
    #expect(failures.withLock { $0 } == [])
    #expect(counts.count(.failed) == 0)
    #expect(counts.count(.right) > 150)
    #expect(counts.count(.error) > 50)
  }

  @Test("what is lost or foreign and not ours must not change the result")
  func strict() {
    let error = Verdict(result: .error("communication", text: "it said nothing"), violations: [])
    for group: FaultGroup in [
      .duplicatedFromKey, .foreignInit, .foreignTraffic, .staleInit, .staleReply, .busyOnce, .busyAWhile,
      .unknownKeepAlive, .cancelledAnswer,
    ] {
      #expect(!group.expectation(.fromKey).objections(to: error).isEmpty)
      #expect(group.expectation(.fromKey).objections(to: Verdict(result: .right, violations: [])).isEmpty)
    }
    #expect(FaultGroup.dropped.expectation(.fromKey).objections(to: error).isEmpty)
  }

  @Test("only what changes bytes excuses a difference, and no fault excuses a violation of the key's safety")
  func excuses() {
    let altered = Verdict(result: .altered([.certificate]), violations: [])
    for group in FaultGroup.allCases {
      let mayAlter: Set<FaultGroup> = [.flipped, .truncated, .misplacedAnswer]
      #expect(group.expectation(.fromKey).objections(to: altered).isEmpty == mayAlter.contains(group))
      for violation: Verdict.Violation in [
        .hang, .late(.seconds(1)), .wrongSuccess(""), .pinTriedAgain(tries: 2, typed: 1), .secondCredential(2),
        .unreportedCredential(""), .noAdvice(""), .universalSecondFactor, .unnamed(""),
      ] {
        for direction in Direction.allCases {
          let verdict = Verdict(result: .right, violations: [violation])
          #expect(!group.expectation(direction).objections(to: verdict).isEmpty)
        }
      }
    }
  }

  @Test("only a report that was changed on its way excuses a change that nobody asked for or told of")
  func changes() {
    for group in FaultGroup.allCases {
      for direction in Direction.allCases {
        let expectation = group.expectation(direction)
        let isChanged = [.flipped, .truncated].contains(group)
        let unasked = Verdict(result: .right, violations: [.unaskedChange("the key was reset")])
        #expect(expectation.objections(to: unasked).isEmpty == (isChanged && direction == .toKey))
        let unreported = Verdict(result: .right, violations: [.unreportedChange("No.")])
        #expect(expectation.objections(to: unreported).isEmpty == (isChanged && direction == .fromKey))
        let again = Verdict(result: .right, violations: [.changedAgain(2)])
        #expect(!expectation.objections(to: again).isEmpty)
      }
    }
  }

  @Test("a change may be called uncertain after BUSY only where the key had begun to take it")
  func torn() {
    let uncertain = Verdict(result: .error("changeUncertain", text: "List the credentials."), violations: [])
    for group in [FaultGroup.busyOnce, .busyAWhile] {
      for isInitial in [true, false] {
        let fault = LineFault(
          group: group, direction: .toKey, position: 3, isInitial: isInitial, action: .drop, detail: "")
        #expect(fault.expectation.objections(to: uncertain).isEmpty != isInitial)
      }
    }
  }

  @Test("an error has to name the cause where there is only one")
  func words() {
    for group: FaultGroup in [.unplugged, .busyForEver, .keepAlivesForEver] {
      let vague = Verdict(result: .error("communication", text: "Something went wrong."), violations: [])
      #expect(!group.expectation(.toKey).objections(to: vague).isEmpty)
    }
  }

  @Test("the counts add up, and the tables show them")
  func counts() {
    var counts = MatrixCounts()
    for end in [CellResult.End.right, .right, .error, .failed] {
      counts.add(CellResult(name: "a/dropped", ceremony: "a", group: .dropped, end: end, objections: []))
    }
    counts.add(
      CellResult(name: "b", ceremony: "b", group: .flipped, end: .altered, altered: ["info"], objections: []))
    #expect(counts.count(.right, .altered, .error) == 4)
    #expect(counts.count(.failed) == 1)
    #expect(counts.markdown.contains("| a | 4 | 2 | 0 | 1 | 1 |"))
    #expect(counts.markdown.contains("| bit-flipped | 1 | 0 | 1 | 0 | 0 |"))
    #expect(counts.markdown.contains("| **all** | 5 | 2 | 1 | 1 | 1 |"))
    #expect(counts.markdown.contains("| info | 1 |"))
  }
}
