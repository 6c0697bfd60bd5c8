import CTAPHID
import Foundation
import Testing
import VirtualKey

@testable import VirtualKeyUSB

/// A folder that stands for sysfs with configfs in it; ordinary files stand for attributes.
private final class FakeSysfs {
  let root = NSTemporaryDirectory() + "gadget-" + UUID().uuidString
  var gadgets: String { root + "/kernel/config/usb_gadget" }

  init(controllers: [String: String] = [:]) throws {
    try make(gadgets)
    for (name, function) in controllers { try write("class/udc/\(name)/function", function) }
  }

  deinit { try? FileManager.default.removeItem(atPath: root) }

  func make(_ path: String) throws {
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
  }

  func write(_ path: String, _ text: String) throws {
    try make((root + "/" + path as NSString).deletingLastPathComponent)
    try text.write(toFile: root + "/" + path, atomically: false, encoding: .utf8)
  }

  func text(_ path: String) -> String? { try? String(contentsOfFile: path, encoding: .utf8) }
}

@Suite("USB gadget")
struct GadgetTests {
  private let identity = VirtualKeyIdentity(
    vendorID: 0x1209, productID: 0x0ABC, vendor: "Vendor", product: "Key", serialNumber: "7")

  @Test("a gadget is one HID function in one configuration, with the key's numbers and names")
  func create() throws {
    let sysfs = try FakeSysfs()
    let gadget = Gadget(number: 2, sysfs: sysfs.root)
    #expect(gadget.folder == "\(sysfs.gadgets)/ctap-bridge-\(getpid())-2")
    try gadget.create(identity, ReportSizes(input: 32, output: 64))
    try gadget.plug(into: "dummy_udc.0")
    let attributes = [
      "idVendor": "0x1209", "idProduct": "0xabc", "bcdDevice": "0x100", "UDC": "dummy_udc.0\n",
      "strings/0x409/manufacturer": "Vendor\n", "strings/0x409/product": "Key\n", "strings/0x409/serialnumber": "7\n",
      "functions/hid.usb0/protocol": "0", "functions/hid.usb0/subclass": "0",
      "functions/hid.usb0/report_length": "64",
    ]
    for (name, text) in attributes { #expect(sysfs.text("\(gadget.folder)/\(name)") == text, "\(name)") }
    let descriptor = FileManager.default.contents(atPath: gadget.folder + "/functions/hid.usb0/report_desc")
    #expect(descriptor.map(Array.init) == FIDODescriptor.bytes(ReportSizes(input: 32, output: 64)))
    let link = try FileManager.default.destinationOfSymbolicLink(atPath: gadget.folder + "/configs/c.1/hid.usb0")
    #expect(link == gadget.folder + "/functions/hid.usb0")
  }

  @Test("the node is found by its device number, once it is there")
  func node() throws {
    let sysfs = try FakeSysfs()
    let gadget = Gadget(number: 0, sysfs: sysfs.root)
    #expect(gadget.node(devices: sysfs.root) == nil)
    try gadget.create(identity, .standard)
    try Files.write(Array("236:0\n".utf8), to: gadget.folder + "/functions/hid.usb0/dev")
    #expect(gadget.node(devices: sysfs.root) == nil)
    try sysfs.write("dev/char/236:0/uevent", "MAJOR=236\nDEVNAME=hidg0\n")
    #expect(gadget.node(devices: sysfs.root) == nil)
    try sysfs.write("hidg0", "")
    #expect(gadget.node(devices: sysfs.root) == sysfs.root + "/hidg0")
  }

  @Test("the first controller without a gadget is used, or the one that is named")
  func controllers() throws {
    let sysfs = try FakeSysfs(controllers: ["udc.0": "g1\n", "udc.1": "\n", "udc.2": ""])
    #expect(try Gadget.controller(named: nil, sysfs: sysfs.root) == "udc.1")
    #expect(try Gadget.controller(named: "udc.2", sysfs: sysfs.root) == "udc.2")
    #expect(throws: VirtualKeyUSBError.unknownController("udc.9")) {
      try Gadget.controller(named: "udc.9", sysfs: sysfs.root)
    }
    let full = try FakeSysfs(controllers: ["udc.0": "g1\n"])
    #expect(throws: VirtualKeyUSBError.noController) { try Gadget.controller(named: nil, sysfs: full.root) }
  }

  @Test("a kernel without gadgets is told apart")
  func noGadgets() {
    #expect(throws: VirtualKeyUSBError.noGadgets(path: "/nowhere/kernel/config/usb_gadget")) {
      try GadgetNode(identity: identity, sysfs: "/nowhere")
    }
  }

  @Test("a gadget that cannot be plugged in leaves no link behind")
  func rollBack() throws {
    let sysfs = try FakeSysfs()
    #expect(throws: VirtualKeyUSBError.noController) { try GadgetNode(identity: identity, sysfs: sysfs.root) }
    let link = "\(sysfs.gadgets)/ctap-bridge-\(getpid())-0/configs/c.1/hid.usb0"
    #expect(!FileManager.default.fileExists(atPath: link))
  }

  @Test("what a process that has ended left is taken away, and nothing else")
  func stale() throws {
    let sysfs = try FakeSysfs()
    // No process can have this number: it is above the kernel's highest.
    for name in ["ctap-bridge-99999999-1", "ctap-bridge-\(getpid())-1", "ctap-bridge-x-1", "someone"] {
      try sysfs.make("\(sysfs.gadgets)/\(name)")
    }
    Gadget.removeStale(sysfs: sysfs.root)
    // An ordinary file in place of the attribute keeps the folder, but it was written to.
    #expect(sysfs.text("\(sysfs.gadgets)/ctap-bridge-99999999-1/UDC") == "\n")
    for name in ["ctap-bridge-\(getpid())-1", "ctap-bridge-x-1", "someone"] {
      #expect(try FileManager.default.contentsOfDirectory(atPath: "\(sysfs.gadgets)/\(name)") == [])
    }
  }

  @Test(
    "every error is a sentence that says what to do or what happened",
    arguments: [
      (VirtualKeyUSBError.noGadgets(path: "/p"), "modprobe"), (.noController, "dummy_hcd"),
      (.unknownController("u"), "/sys/class/udc"), (.controllerBusy("u"), "already"), (.noMoreGadgets, "--uhid"),
      (.denied(path: "/p"), "root"), (VirtualKeyUSBError("write", "/p", ENOSPC), "No space left on device (error 28)"),
      (VirtualKeyUSBError("open", "/p", EACCES), "/p may not be used"),
    ])
  func words(error: VirtualKeyUSBError, part: String) {
    #expect(error.description.contains(part))
  }
}
