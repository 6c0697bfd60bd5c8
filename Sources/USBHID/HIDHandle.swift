internal import CHIDAPI
internal import CTAPHID
internal import Synchronization

#if canImport(Darwin)
  internal import Darwin
#else
  internal import Glibc
#endif

/// An open HID device, as thin as hidapi is.
protocol HIDHandle: AnyObject {
  /// Waits up to `milliseconds` for a report and reads it into `buffer`; a count of 0 is a time-out.
  func read(into buffer: inout [UInt8], milliseconds: Int32) -> HIDOutcome

  /// Writes a report, its ID (or 0) in front.
  func write(_ bytes: [UInt8]) -> HIDOutcome

  /// Closes the device; harmless where it is closed already.
  func close()
}

/// What an operation on a HID device came to.
enum HIDOutcome: Hashable, Sendable {
  /// The number of bytes read or written.
  case count(Int)
  /// The error number, 0 where the device hung up without one, and hidapi's words.
  case failure(code: Int32, message: String)
}

/// A device opened by hidapi.
///
/// hidapi 0.13.1 keeps one error text per device for reads and writes, so both must come from one thread.
final class HIDAPIHandle: HIDHandle {
  private var device: OpaquePointer?

  /// hidapi's own state (its global error text) is not safe to use from two threads, and keys are opened on their own.
  static let opening = Mutex<Void>(())

  /// Opens the device at hidapi's `path`.
  init(path: String) throws(TransportError) {
    let (device, code) = Self.opening.withLock { _ in
      errno = 0
      return (hid_open_path(path), errno)
    }
    guard let device else { throw TransportError(operation: "hid_open_path", path: path, code: code) }
    self.device = device
  }

  deinit { close() }

  func read(into buffer: inout [UInt8], milliseconds: Int32) -> HIDOutcome {
    // hidapi reports a hang-up by -1 without setting errno, and that must not be mistaken for an older error.
    errno = 0
    let count = hid_read_timeout(device, &buffer, buffer.count, milliseconds)
    return count >= 0 ? .count(Int(count)) : failure(code: errno)
  }

  func write(_ bytes: [UInt8]) -> HIDOutcome {
    errno = 0
    let count = hid_write(device, bytes, bytes.count)
    return count >= 0 ? .count(Int(count)) : failure(code: errno)
  }

  func close() {
    guard let device else { return }
    self.device = nil
    hid_close(device)
  }

  private func failure(code: Int32) -> HIDOutcome {
    .failure(code: code, message: String(wide: hid_error(device)) ?? "unknown error")
  }
}
