internal import FaultJudge
internal import Synchronization

/// Which cells are run.
public struct MatrixSelection: Sendable {
  /// The names of the ceremonies begin with one of these; empty for all.
  public var ceremonies: [String] = []
  /// The kinds of faults; empty for all.
  public var groups: Set<FaultGroup> = []
  /// How many bits of each report are turned.
  public var bits = 24
  /// Every how manieth cell is run.
  public var stride = 1
  /// How many cells run side by side.
  public var width = 2

  /// Creates a selection: all cells.
  public init() {}
}

/// Every ceremony under every fault.
public struct Matrix: Sendable {
  private let selection: MatrixSelection
  /// Called with each cell as it ends, from any thread.
  private let observer: @Sendable (CellResult) -> Void
  /// Called with each cell's name before it begins, from any thread.
  private let announcer: @Sendable (String) -> Void

  /// Creates a matrix.
  public init(
    _ selection: MatrixSelection = MatrixSelection(), announcer: @escaping @Sendable (String) -> Void = { _ in },
    observer: @escaping @Sendable (CellResult) -> Void = { _ in }
  ) {
    self.selection = selection
    self.announcer = announcer
    self.observer = observer
  }

  /// Why nothing can be run.
  public struct Unrunnable: Error, CustomStringConvertible {
    /// What is wrong.
    public let description: String
  }

  /// Runs it all and counts.
  public func run() async throws(Unrunnable) -> MatrixCounts {
    var counts = MatrixCounts()
    for ceremony in chosen {
      let (first, undisturbed, faults) = try await prepare(ceremony)
      observer(first)
      counts.add(first)
      let queue = CellQueue(count: faults.count, stride: selection.stride)
      await withTaskGroup(of: [CellResult].self) { group in
        for _ in 0..<max(1, selection.width) {
          group.addTask {
            var results: [CellResult] = []
            while let index = queue.next() {
              let result = await cell(ceremony, faults[index], undisturbed)
              observer(result)
              results.append(result)
            }
            return results
          }
        }
        for await results in group { for result in results { counts.add(result) } }
      }
    }
    return counts
  }

  private var chosen: [Ceremony] {
    Ceremony.all.filter { ceremony in
      selection.ceremonies.isEmpty || selection.ceremonies.contains { ceremony.name.hasPrefix($0) }
    }
  }

  /// Runs a ceremony without a fault, and finds what can be done to its reports.
  func prepare(_ ceremony: Ceremony) async throws(Unrunnable) -> (CellResult, HostReport.Outcome, [LineFault]) {
    let verdict: Verdict
    let outcome: HostReport.Outcome
    let faults: [LineFault]
    do throws(Run.NoKey) {
      let first = try await Run(ceremony, nil, undisturbed: nil, isTracing: true)
      let second = try await Run(ceremony, nil, undisturbed: first.outcome)
      verdict = second.verdict
      outcome = first.outcome
      faults = Catalogue(first.trace, bits: selection.bits).faults
    } catch {
      throw Unrunnable(description: "\(ceremony.name): no virtual key can be made")
    }
    let objections = Expectation(success: .certain).objections(to: verdict)
    let undisturbed = CellResult(
      name: "\(ceremony.name)/undisturbed", ceremony: ceremony.name, group: .undisturbed,
      end: objections.isEmpty ? .right : .failed, objections: objections)
    return (undisturbed, outcome, faults.filter { selection.groups.isEmpty || selection.groups.contains($0.group) })
  }

  private func cell(
    _ ceremony: Ceremony, _ fault: LineFault, _ undisturbed: HostReport.Outcome
  ) async -> CellResult {
    let name = "\(ceremony.name)/\(fault.name)"
    announcer(name)
    guard let run = try? await Run(ceremony, fault, undisturbed: undisturbed) else {
      return CellResult(
        name: name, ceremony: ceremony.name, group: fault.group, end: .failed, objections: ["no key can be made"])
    }
    let objections = fault.expectation.objections(to: run.verdict)
    var parts: [Verdict.Part] = []
    if case .altered(let altered) = run.verdict.result { parts = altered }
    return CellResult(
      name: name, ceremony: ceremony.name, group: fault.group,
      end: objections.isEmpty ? .init(run.verdict.result) : .failed, altered: parts.map(\.rawValue),
      objections: objections)
  }
}

/// The cells of a ceremony that nobody has begun.
private final class CellQueue: Sendable {
  private let first = Mutex(0)
  private let count: Int
  private let stride: Int

  init(count: Int, stride: Int) {
    self.count = count
    self.stride = stride
  }

  func next() -> Int? {
    first.withLock { index in
      defer { index += stride }
      return index < count ? index : nil
    }
  }
}

/// How one cell ended.
public struct CellResult: Sendable {
  /// The kinds of ends.
  public enum End: String, Hashable, Sendable, CaseIterable {
    /// As without a fault.
    case right
    /// A success in which something differs that nothing vouches for.
    case altered
    /// A typed error.
    case error
    /// Something that may not happen.
    case failed

    init(_ result: Verdict.Result) {
      switch result {
      case .right: self = .right
      case .altered: self = .altered
      case .error: self = .error
      case .none: self = .failed
      }
    }
  }

  /// The cell's name, which finds it again.
  public let name: String
  /// The ceremony.
  public let ceremony: String
  /// The kind of fault.
  public let group: FaultGroup
  /// How it ended.
  public let end: End
  /// What of a success differs that nothing vouches for.
  public var altered: [String] = []
  /// What may not happen and did.
  public let objections: [String]
}
