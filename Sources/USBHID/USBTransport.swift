internal import CTAPHID
internal import Timing

#if canImport(Darwin)
  internal import Darwin
#else
  internal import Glibc
#endif

/// One key's reports through hidapi: takes the node's lock, strips and adds report IDs, tells an unplug from an error.
final class USBTransport: ReportTransport {
  /// How the node is reached; parameters, so that a test needs no device.
  struct Doors {
    /// Reads the node's report descriptor anew and judges it.
    var reports: () throws(TransportError) -> FIDOReports
    /// Takes the node's lock, where the platform has one.
    var lock: (Instant, Cancellation) throws(TransportError) -> NodeLock?
    /// Opens the device, after the lock.
    var open: (NodeLock?) throws(TransportError) -> any HIDHandle
  }

  private let doors: Doors
  private let clock: any MonotonicClock
  private var reports = FIDOReports.standard
  private var handle: (any HIDHandle)?
  private var lock: NodeLock?

  /// The longest wait inside hidapi, so that a hang-up or a deadline is noticed at once.
  private static let slice = Duration.milliseconds(10)
  /// How long a failed write waits for the kernel to say that the key is gone.
  private static let farewell = Duration.milliseconds(250)

  init(doors: Doors, clock: any MonotonicClock) {
    self.doors = doors
    self.clock = clock
  }

  deinit { close() }

  var reportSizes: ReportSizes { reports.sizes }

  func open(deadline: Instant, cancellation: Cancellation) throws(TransportError) {
    guard handle == nil else { return }
    let lock = try doors.lock(deadline, cancellation)
    // The lock comes first: a handle opened earlier would have queued the reports of the lock's previous holder.
    let reports = try doors.reports()
    let handle = try doors.open(lock)
    // The path may have passed to another device while we waited; the locked descriptor knows.
    if let lock, lock.isGone {
      handle.close()
      throw .unplugged
    }
    self.lock = lock
    self.reports = reports
    self.handle = handle
  }

  func read(deadline: Instant) throws(TransportError) -> [UInt8]? {
    guard let handle else { throw .closed }
    let header = reports.inputID == nil ? 0 : 1
    var buffer = [UInt8](repeating: 0, count: reports.sizes.input + header)
    while true {
      let now = clock.now
      switch handle.read(into: &buffer, milliseconds: Self.milliseconds(min(deadline.since(now), Self.slice))) {
      case .count(let count) where count > 0:
        if let report = payload(buffer, count: count) { return report }
      case .count, .failure(EINTR, _): break
      case .failure(let code, let message): throw failure("read", code, message)
      }
      if now >= deadline { return nil }
    }
  }

  func write(_ report: [UInt8]) throws(TransportError) {
    guard let handle else { throw .closed }
    guard report.count == reports.sizes.output else {
      throw .failed(
        operation: "write", code: EINVAL, message: "\(report.count) bytes, and the report has \(reports.sizes.output)")
    }
    let bytes = [reports.outputID ?? 0] + report
    while true {
      switch handle.write(bytes) {
      case .count(let count):
        // Not every platform counts the 0 of a report without an ID.
        guard count >= report.count else {
          throw .failed(operation: "write", code: EIO, message: "\(count) of \(bytes.count) bytes were written")
        }
        return
      case .failure(EINTR, _): continue
      case .failure(let code, let message): throw failure("write", code, message)
      }
    }
  }

  func close() {
    handle?.close()
    handle = nil
    lock = nil
  }

  /// The payload of a report that was read, or nil where its ID is that of another collection.
  private func payload(_ buffer: [UInt8], count: Int) -> [UInt8]? {
    var report = buffer[..<min(count, buffer.count)]
    if let id = reports.inputID, report.popFirst() != id { return nil }
    // HID lets a device leave out trailing zeros.
    return Array(report) + [UInt8](repeating: 0, count: max(0, reports.sizes.input - report.count))
  }

  private func failure(_ operation: String, _ code: Int32, _ message: String) -> TransportError {
    switch code {
    case 0, ENODEV, ENXIO, ESHUTDOWN: return .unplugged
    default: break
    }
    guard let lock else { return .failed(operation: operation, code: code, message: message) }
    // While a key is being pulled out its transfers fail with one of many codes, a moment before the node says so.
    let limit = clock.now + Self.farewell
    while !lock.isGone {
      let now = clock.now
      guard now < limit else { return .failed(operation: operation, code: code, message: message) }
      clock.sleep(until: min(now + Self.slice, limit))
    }
    return .unplugged
  }

  /// Whole milliseconds, rounded up so that the last slice does not spin.
  private static func milliseconds(_ duration: Duration) -> Int32 {
    let (seconds, attoseconds) = duration.components
    return Int32(clamping: seconds * 1000 + (attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000)
  }
}
