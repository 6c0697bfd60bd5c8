import CTAPHID
import Foundation
import Testing
import Timing

@testable import USBHID

@Suite("USB transport")
struct USBTransportTests {
  private let clock = SteppingClock()

  private func transport(
    _ handle: ScriptedHandle, _ reports: FIDOReports = .standard
  ) throws -> USBTransport {
    let doors = USBTransport.Doors(
      reports: { () throws(TransportError) in reports }, lock: { (_, _) throws(TransportError) in nil },
      open: { (_) throws(TransportError) in handle })
    let transport = USBTransport(doors: doors, clock: clock)
    try transport.open(deadline: clock.now, cancellation: Cancellation())
    return transport
  }

  private func reports(_ size: Int, id: UInt8?) -> FIDOReports {
    FIDOReports(sizes: ReportSizes(input: size, output: size), inputID: id, outputID: id)
  }

  @Test("an unnumbered report is written behind a zero and read as it is")
  func unnumbered() throws {
    let handle = ScriptedHandle(clock: clock)
    let transport = try transport(handle)
    let report = (0..<64).map { UInt8($0) }
    handle.reads = [.report(report)]
    try transport.write(report)
    #expect(handle.written == [[0] + report])
    #expect(try transport.read(deadline: clock.now) == report)
  }

  @Test("a numbered report has its ID in front when written, and loses it when read")
  func numbered() throws {
    let handle = ScriptedHandle(clock: clock)
    let transport = try transport(handle, reports(32, id: 9))
    #expect(transport.reportSizes == ReportSizes(input: 32, output: 32))
    let report = [UInt8](repeating: 5, count: 32)
    handle.reads = [.report([9] + report)]
    try transport.write(report)
    #expect(handle.written == [[9] + report])
    #expect(try transport.read(deadline: clock.now) == report)
  }

  @Test("another collection's report is skipped")
  func otherCollection() throws {
    let handle = ScriptedHandle(clock: clock)
    let transport = try transport(handle, reports(8, id: 2))
    handle.reads = [.report([1, 1, 1, 1]), .report([2] + [UInt8](repeating: 7, count: 8))]
    #expect(try transport.read(deadline: clock.now + .seconds(1)) == [UInt8](repeating: 7, count: 8))
  }

  @Test("a report without its trailing zeros is filled up")
  func short() throws {
    let handle = ScriptedHandle(clock: clock)
    let transport = try transport(handle, reports(8, id: nil))
    handle.reads = [.report([1, 2, 3])]
    #expect(try transport.read(deadline: clock.now) == [1, 2, 3, 0, 0, 0, 0, 0])
  }

  @Test("a wait goes on in slices of at most 10 ms until its deadline, and then is nil")
  func slices() throws {
    let handle = ScriptedHandle(clock: clock)
    let transport = try transport(handle)
    let start = clock.now
    #expect(try transport.read(deadline: start + .microseconds(25_500)) == nil)
    #expect(handle.waits == [10, 10, 6, 0])
    #expect(clock.now.since(start) == .milliseconds(26))
  }

  @Test("a deadline in the past only polls")
  func poll() throws {
    let handle = ScriptedHandle(clock: clock)
    let transport = try transport(handle)
    #expect(try transport.read(deadline: Instant(nanoseconds: 0)) == nil)
    #expect(handle.waits == [0])
  }

  @Test("an interrupted read and an interrupted write are taken up again")
  func interrupts() throws {
    let handle = ScriptedHandle(clock: clock)
    let transport = try transport(handle)
    let report = [UInt8](repeating: 1, count: 64)
    handle.reads = [.failure(EINTR), .report(report)]
    #expect(try transport.read(deadline: clock.now + .seconds(1)) == report)
    handle.writes = [.failure(code: EINTR, message: ""), .count(65)]
    try transport.write(report)
    #expect(handle.written.count == 2)
  }

  @Test("a hang-up is an unplug", arguments: [0, ENODEV, ENXIO, ESHUTDOWN])
  func hangUp(code: Int32) throws {
    let handle = ScriptedHandle(clock: clock)
    let transport = try transport(handle)
    handle.reads = [.failure(code)]
    #expect(throws: TransportError.unplugged) { try transport.read(deadline: clock.now + .seconds(1)) }
    handle.writes = [.failure(code: code, message: "")]
    #expect(throws: TransportError.unplugged) { try transport.write([UInt8](repeating: 0, count: 64)) }
  }

