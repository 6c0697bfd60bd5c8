// `fault-matrix` is linked with the static standard library, as the command is, and that has no Testing.
#if canImport(Testing)
  public import CTAPHID
  internal import Octets
  public import Testing
  public import Timing

  /// A key that is a script: the exact reports it expects and those it answers with, on a clock that the reads turn.
  ///
  /// A report that differs from the script is an issue at the place where the script was made; so is a script that is not
  /// at its end when the transport goes.
  public final class ScriptedTransport: ReportTransport {
    /// A line of the script.
    public enum Step: Sendable {
      /// The host writes exactly this report.
      case expect([UInt8])
      /// The host writes a report that the closure finds right, and may answer by putting lines at the front.
      case examine(@Sendable ([UInt8]) -> [Step]?)
      /// The key sends a report, this long after the line before.
      case send([UInt8], after: Duration = .zero)
      /// The host's next write fails.
      case failWrite(TransportError)
      /// The host's next read fails, this long after the line before.
      case failRead(TransportError, after: Duration = .zero)
      /// The script calls the closure, this long after the line before, in the middle of a read.
      case act(after: Duration = .zero, @Sendable () -> Void)
    }

    /// The sizes of the reports.
    public let reportSizes: ReportSizes
    /// Whether the transport is open.
    public private(set) var isOpen = false

    private let clock: ManualClock
    private let location: SourceLocation
    private var steps: ArraySlice<Step>
    private var lastStep: Instant

    /// Creates a transport from its script.
    public init(
      _ steps: [Step], clock: ManualClock, reportSizes: ReportSizes = .standard,
      sourceLocation: SourceLocation = #_sourceLocation
    ) {
      self.steps = steps[...]
      self.clock = clock
      self.reportSizes = reportSizes
      location = sourceLocation
      lastStep = clock.now
    }

    deinit {
      if !steps.isEmpty {
        complain("\(steps.count) lines of the script are left over, first \(Self.words(steps[steps.startIndex]))")
      }
    }

    /// Whether the whole script has been gone through.
    public var isFinished: Bool { steps.isEmpty }

    /// Opens the transport.
    public func open(deadline: Instant, cancellation: Cancellation) throws(TransportError) { isOpen = true }

    /// Closes the transport.
    public func close() { isOpen = false }

    /// Returns the script's next report, where it is due by `deadline`; else turns the clock there.
    public func read(deadline: Instant) throws(TransportError) -> [UInt8]? {
      guard isOpen else { throw .closed }
      while let step = steps.first {
        switch step {
        case .send(let report, let after):
          guard take(after, by: deadline) else { return nil }
          return report
        case .failRead(let error, let after):
          guard take(after, by: deadline) else { return nil }
          throw error
        case .act(let after, let body):
          guard take(after, by: deadline) else { return nil }
          body()
        case .expect, .examine, .failWrite:
          clock.sleep(until: deadline)
          return nil
        }
      }
      clock.sleep(until: deadline)
      return nil
    }

    /// Holds a report against the script's next line.
    public func write(_ report: [UInt8]) throws(TransportError) {
      guard isOpen else { throw .closed }
      switch steps.first {
      case .expect(let expected):
        steps.removeFirst()
        if report != expected { complain("wrote \(Hex.encode(report)), not \(Hex.encode(expected))") }
      case .examine(let judge):
        steps.removeFirst()
        if let more = judge(report) {
          steps = (more + steps)[...]
        } else {
          complain("wrote \(Hex.encode(report)), which was not looked for")
        }
      case .failWrite(let error):
        steps.removeFirst()
        throw error
      case let other:
        complain("wrote \(Hex.encode(report)) where the script has \(other.map(Self.words) ?? "ended")")
      }
      lastStep = clock.now
    }

    private func take(_ after: Duration, by deadline: Instant) -> Bool {
      let due = lastStep + after
      guard due <= max(deadline, clock.now) else {
        clock.sleep(until: deadline)
        return false
      }
      clock.sleep(until: due)
      lastStep = clock.now
      steps.removeFirst()
      return true
    }

    private func complain(_ words: String) {
      Issue.record(Comment(rawValue: words), sourceLocation: location)
    }

    private static func words(_ step: Step) -> String {
      switch step {
      case .expect(let report): "the host write \(Hex.encode(report))"
      case .examine: "the host write a report"
      case .send(let report, _): "the key send \(Hex.encode(report))"
      case .failWrite: "a write fail"
      case .failRead: "a read fail"
      case .act: "a closure be called"
      }
    }
  }
#endif
