public import CTAPHID
internal import Synchronization
internal import Timing
public import VirtualKey

#if canImport(Darwin)
  internal import Darwin
#else
  internal import Glibc
#endif

/// A virtual key as a USB HID gadget, on a USB device controller of this machine or an emulated one (dummy_hcd).
public final class GadgetNode: KernelNode {
  /// The sizes of the reports.
  public let reportSizes: ReportSizes
  /// The descriptor of the gadget's node.
  public let descriptor: Int32
  /// The path of the gadget's node, such as `/dev/hidg0`.
  public let path: String
  /// The controller that the gadget is plugged into.
  public let controller: String

  private let gadget: Gadget
  private let isOpen = Atomic<Bool>(true)

  /// How long the kernel may take to make the node.
  private static let patience = Duration.seconds(10)

  /// Makes the gadget and plugs it in.
  ///
  /// - Parameters:
  ///   - identity: How the key presents itself.
  ///   - reportSizes: The sizes of its reports.
  ///   - controller: The USB device controller, or nil for the first free one.
  ///   - number: Tells apart the gadgets of one process.
  ///   - sysfs: Where sysfs is mounted, and configfs below it.
  ///   - devices: Where the device nodes are.
  public init(
    identity: VirtualKeyIdentity, reportSizes: ReportSizes = .standard, controller: String? = nil, number: Int = 0,
    sysfs: String = "/sys", devices: String = "/dev"
  ) throws(VirtualKeyUSBError) {
    Gadget.removeStale(sysfs: sysfs)
    let gadget = Gadget(number: number, sysfs: sysfs)
    do throws(VirtualKeyUSBError) {
      try gadget.create(identity, reportSizes)
      self.controller = try Gadget.controller(named: controller, sysfs: sysfs)
      try gadget.plug(into: self.controller)
      path = try Self.node(of: gadget, devices: devices)
      let path = path
      let (descriptor, code) = retryingInterrupts { open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC) }
      guard descriptor >= 0 else { throw VirtualKeyUSBError("open", path, code) }
      self.descriptor = descriptor
    } catch {
      gadget.remove()
      throw error
    }
    self.gadget = gadget
    self.reportSizes = reportSizes
  }

  deinit { close() }

  /// The hidraw node on this machine, where the controller is an emulated one.
  public func hidraw() -> String? {
    let host = controller.replacingPrefix("dummy_udc.", by: "/dummy_hcd.")
    return host.flatMap { host in HIDRawNodes.first { $0.contains(host + "/") } }
  }

  /// Takes the next report that the host sent.
  public func read() throws(VirtualKeyUSBError) -> [UInt8]? {
    let (bytes, code) = Descriptors.read(descriptor, limit: reportSizes.output)
    guard let bytes else {
      // While the gadget is unplugged there is nothing to read; it may be plugged in again.
      if code == EAGAIN || code == ESHUTDOWN || code == ENODEV { return nil }
      throw VirtualKeyUSBError("read", path, code)
    }
    return bytes.isEmpty ? nil : bytes + [UInt8](repeating: 0, count: max(0, reportSizes.output - bytes.count))
  }

  /// Gives the host a report, once it has fetched the one before.
  public func write(_ report: [UInt8]) throws(VirtualKeyUSBError) -> Bool {
    let (isDone, code) = Descriptors.write(report, to: descriptor)
    if isDone { return true }
    if code == EAGAIN { return false }
    // Without a host the report goes nowhere, like one that a key sends while it is being pulled out.
    if code == ESHUTDOWN || code == ENODEV || code == ENXIO { return true }
    throw VirtualKeyUSBError("write", path, code)
  }

  /// Unplugs the gadget and removes it from configfs.
  public func close() {
    guard isOpen.exchange(false, ordering: .acquiringAndReleasing) else { return }
    Descriptors.close(descriptor)
    gadget.remove()
  }

  private static func node(of gadget: Gadget, devices: String) throws(VirtualKeyUSBError) -> String {
    let clock = SystemClock()
    let limit = clock.now + patience
    while true {
      if let path = gadget.node(devices: devices) { return path }
      guard clock.now < limit else {
        throw VirtualKeyUSBError("wait for the node", "\(gadget.folder)/functions/hid.usb0", ETIMEDOUT)
      }
      clock.sleep(until: clock.now + .milliseconds(10))
    }
  }
}

extension String {
  /// The string with another beginning, or nil where it does not begin with `prefix`.
  fileprivate func replacingPrefix(_ prefix: String, by other: String) -> String? {
    hasPrefix(prefix) ? other + dropFirst(prefix.count) : nil
  }
}
