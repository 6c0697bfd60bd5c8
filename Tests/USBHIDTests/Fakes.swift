import CTAPHID
import Foundation
import Synchronization
import Timing

@testable import USBHID

/// A clock that sleeping moves on.
final class SteppingClock: MonotonicClock {
  private let time = Mutex<UInt64>(1_000_000_000)

  var now: Instant { Instant(nanoseconds: time.withLock { $0 }) }

  func sleep(until instant: Instant) { time.withLock { $0 = max($0, instant.nanoseconds) } }

  func advance(_ duration: Duration) { sleep(until: now + duration) }
}

/// A HID device that plays a script; what a step says it costs goes by on the clock.
final class ScriptedHandle: HIDHandle {
  enum Step {
    case report([UInt8])
    case timeout
    case failure(Int32)
  }

  var reads: [Step] = []
  var writes: [HIDOutcome] = []
  private(set) var written: [[UInt8]] = []
  private(set) var waits: [Int32] = []
  private(set) var isClosed = false
  private let clock: SteppingClock

  init(clock: SteppingClock) { self.clock = clock }

  func read(into buffer: inout [UInt8], milliseconds: Int32) -> HIDOutcome {
    waits.append(milliseconds)
    switch reads.isEmpty ? .timeout : reads.removeFirst() {
    case .report(let bytes):
      let count = min(bytes.count, buffer.count)
      buffer.replaceSubrange(..<count, with: bytes[..<count])
      return .count(count)
    case .timeout:
      clock.advance(.milliseconds(Int(milliseconds)))
      return .count(0)
    case .failure(let code): return .failure(code: code, message: "scripted")
    }
  }

  func write(_ bytes: [UInt8]) -> HIDOutcome {
    written.append(bytes)
    return writes.isEmpty ? .count(bytes.count) : writes.removeFirst()
  }

  func close() { isClosed = true }
}

/// A folder that is laid out like sysfs and /dev, removed with its owner.
final class FakeTree {
  let root: String
  var sysfs: String { root + "/sys" }
  var devices: String { root + "/dev" }
  var nodes: HIDRaw { HIDRaw(sysfs: sysfs, devices: devices) }
  var source: USBKeySource {
    USBKeySource(platform: LinuxPlatform(nodes: nodes, pollInterval: 5), clock: SystemClock())
  }

  init() throws {
    root = NSTemporaryDirectory() + "usbhid-" + UUID().uuidString
    try make(sysfs + "/class/hidraw")
    try make(devices)
  }

  deinit { try? FileManager.default.removeItem(atPath: root) }

  /// Lays out a USB device as the kernel does: device, interface, HID device, hidraw, and the class's links.
  func plug(
    _ number: Int, descriptor: [UInt8], uevent: String = "HID_ID=0003:00001050:00000407\nHID_NAME=Vendor Product\n",
    strings: [String: [UInt8]]? = [:], hasNode: Bool = true
  ) throws {
    let usb = sysfs + "/devices/usb1/1-\(number)"
    let hid = usb + "/1-\(number):1.0/0003:1050:0407.000\(number)"
    let hidraw = hid + "/hidraw/hidraw\(number)"
    try make(hidraw)
    if let strings {
      try write(usb + "/idVendor", Array("1050\n".utf8))
      for (name, value) in strings { try write(usb + "/" + name, value) }
    }
    try write(hid + "/uevent", Array(uevent.utf8))
    try write(hid + "/report_descriptor", descriptor)
    try link(hidraw + "/device", to: "../../../0003:1050:0407.000\(number)")
    try link(sysfs + "/class/hidraw/hidraw\(number)", to: hidraw)
    if hasNode { try write(devices + "/hidraw\(number)", []) }
  }

  /// Takes a device away again.
  func unplug(_ number: Int) throws {
    try FileManager.default.removeItem(atPath: sysfs + "/class/hidraw/hidraw\(number)")
    try FileManager.default.removeItem(atPath: sysfs + "/devices/usb1/1-\(number)")
    try FileManager.default.removeItem(atPath: devices + "/hidraw\(number)")
  }

  func write(_ path: String, _ bytes: [UInt8]) throws { try Data(bytes).write(to: URL(fileURLWithPath: path)) }

  private func make(_ path: String) throws {
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
  }

  private func link(_ path: String, to target: String) throws {
    try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: target)
  }
}
