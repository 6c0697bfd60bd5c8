public import CTAPHID

/// Where the kernel takes a virtual key's reports: a uhid device or a USB gadget.
///
/// `read` is called from one thread and `write` from another, `close` when both have ended.
public protocol KernelNode: Sendable {
  /// The sizes of the reports that the device was announced with.
  var reportSizes: ReportSizes { get }

  /// What `poll` waits on for reading and writing.
  var descriptor: Int32 { get }

  /// The name of the node that the key's side uses, such as `/dev/uhid`.
  var path: String { get }

  /// The hidraw node of this machine by which a host program opens the key, or nil where there is none (yet).
  func hidraw() -> String?

  /// Takes the next report from the host without waiting, or nil where there is none.
  func read() throws(VirtualKeyUSBError) -> [UInt8]?

  /// Gives the host a report without waiting; false where it does not take one now.
  func write(_ report: [UInt8]) throws(VirtualKeyUSBError) -> Bool

  /// Takes the device away and removes every trace of it; harmless where that was done.
  func close()
}

/// The report descriptor that a virtual key announces: CTAPHID's collection with unnumbered reports (CTAP 2.2 §11.2.8.1).
enum FIDODescriptor {
  static func bytes(_ sizes: ReportSizes) -> [UInt8] {
    [0x06, 0xD0, 0xF1, 0x09, 0x01, 0xA1, 0x01]  // usage page FIDO, usage CTAPHID, application collection
      + report(usage: 0x20, count: sizes.input, item: 0x81) + report(usage: 0x21, count: sizes.output, item: 0x91)
      + [0xC0]
  }

  /// `count` fields of 8 bits, from 0 to 255.
  private static func report(usage: UInt8, count: Int, item: UInt8) -> [UInt8] {
    [0x09, usage, 0x15, 0x00, 0x26, 0xFF, 0x00, 0x75, 0x08, 0x95, UInt8(clamping: count), item, 0x02]
  }
}

/// The hidraw nodes of this machine, to find the one that belongs to a virtual key.
enum HIDRawNodes {
  /// The path of the node that `isOurs` says yes to, by the path of its folder in sysfs with all links followed.
  static func first(where isOurs: (String) -> Bool) -> String? {
    let folder = "/sys/class/hidraw"
    let name = Files.names(in: folder).first { name in Files.resolved("\(folder)/\(name)").map(isOurs) ?? false }
    guard let name, Files.exists("/dev/\(name)") else { return nil }
    return "/dev/\(name)"
  }
}
