public import CTAPHID
public import Timing

/// A transport to a virtual key in this process.
public final class VirtualKeyTransport: ReportTransport {
  private let port: VirtualKeyPort
  private var inbox: Int?

  /// Creates a closed transport.
  public init(port: VirtualKeyPort) {
    self.port = port
  }

  deinit { close() }

  /// The sizes of the key's reports in bytes.
  public var reportSizes: ReportSizes { port.reportSizes }

  /// Opens the key; waits for another process that holds its store.
  public func open(deadline: Instant, cancellation: Cancellation) throws(TransportError) {
    if inbox == nil { inbox = try port.open(deadline: deadline, cancellation: cancellation) }
  }

  /// Returns the next report, or nil when none has come by `deadline`.
  public func read(deadline: Instant) throws(TransportError) -> [UInt8]? {
    guard let inbox else { throw .closed }
    return try port.read(inbox, deadline: deadline)
  }

  /// Writes one report; one of the wrong size is refused, as a kernel does.
  public func write(_ report: [UInt8]) throws(TransportError) {
    guard let inbox else { throw .closed }
    guard report.count == reportSizes.output else {
      throw .failed(operation: "write", code: 22, message: "the report has \(report.count) bytes")
    }
    try port.write(inbox, report)
  }

  /// Closes the transport.
  public func close() {
    if let inbox { port.close(inbox) }
    inbox = nil
  }
}
