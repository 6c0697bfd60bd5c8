public import CTAPHID
internal import Synchronization
public import VirtualKey

#if canImport(Darwin)
  internal import Darwin
#else
  internal import Glibc
#endif

/// A virtual key as a user-space HID device, through `/dev/uhid`; the kernel takes it away when the process ends.
public final class UHIDNode: KernelNode {
  /// The sizes of the reports.
  public let reportSizes: ReportSizes
  /// The descriptor of `/dev/uhid`.
  public let descriptor: Int32
  /// The path of the uhid device.
  public let path: String

  /// The place of the device as the kernel tells it, by which its hidraw node is found again.
  private let physical: String
  private let isOpen = Atomic<Bool>(true)
  /// Where `read` puts an event; it is called from one thread.
  private nonisolated(unsafe) let buffer = UnsafeMutableRawBufferPointer.allocate(
    byteCount: UHIDEvent.maximumSize, alignment: 8)

  /// Makes the device.
  ///
  /// - Parameters:
  ///   - identity: How the key presents itself.
  ///   - reportSizes: The sizes of its reports.
  ///   - number: Tells apart the devices of one process.
  ///   - path: Where the uhid device is.
  public convenience init(
    identity: VirtualKeyIdentity, reportSizes: ReportSizes = .standard, number: Int = 0, path: String = "/dev/uhid"
  ) throws(VirtualKeyUSBError) {
    let (descriptor, code) = retryingInterrupts { open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC) }
    guard descriptor >= 0 else {
      throw code == ENOENT || code == ENODEV ? .noUHID(path: path) : VirtualKeyUSBError("open", path, code)
    }
    try self.init(descriptor: descriptor, identity: identity, reportSizes: reportSizes, number: number, path: path)
  }

  /// Makes the device through a descriptor, which is owned from now on.
  init(
    descriptor: Int32, identity: VirtualKeyIdentity, reportSizes: ReportSizes, number: Int, path: String
  ) throws(VirtualKeyUSBError) {
    self.descriptor = descriptor
    self.reportSizes = reportSizes
    self.path = path
    physical = "ctap-bridge/\(getpid())/\(number)"
    let version = UInt16(identity.deviceVersion.major) << 8 | UInt16(identity.deviceVersion.minor)
    do {
      try send(
        UHIDEvent.create(
          name: "\(identity.vendor) \(identity.product)", physical: physical, unique: identity.serialNumber ?? "",
          vendorID: identity.vendorID, productID: identity.productID, version: version,
          descriptor: FIDODescriptor.bytes(reportSizes)))
    } catch {
      close()
      throw error
    }
  }

  deinit {
    close()
    buffer.deallocate()
  }

  /// The hidraw node that the kernel made for the device.
  public func hidraw() -> String? {
    HIDRawNodes.first { folder in
      Files.lines("\(folder)/device/uevent").contains("HID_PHYS=\(physical)")
    }
  }

  /// Takes the next report that the host wrote.
  public func read() throws(VirtualKeyUSBError) -> [UInt8]? {
    while true {
      // The kernel drops what comes while 32 events wait, so that each must be read without delay.
      let (count, code) = Descriptors.read(descriptor, into: buffer)
      if count < 0, code == EAGAIN { return nil }
      guard count > 0 else { throw VirtualKeyUSBError("read", path, count < 0 ? code : EPIPE) }
      guard let event = UHIDEvent(UnsafeRawBufferPointer(rebasing: buffer[..<count])) else { continue }
      if case .output(let data) = event { return payload(data) }
      if let refusal = UHIDEvent.refusal(of: event) { try send(refusal) }
    }
  }

  /// Gives the host a report; one that no program waits for is dropped by the kernel.
  public func write(_ report: [UInt8]) throws(VirtualKeyUSBError) -> Bool {
    try send(UHIDEvent.input(report))
    return true
  }

  /// Takes the device away.
  public func close() {
    guard isOpen.exchange(false, ordering: .acquiringAndReleasing) else { return }
    try? send(UHIDEvent.destroy)
    Descriptors.close(descriptor)
  }

  /// What the host wrote, without the report number in front and with the trailing zeros that it may have left out.
  private func payload(_ data: [UInt8]) -> [UInt8] {
    let report = data.count > reportSizes.output ? data.dropFirst() : data[...]
    let zeros = max(0, reportSizes.output - report.count)
    return Array(report.prefix(reportSizes.output)) + [UInt8](repeating: 0, count: zeros)
  }

  private func send(_ event: [UInt8]) throws(VirtualKeyUSBError) {
    let (isDone, code) = Descriptors.write(event, to: descriptor)
    guard isDone else { throw VirtualKeyUSBError("write", path, code) }
  }
}
