internal import CTAPHID
internal import VirtualKey

#if canImport(Darwin)
  internal import Darwin
#else
  internal import Glibc
#endif

/// A USB HID gadget in configfs: one configuration with one HID function (Linux, Documentation/usb/gadget_configfs.rst).
struct Gadget: Sendable {
  /// The gadget's folder.
  let folder: String
  /// Where sysfs is mounted.
  let sysfs: String

  private static let prefix = "ctap-bridge-"

  /// A gadget that is not there yet.
  init(number: Int, sysfs: String) {
    self.sysfs = sysfs
    folder = "\(Self.parent(sysfs))/\(Self.prefix)\(getpid())-\(number)"
  }

  private init(folder: String, sysfs: String) {
    self.folder = folder
    self.sysfs = sysfs
  }

  private static func parent(_ sysfs: String) -> String { "\(sysfs)/kernel/config/usb_gadget" }

  /// The steps that make the gadget, in their order.
  func create(_ identity: VirtualKeyIdentity, _ sizes: ReportSizes) throws(VirtualKeyUSBError) {
    guard Files.exists(Self.parent(sysfs)) else { throw .noGadgets(path: Self.parent(sysfs)) }
    try Files.makeFolder(folder)
    try write("idVendor", hex(identity.vendorID))
    try write("idProduct", hex(identity.productID))
    try write("bcdDevice", hex(UInt16(identity.deviceVersion.major) << 8 | UInt16(identity.deviceVersion.minor)))
    try makeFolders("strings/0x409")
    try makeFolders("configs/c.1")
    do {
      try makeFolders("functions/hid.usb0")
    } catch .system(_, let path, ENOENT, _) {
      throw .noGadgets(path: path)
    } catch .system(_, _, ENODEV, _) {
      throw .noMoreGadgets
    }
    try write("strings/0x409/manufacturer", string(identity.vendor))
    try write("strings/0x409/product", string(identity.product))
    try write("strings/0x409/serialnumber", string(identity.serialNumber ?? ""))
    try write("functions/hid.usb0/protocol", "0")
    try write("functions/hid.usb0/subclass", "0")
    try write("functions/hid.usb0/report_length", "\(max(sizes.input, sizes.output))")
    try Files.write(FIDODescriptor.bytes(sizes), to: "\(folder)/functions/hid.usb0/report_desc")
    let link = "\(folder)/configs/c.1/hid.usb0"
    let (result, code) = retryingInterrupts { symlink("\(folder)/functions/hid.usb0", link) }
    guard result == 0 else { throw VirtualKeyUSBError("symlink", link, code) }
  }

  /// Plugs the gadget into a controller.
  func plug(into controller: String) throws(VirtualKeyUSBError) {
    do {
      try write("UDC", controller + "\n")
    } catch .system(_, _, EBUSY, _) {
      throw .controllerBusy(controller)
    } catch .system(_, _, ENODEV, _) {
      throw .unknownController(controller)
    }
  }

  /// Unplugs the gadget and takes its folders away, in the order that configfs demands; what is not there is passed over.
  func remove() {
    try? write("UDC", "\n")
    unlink("\(folder)/configs/c.1/hid.usb0")
    for part in ["configs/c.1", "functions/hid.usb0", "strings/0x409", ""] { rmdir("\(folder)/\(part)") }
  }

  /// The path of the device node that the function got, or nil where there is none yet.
  func node(devices: String) -> String? {
    // The attribute has "major:minor", and sysfs knows what the node is called.
    guard let number = Files.lines("\(folder)/functions/hid.usb0/dev").first else { return nil }
    let lines = Files.lines("\(sysfs)/dev/char/\(number)/uevent")
    guard let name = lines.first(where: { $0.hasPrefix("DEVNAME=") })?.dropFirst("DEVNAME=".count) else { return nil }
    return Files.exists("\(devices)/\(name)") ? "\(devices)/\(name)" : nil
  }

  /// The first controller without a gadget, or the one that is named.
  static func controller(named name: String?, sysfs: String) throws(VirtualKeyUSBError) -> String {
    let all = Files.names(in: "\(sysfs)/class/udc")
    if let name {
      guard all.contains(name) else { throw .unknownController(name) }
      return name
    }
    // The attribute names the gadget's driver while there is one.
    guard let free = all.first(where: { Files.lines("\(sysfs)/class/udc/\($0)/function").isEmpty }) else {
      throw .noController
    }
    return free
  }

  /// Takes away the gadgets of earlier processes that were killed before they could do it themselves.
  static func removeStale(sysfs: String) {
    for name in Files.names(in: parent(sysfs)) where name.hasPrefix(prefix) {
      let process = name.dropFirst(prefix.count).prefix { $0 != "-" }
      guard let id = pid_t(process), id > 0, kill(id, 0) != 0, errno == ESRCH else { continue }
      Gadget(folder: "\(parent(sysfs))/\(name)", sysfs: sysfs).remove()
    }
  }

  private func write(_ attribute: String, _ text: String) throws(VirtualKeyUSBError) {
    try Files.write(Array(text.utf8), to: "\(folder)/\(attribute)")
  }

  /// configfs makes `strings` and the like by itself, an ordinary folder does not.
  private func makeFolders(_ path: String) throws(VirtualKeyUSBError) {
    let parent = "\(folder)/\(path.prefix { $0 != "/" })"
    if !Files.exists(parent) { try Files.makeFolder(parent) }
    try Files.makeFolder("\(folder)/\(path)")
  }

  /// A USB string has at most 126 UTF-16 units.
  private func string(_ text: String) -> String { String(text.filter { $0 != "\0" }.prefix(126)) + "\n" }

  private func hex(_ number: UInt16) -> String { "0x" + String(number, radix: 16) }
}
