internal import BridgeTestSupport
internal import CTAP2
internal import FaultJudge
internal import Timing
internal import VirtualKey

/// Registrations and sign-ins, one after the other, in one process and on one key, with a fault from time to time.
///
/// Each is judged, every credential is entered in the books, and what the process holds is looked at now and then.
struct Soak {
  /// One of so many ceremonies is disturbed.
  static let period = 50
  /// The part of the ceremonies after which everything that is kept once is there.
  private static let warmUp = 0.5

  let count: Int
  /// How often the figures are told.
  let interval: Int
  private var generator: SplitMix64
  private let key: SoakKey
  private var last: KnownCredential?
  private var discoverable: [[UInt8]: KnownCredential] = [:]

  private(set) var accounts = SoakAccounts()
  private(set) var faults = 0
  /// How the disturbed ones ended.
  private(set) var ends: [CellResult.End: Int] = [:]
  /// How many ceremonies went wrong.
  private(set) var failed = 0

  init(count: Int, seed: UInt64) throws(VirtualKeyStoreError) {
    self.count = count
    interval = max(1, count / 10)
    generator = SplitMix64(seed: seed)
    key = try SoakKey()
  }

  /// Runs it all; the number of each ceremony is told as it begins, what may not happen in words, and the figures at
  /// each interval.
  mutating func run(
    beginning: (Int) -> Void, figures tell: (Int, ProcessFigures, SoakAccounts) -> Void, objection: (String) -> Void
  ) async throws(VirtualKeyStoreError) {
    var start: (number: Int, figures: ProcessFigures)?
    for number in 0..<count {
      beginning(number)
      let found = try await ceremony(number)
      if !found.isEmpty { failed += 1 }
      for words in found { objection("ceremony \(number): \(words)") }
      let done = number + 1
      let isWarm = start == nil && Double(done) >= Self.warmUp * Double(count)
      guard isWarm || done.isMultiple(of: interval) || done == count else { continue }
      guard let figures = ProcessFigures.measure() else { continue }
      tell(done, figures, accounts)
      if isWarm { start = (done, figures) }
      guard done == count, let start else { continue }
      for words in figures.growth(since: start.figures, over: done - start.number) {
        failed += 1
        objection("from ceremony \(start.number) to \(done) \(words)")
      }
    }
    for words in accounts.objections + missing() {
      failed += 1
      objection(words)
    }
  }

  /// Holds the books against what the key itself says that it has.
  private func missing() -> [String] {
    accounts.held.sorted { $0.key < $1.key }.compactMap { rpID, ids in
      do throws(CTAP2Error) {
        let found = try key.discoverable(rpID)
        return found == ids ? nil : "\(rpID): the key has \(found.count) credentials, the books have \(ids.count)"
      } catch {
        return "\(rpID): the credentials cannot be listed: \(error)"
      }
    }
  }

  // MARK: One ceremony

  private mutating func ceremony(_ number: Int) async throws(VirtualKeyStoreError) -> [String] {
    // The one that is disturbed walks through each fifty, so that it is a sign-in as often as a registration; it is
    // not the first, which makes the key's attestation.
    let isDisturbed = number % Self.period == (number / Self.period + Self.period / 2) % Self.period
    let soaked = SoakCeremony(number: number, isDisturbed: isDisturbed)
    let ceremony =
      soaked.isSignIn
      ? soaked.signIn(last, discoverable: Array(discoverable.values)) : soaked.registration()
    let seed = generator.next()
    let objections: [String]
    let run: Run
    if isDisturbed {
      (run, objections) = try await disturbed(ceremony, seed)
    } else {
      run = await Run(ceremony, on: key.port, key.clock, nil, seed: seed)
      objections = Expectation(success: .certain).objections(to: run.verdict)
    }
    note(run, soaked)
    key.port.clearLog()
    // What was pulled out is plugged in again.
    if key.port.isUnplugged { key.port.powerCycle() }
    return objections
  }

  /// Does a ceremony with a fault that fits it, which a twin of the key shows beforehand.
  private mutating func disturbed(
    _ ceremony: Ceremony, _ seed: UInt64
  ) async throws(VirtualKeyStoreError) -> (Run, [String]) {
    let twin = try key.twin(seed: seed)
    let trial = await Run(ceremony, on: twin.port, twin.clock, nil, seed: seed, isTracing: true)
    try key.replug(seed: seed)
    let fault = draw(Catalogue(trial.trace, bits: 8).faults)
    let run = await Run(ceremony, on: key.port, key.clock, fault, undisturbed: trial.outcome, seed: seed)
    let objections = fault.map { $0.expectation.objections(to: run.verdict) } ?? ["no fault fits"]
    faults += 1
    ends[objections.isEmpty ? .init(run.verdict.result) : .failed, default: 0] += 1
    return (run, objections.map { "\(fault?.name ?? ""): \($0)" })
  }

  /// Draws a fault: each kind is as likely as any other.
  private mutating func draw(_ faults: [LineFault]) -> LineFault? {
    let kinds = Set(faults.map(\.group)).sorted { $0.rawValue < $1.rawValue }
    guard let kind = kinds.randomElement(using: &generator) else { return nil }
    return faults.filter { $0.group == kind }.randomElement(using: &generator)
  }

  private mutating func note(_ run: Run, _ soaked: SoakCeremony) {
    accounts.add(run.log, run.outcome)
    for entry in run.log {
      if case .credentialReplaced(_, let id) = entry.event { discoverable[id] = nil }
    }
    guard case .registration(let response) = run.outcome, !soaked.isDisturbed,
      let known = KnownCredential(response, userHandle: soaked.userHandle)
    else { return }
    last = known
    let isResident = run.log.contains { entry in
      if case .credentialMade(_, _, resident: true) = entry.event { true } else { false }
    }
    if isResident { discoverable[known.id] = known }
  }
}
