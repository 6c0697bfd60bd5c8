public import CTAPHID
public import Timing

/// A transport that notes each report that goes through it, with its direction and moment.
public final class RecordingTransport: ReportTransport {
  /// A report that went through.
  public struct Entry: Hashable, Sendable {
    /// Which way a report went.
    public enum Direction: Hashable, Sendable {
      /// From the host to the key.
      case toKey
      /// From the key to the host.
      case fromKey
    }

    /// Which way the report went.
    public let direction: Direction
    /// The moment after it went.
    public let moment: Instant
    /// The report.
    public let report: [UInt8]

    /// Creates an entry.
    public init(direction: Direction, moment: Instant, report: [UInt8]) {
      self.direction = direction
      self.moment = moment
      self.report = report
    }
  }

  /// The reports so far.
  public private(set) var entries: [Entry] = []

  private let transport: any ReportTransport
  private let clock: any MonotonicClock

  /// Creates a recording of what goes through `transport`.
  public init(_ transport: any ReportTransport, clock: any MonotonicClock) {
    self.transport = transport
    self.clock = clock
  }

  /// The reports that the host wrote.
  public var written: [[UInt8]] { entries.filter { $0.direction == .toKey }.map(\.report) }

  /// The sizes of the wrapped transport's reports.
  public var reportSizes: ReportSizes { transport.reportSizes }

  /// Opens the wrapped transport.
  public func open(deadline: Instant, cancellation: Cancellation) throws(TransportError) {
    try transport.open(deadline: deadline, cancellation: cancellation)
  }

  /// Reads from the wrapped transport.
  public func read(deadline: Instant) throws(TransportError) -> [UInt8]? {
    guard let report = try transport.read(deadline: deadline) else { return nil }
    entries.append(Entry(direction: .fromKey, moment: clock.now, report: report))
    return report
  }

  /// Writes to the wrapped transport.
  public func write(_ report: [UInt8]) throws(TransportError) {
    try transport.write(report)
    entries.append(Entry(direction: .toKey, moment: clock.now, report: report))
  }

  /// Closes the wrapped transport.
  public func close() { transport.close() }
}
