import CTAPHID
import Foundation
import Timing

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// A Unix socket whose messages keep their limits: one report, or one word, each.
enum Line {
  static func listen(_ path: String) throws -> Int32 { try open(path) { bind($0, $1, $2) == 0 && systemListen($0) } }

  static func connect(_ path: String) throws -> Int32 { try open(path, systemConnect) }

  private static func open(
    _ path: String, _ use: (Int32, UnsafePointer<sockaddr>, socklen_t) -> Bool
  ) throws -> Int32 {
    let descriptor = socket(AF_UNIX, packets, 0)
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8.prefix($0.count - 1)) }
    let isOpen = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        use(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
    guard isOpen else { throw SystemCallFailed.last("socket") }
    return descriptor
  }

  static func send(_ descriptor: Int32, _ bytes: [UInt8]) -> Bool {
    write(descriptor, bytes, bytes.count) == bytes.count
  }

  /// The next message; nil where none has come in time, empty where the other end is gone.
  static func receive(_ descriptor: Int32, milliseconds: Int32) -> [UInt8]? {
    var wait = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    guard poll(&wait, 1, milliseconds) > 0 else { return nil }
    var buffer = [UInt8](repeating: 0, count: 128)
    return Array(buffer[..<max(0, readOnce(descriptor, &buffer, buffer.count))])
  }
}

// The names inside of the types here hide the system's.
private func systemListen(_ descriptor: Int32) -> Bool { listen(descriptor, 8) == 0 }
private func systemConnect(_ descriptor: Int32, _ address: UnsafePointer<sockaddr>, _ size: socklen_t) -> Bool {
  connect(descriptor, address, size) == 0
}
private func systemClose(_ descriptor: Int32) { close(descriptor) }

#if canImport(Darwin)
  private let packets = SOCK_SEQPACKET
#else
  private let packets = Int32(SOCK_SEQPACKET.rawValue)
#endif

/// A key in another process, at the other end of a socket.
struct LineKeys: KeySource {
  let path: String

  func keys() throws(TransportError) -> [KeyDescription] {
    [KeyDescription(id: "/dev/line", vendorID: 0x1209, productID: 1, vendor: "CTAPBridge", product: "Line Key")]
  }

  func events() -> AsyncStream<KeyEvent> { AsyncStream { _ in } }

  func transport(to key: KeyDescription) throws(TransportError) -> sending any ReportTransport { LineTransport(path) }
}

private final class LineTransport: ReportTransport {
  private let path: String
  private var descriptor: Int32 = -1
  let reportSizes = ReportSizes.standard

  init(_ path: String) { self.path = path }

  deinit { close() }

  func open(deadline: Instant, cancellation: Cancellation) throws(TransportError) {
    guard descriptor < 0 else { return }
    guard let line = try? Line.connect(path) else { throw .unplugged }
    descriptor = line
  }

  func read(deadline: Instant) throws(TransportError) -> [UInt8]? {
    let left = deadline.since(SystemClock().now) / .milliseconds(1)
    guard let report = Line.receive(descriptor, milliseconds: Int32(min(max(0, left.rounded(.up)), 1000))) else {
      return nil
    }
    guard !report.isEmpty else { throw .unplugged }
    return report
  }

  func write(_ report: [UInt8]) throws(TransportError) {
    guard Line.send(descriptor, report) else { throw .unplugged }
  }

  func close() {
    if descriptor >= 0 { systemClose(descriptor) }
    descriptor = -1
  }
}
