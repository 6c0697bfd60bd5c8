public import Timing

/// One key's HID reports: four verbs, and nothing above can tell what stands behind them.
///
/// A conformer is used from one thread at a time. Reports are the payload alone, without a report ID.
public protocol ReportTransport: AnyObject {
  /// The sizes of the key's reports in bytes; valid once `open` has returned.
  var reportSizes: ReportSizes { get }

  /// Opens the key; waits for another program's lock until `deadline`, then throws `TransportError.busy`.
  func open(deadline: Instant, cancellation: Cancellation) throws(TransportError)

  /// Returns the next report, or nil when none has come by `deadline`; a deadline in the past only polls.
  func read(deadline: Instant) throws(TransportError) -> [UInt8]?

  /// Writes one report of exactly `reportSizes.output` bytes.
  func write(_ report: [UInt8]) throws(TransportError)

  /// Closes the key; harmless where it is closed already.
  func close()
}

/// The payload sizes of a key's HID reports, in bytes, without the report ID.
public struct ReportSizes: Hashable, Sendable {
  /// The size of a report from the key.
  public let input: Int
  /// The size of a report to the key.
  public let output: Int

  /// The sizes of nearly every key.
  public static let standard = ReportSizes(input: 64, output: 64)

  /// Creates a pair of sizes; CTAPHID works with 8 to 64 bytes, which the opener checks.
  public init(input: Int, output: Int) {
    self.input = input
    self.output = output
  }
}

/// What can go wrong between the bridge and a key's reports.
public enum TransportError: Error, Hashable, Sendable {
  /// No such key.
  case notFound(String)
  /// The user may not open the key's node.
  case permissionDenied(String)
  /// Another program held the key's lock until the deadline.
  case busy(String)
  /// The key was pulled out.
  case unplugged
  /// The wait was cancelled.
  case cancelled
  /// The transport is not open.
  case closed
  /// The device's reports cannot carry CTAPHID.
  case unsuitable(String)
  /// The operating system refused an operation, with its error number and words.
  case failed(operation: String, code: Int32, message: String)
}
