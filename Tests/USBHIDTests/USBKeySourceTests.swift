#if os(Linux)
  import CTAPHID
  import Foundation
  import Testing
  import Timing

  @testable import USBHID

  @Suite("USB key source")
  struct USBKeySourceTests {
    private let usual: [String: [UInt8]] = [
      "manufacturer": Array("Vendor\n".utf8), "product": Array("Product\n".utf8), "serial": Array("42\n".utf8),
    ]

    private func usualKey(_ tree: FakeTree, _ number: Int) -> KeyDescription {
      KeyDescription(
        id: tree.devices + "/hidraw\(number)", vendorID: 0x1050, productID: 0x0407, vendor: "Vendor",
        product: "Product", serialNumber: "42")
    }

    @Test("keys are found by usage, in the order of their numbers, with their USB strings")
    func found() throws {
      let tree = try FakeTree()
      try tree.plug(10, descriptor: Descriptors.fido, strings: usual)
      try tree.plug(2, descriptor: Descriptors.composite, strings: usual)
      try tree.plug(1, descriptor: Descriptors.feitianOTP, strings: usual)
      try tree.write(tree.sysfs + "/class/hidraw/hidrawX", [])
      #expect(try tree.source.keys() == [usualKey(tree, 2), usualKey(tree, 10)])
    }

    @Test("a kernel without hidraw has no keys")
    func noHIDRaw() throws {
      #expect(try USBKeySource(sysfs: "/nowhere", devices: "/dev").keys() == [])
    }

    @Test("without a USB parent, the HID device's own names are used")
    func virtualDevice() throws {
      let tree = try FakeTree()
      let uevent = "DRIVER=hid-generic\nHID_ID=0003:00001209:0000BEEF\nHID_NAME=A=B Key\nHID_PHYS=\nHID_UNIQ=7\n"
      try tree.plug(0, descriptor: Descriptors.fido, uevent: uevent, strings: nil)
      let key = try #require(tree.source.keys().first)
      #expect(key.vendorID == 0x1209 && key.productID == 0xBEEF)
      #expect(key.vendor == nil && key.product == "A=B Key" && key.serialNumber == "7")
    }

    @Test(
      "hostile attributes harm nothing",
      arguments: [
        "", "\n\n=\n", "HID_ID=", "HID_ID=1:2", "HID_ID=3:FFFFFFFFFFFFFFFFFF:1", "HID_ID=:::", "HID_ID=0003:xyz:1",
      ])
    func hostile(uevent: String) throws {
      let tree = try FakeTree()
      try tree.plug(
        0, descriptor: Descriptors.fido, uevent: uevent,
        strings: [
          "product": [0xFF, 0x41, 0x1B, 0x0A], "serial": [], "manufacturer": [UInt8](repeating: 65, count: 9000),
        ])
      let key = try #require(tree.source.keys().first)
      #expect(key.vendorID == 0)
      #expect(key.product == "\u{FFFD}A\u{1B}")
      #expect(key.serialNumber == nil)
      #expect(key.vendor?.count == 4096)
    }

    @Test("a key whose node is missing, or whose reports do not suit, is listed with the reason")
    func obstacles() throws {
      let tree = try FakeTree()
      try tree.plug(0, descriptor: Descriptors.fido, hasNode: false)
      try tree.plug(1, descriptor: Descriptors.fido(count: 4))
      let keys = try tree.source.keys()
      #expect(
        keys.map(\.obstacle) == [
          .unsuitable("the node \(tree.devices)/hidraw0 does not exist here"),
          .unsuitable("its input reports have 4 bytes, and CTAPHID needs 8 to 64"),
        ])
    }

    @Test("a node that the user may not open is listed with its names", .enabled(if: geteuid() != 0, "root may all"))
    func permission() throws {
      let tree = try FakeTree()
      try tree.plug(0, descriptor: Descriptors.fido, strings: usual)
      chmod(tree.devices + "/hidraw0", 0)
      var key = usualKey(tree, 0)
      key.obstacle = .permission
      #expect(try tree.source.keys() == [key])
      let transport = try tree.source.transport(to: key)
      #expect(throws: TransportError.permissionDenied(key.id)) {
        try transport.open(deadline: Instant(nanoseconds: 0), cancellation: Cancellation())
      }
    }

    @Test(
      "only a hidraw node's path leads to a transport",
      arguments: [
        "virtual", "", "/etc/passwd", "hidraw0", "DEV/hidraw", "DEV/hidraw0/x", "DEV/../hidraw0",
        "DEV/hidraw99999999999",
      ])
    func foreignPath(path: String) throws {
      let tree = try FakeTree()
      let id = path.replacingOccurrences(of: "DEV", with: tree.devices)
      #expect(throws: TransportError.notFound(id)) {
        _ = try tree.source.transport(to: KeyDescription(id: id, vendorID: 0, productID: 0))
      }
    }

    @Test("a key that left before it was opened is not found, and a file is not mistaken for a node")
    func openFails() throws {
      let tree = try FakeTree()
      try tree.plug(0, descriptor: Descriptors.fido)
      let key = try #require(tree.source.keys().first)
      let file = try tree.source.transport(to: key)
      #expect(throws: TransportError.unsuitable("it is not a hidraw node")) {
        try file.open(deadline: Instant(nanoseconds: 0), cancellation: Cancellation())
      }
      try tree.unplug(0)
      let gone = try tree.source.transport(to: key)
      #expect(throws: TransportError.notFound(key.id)) {
        try gone.open(deadline: Instant(nanoseconds: 0), cancellation: Cancellation())
      }
    }

    @Test("arrivals and removals are told, and keys that were there before are not", .timeLimit(.minutes(15)))
    func events() async throws {
      let tree = try FakeTree()
      try tree.plug(0, descriptor: Descriptors.fido, strings: usual)
      var events = tree.source.events().makeAsyncIterator()
      try tree.plug(2, descriptor: Descriptors.keyboard, strings: usual)
      try tree.plug(1, descriptor: Descriptors.fido, strings: usual)
      // The strings are read while the tree is being laid out, so that the first word may be of a half-made key.
      var event = await events.next()
      while event != .arrived(usualKey(tree, 1)) { event = await events.next() }
      try tree.unplug(0)
      event = await events.next()
      while event != .removed(tree.devices + "/hidraw0") { event = await events.next() }
    }
  }

  @Suite("Key tracker")
  struct KeyTrackerTests {
    @Test("a device's own word is enough, and is not repeated")
    func single() throws {
      let tree = try FakeTree()
      let platform = LinuxPlatform(nodes: tree.nodes)
      var tracker = KeyTracker(known: [])
      try tree.plug(0, descriptor: Descriptors.fido)
      try tree.plug(1, descriptor: Descriptors.mouse)
      let id = tree.devices + "/hidraw0"
      let key = try #require(platform.key(id))
      #expect(tracker.events(after: .nothing, on: platform) == [])
      #expect(tracker.events(after: .present(tree.devices + "/hidraw1"), on: platform) == [])
      #expect(tracker.events(after: .present(id), on: platform) == [.arrived(key)])
      #expect(tracker.events(after: .present(id), on: platform) == [])
      #expect(tracker.events(after: .absent(id), on: platform) == [.removed(id)])
      #expect(tracker.events(after: .absent(id), on: platform) == [])
      #expect(tracker.events(after: .present(id), on: platform) == [.arrived(key)])
    }

    @Test("a key whose node becomes usable is announced again")
    func changed() throws {
      let tree = try FakeTree()
      let platform = LinuxPlatform(nodes: tree.nodes)
      try tree.plug(0, descriptor: Descriptors.fido, hasNode: false)
      var tracker = KeyTracker(known: try platform.keys())
      try tree.write(tree.devices + "/hidraw0", [])
      let key = try #require(platform.key(tree.devices + "/hidraw0"))
      #expect(key.obstacle == nil)
      #expect(tracker.events(after: .present(key.id), on: platform) == [.arrived(key)])
    }

    @Test("after lost messages a scan tells the difference, removals first")
    func scan() throws {
      let tree = try FakeTree()
      let platform = LinuxPlatform(nodes: tree.nodes)
      try tree.plug(0, descriptor: Descriptors.fido)
      try tree.plug(1, descriptor: Descriptors.fido)
      var tracker = KeyTracker(known: try platform.keys())
      try tree.unplug(1)
      try tree.plug(3, descriptor: Descriptors.fido)
      let new = try #require(platform.key(tree.devices + "/hidraw3"))
      #expect(
        tracker.events(after: .unknown, on: platform) == [.removed(tree.devices + "/hidraw1"), .arrived(new)])
      #expect(tracker.events(after: .unknown, on: platform) == [])
    }
  }
#endif