  @Test("another failure keeps its number and words")
  func failure() throws {
    let handle = ScriptedHandle(clock: clock)
    let transport = try transport(handle)
    handle.writes = [.failure(code: EPIPE, message: "scripted")]
    #expect(throws: TransportError.failed(operation: "write", code: EPIPE, message: "scripted")) {
      try transport.write([UInt8](repeating: 0, count: 64))
    }
  }

  @Test("a report that was written in part is a failure")
  func partial() throws {
    let handle = ScriptedHandle(clock: clock)
    let transport = try transport(handle)
    handle.writes = [.count(63)]
    #expect(throws: TransportError.failed(operation: "write", code: EIO, message: "63 of 65 bytes were written")) {
      try transport.write([UInt8](repeating: 0, count: 64))
    }
  }

  @Test("a report of another size than the key's is not written", arguments: [0, 63, 65])
  func wrongSize(count: Int) throws {
    let handle = ScriptedHandle(clock: clock)
    let transport = try transport(handle)
    #expect(throws: TransportError.self) { try transport.write([UInt8](repeating: 0, count: count)) }
    #expect(handle.written.isEmpty)
  }

  @Test("a closed transport says so, and may be closed again")
  func closed() throws {
    let handle = ScriptedHandle(clock: clock)
    let transport = try transport(handle)
    transport.close()
    transport.close()
    #expect(handle.isClosed)
    #expect(throws: TransportError.closed) { try transport.read(deadline: clock.now) }
    #expect(throws: TransportError.closed) { try transport.write([UInt8](repeating: 0, count: 64)) }
  }

  @Test("the device is opened after the lock and the descriptor are had")
  func order() throws {
    var steps: [String] = []
    let handle = ScriptedHandle(clock: clock)
    let doors = USBTransport.Doors(
      reports: { () throws(TransportError) in
        steps.append("reports")
        return .standard
      },
      lock: { (_, _) throws(TransportError) in
        steps.append("lock")
        return nil
      },
      open: { (_) throws(TransportError) in
        steps.append("open")
        return handle
      })
    let transport = USBTransport(doors: doors, clock: clock)
    try transport.open(deadline: clock.now, cancellation: Cancellation())
    try transport.open(deadline: clock.now, cancellation: Cancellation())
    #expect(steps == ["lock", "reports", "open"])
  }
}

@Suite("Node lock")
struct NodeLockTests {
  private let clock = SteppingClock()
  private let path = NSTemporaryDirectory() + "usbhid-lock-" + UUID().uuidString

  private func lock(_ wait: Duration, _ cancellation: Cancellation = Cancellation()) throws -> NodeLock {
    try NodeLock(path, deadline: clock.now + wait, cancellation: cancellation, clock: clock)
  }

  @Test("a second taker waits until its deadline and is told that the node is busy; then it is free again")
  func busy() throws {
    _ = FileManager.default.createFile(atPath: path, contents: nil)
    defer { try? FileManager.default.removeItem(atPath: path) }
    var first: NodeLock? = try lock(.zero)
    let start = clock.now
    #expect(throws: TransportError.busy(path)) { try lock(.milliseconds(55)) }
    #expect(clock.now.since(start) == .milliseconds(55))
    #expect(first?.isGone == false)
    first = nil
    _ = try lock(.zero)
  }

  @Test("a cancel ends the wait for the lock")
  func cancelled() throws {
    _ = FileManager.default.createFile(atPath: path, contents: nil)
    defer { try? FileManager.default.removeItem(atPath: path) }
    let first = try lock(.zero)
    let cancellation = Cancellation()
    cancellation.cancel()
    #expect(throws: TransportError.cancelled) { try lock(.seconds(60), cancellation) }
    withExtendedLifetime(first) {}
  }

  @Test("a node that is not there is not found")
  func missing() {
    #expect(throws: TransportError.notFound(path)) { try lock(.zero) }
  }

  @Test("a hang-up on the locked descriptor shows as gone, and makes any write failure an unplug")
  func gone() throws {
    // A FIFO whose other end has closed hangs up as a hidraw node does.
    #expect(mkfifo(path, 0o600) == 0)
    defer { try? FileManager.default.removeItem(atPath: path) }
    let file = try OpenFile(path, flags: O_RDONLY | O_NONBLOCK)
    #expect(!file.isGone)
    do { _ = try OpenFile(path, flags: O_WRONLY | O_NONBLOCK) }
    #expect(file.isGone)
  }

  @Test(
    "error numbers become what they mean",
    arguments: [
      (ENOENT, TransportError.notFound("node")), (EACCES, .permissionDenied("node")),
      (EPERM, .permissionDenied("node")),
      (ENODEV, .unplugged), (ENXIO, .unplugged),
      (EMFILE, .failed(operation: "open", code: EMFILE, message: "Too many open files")),
    ])
  func errors(code: Int32, meaning: TransportError) {
    #expect(TransportError(operation: "open", path: "node", code: code) == meaning)
  }
}
