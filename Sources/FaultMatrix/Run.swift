internal import BridgeTestSupport
internal import CTAPHID
internal import FaultJudge
internal import Timing
internal import VirtualKey

/// One ceremony on a key of its own, with one fault or none.
struct Run {
  let verdict: Verdict
  let outcome: HostReport.Outcome
  let trace: [TraceEntry]
  let log: [VirtualKeyLogEntry]
  let duration: Duration

  /// Why no key could be made.
  struct NoKey: Error {}

  init(
    _ ceremony: Ceremony, _ fault: LineFault?, undisturbed: HostReport.Outcome?, isTracing: Bool = false
  ) async throws(NoKey) {
    let clock = ManualClock()
    let store = MemoryStore(ceremony.past)
    guard
      let port = try? VirtualKeyPort(
        configuration: ceremony.key, store: store, clock: clock, random: SeededRandom(seed: 21))
    else { throw NoKey() }
    self = await Run(ceremony, on: port, clock, fault, undisturbed: undisturbed, seed: 42, isTracing: isTracing)
  }

  /// Does a ceremony on a key that is there, whose log is empty.
  init(
    _ ceremony: Ceremony, on port: VirtualKeyPort, _ clock: ManualClock, _ fault: LineFault?,
    undisturbed: HostReport.Outcome? = nil, seed: UInt64, isTracing: Bool = false
  ) async {
    let start = clock.now
    let deadline = start + ceremony.timeout
    let line = FaultLine(
      port: port, clock: clock, fault: fault, lateness: deadline + .seconds(1), isTracing: isTracing)
    let source = FaultSource(line)
    let person = Person(pin: ceremony.pin, account: ceremony.account)
    let bench = Bench(
      source: source, key: source.key, clock: clock, random: SeededRandom(seed: seed), person: person,
      timeout: ceremony.timeout)
    let outcome = await ceremony.run(bench)
    let end = clock.now
    line.finish()
    let assignment = Assignment(
      task: ceremony.task, deadline: deadline, overtime: Tuning.standard.longestOvertime, undisturbed: undisturbed)
    let report = HostReport(outcome: line.isHung ? .never : outcome, typedPINs: person.typedPINs, end: end)
    log = port.log
    verdict = Judge.verdict(log: log, report: report, assignment: assignment)
    trace = line.trace
    self.outcome = report.outcome
    duration = end.since(start)
  }
}
