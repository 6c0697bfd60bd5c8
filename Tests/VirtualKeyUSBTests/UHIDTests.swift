import CTAPHID
import Foundation
import Testing
import VirtualKey

@testable import VirtualKeyUSB

@Suite("uhid")
struct UHIDTests {
  /// The kernel's side of `/dev/uhid`, played through a pair of sockets that keep messages apart.
  private final class Kernel {
    let ours: Int32
    let theirs: Int32

    init() {
      var ends: [Int32] = [-1, -1]
      #expect(socketpair(AF_UNIX, Int32(SOCK_SEQPACKET.rawValue), 0, &ends) == 0)
      (ours, theirs) = (ends[0], ends[1])
      _ = fcntl(theirs, F_SETFL, O_NONBLOCK)
      _ = fcntl(ours, F_SETFL, O_NONBLOCK)
    }

    deinit { Descriptors.close(ours) }

    /// What the device wrote, or nil where it wrote nothing.
    func next() -> [UInt8]? { Descriptors.read(ours, limit: 8192).bytes }

    func send(_ event: [UInt8]) { #expect(Descriptors.write(event, to: ours).isDone) }

    func output(_ data: [UInt8]) {
      let size = [UInt8(data.count & 0xFF), UInt8(data.count >> 8)]
      send([6, 0, 0, 0] + data + [UInt8](repeating: 0, count: 4096 - data.count) + size + [1])
    }
  }

  private func node(_ kernel: Kernel, _ sizes: ReportSizes = .standard) throws -> UHIDNode {
    let identity = VirtualKeyIdentity(vendorID: 0x1234, productID: 0x5678, vendor: "Vendor", product: "Key")
    return try UHIDNode(
      descriptor: kernel.theirs, identity: identity, reportSizes: sizes, number: 3, path: "/dev/uhid")
  }

  @Test("the device is made with its names, numbers and report descriptor, as linux/uhid.h lays them out")
  func create() throws {
    let kernel = Kernel()
    let node = try node(kernel)
    let event = try #require(kernel.next())
    #expect(event[..<4] == [11, 0, 0, 0])
    #expect(String(decoding: event[4..<132].prefix { $0 != 0 }, as: UTF8.self) == "Vendor Key")
    #expect(String(decoding: event[132..<196].prefix { $0 != 0 }, as: UTF8.self) == "ctap-bridge/\(getpid())/3")
    #expect(event[260..<264] == [34, 0, 3, 0])
    #expect(event[264..<276] == [0x34, 0x12, 0, 0, 0x78, 0x56, 0, 0, 0, 1, 0, 0])
    #expect(event.count == 4 + 276 + 34)
    // The descriptor of many keys; see the anchors in python-fido2's tests.
    let descriptor: [UInt8] = [
      0x06, 0xD0, 0xF1, 0x09, 0x01, 0xA1, 0x01, 0x09, 0x20, 0x15, 0x00, 0x26, 0xFF, 0x00, 0x75, 0x08, 0x95, 0x40,
      0x81, 0x02, 0x09, 0x21, 0x15, 0x00, 0x26, 0xFF, 0x00, 0x75, 0x08, 0x95, 0x40, 0x91, 0x02, 0xC0,
    ]
    #expect(Array(event[280...]) == descriptor)
    #expect(node.hidraw() == nil)
  }

  @Test("a name is cut at a whole character")
  func longName() {
    let event = UHIDEvent.create(
      name: String(repeating: "ä", count: 100), physical: "", unique: "a\0b", vendorID: 0, productID: 0, version: 0,
      descriptor: [])
    #expect(String(decoding: event[4..<132].prefix { $0 != 0 }, as: UTF8.self) == String(repeating: "ä", count: 63))
    #expect(event[196..<199] == [0x61, 0x62, 0])
  }

  @Test(
    "what the host writes comes without the report number and with its zeros",
    arguments: [
      (Array(0...64), Array(1...64)), (Array(1...64), Array(1...64)), ([0] + Array(1...70), Array(1...64)),
      ([7, 8], [7, 8] + [UInt8](repeating: 0, count: 62)),
    ] as [([UInt8], [UInt8])])
  func output(written: [UInt8], report: [UInt8]) throws {
    let kernel = Kernel()
    let node = try node(kernel)
    kernel.output(written)
    #expect(try node.read() == report)
    #expect(try node.read() == nil)
  }

  @Test("other events are stepped over, and requests on the control pipe are refused")
  func otherEvents() throws {
    let kernel = Kernel()
    let node = try node(kernel)
    _ = kernel.next()
    kernel.send([2, 0, 0, 0] + [UInt8](repeating: 0, count: 8))
    kernel.send([9, 0, 0, 0, 0x11, 0x22, 0x33, 0x44, 0, 0])
    kernel.send([13, 0, 0, 0, 0x55, 0, 0, 0, 0, 0, 0, 0])
    kernel.send([6, 0, 0, 0, 1, 2, 3])
    kernel.send([9, 0])
    kernel.output([9])
    #expect(try node.read()?.first == 9)
    #expect(kernel.next() == [10, 0, 0, 0, 0x11, 0x22, 0x33, 0x44, 5, 0, 0, 0])
    #expect(kernel.next() == [14, 0, 0, 0, 0x55, 0, 0, 0, 5, 0])
    #expect(kernel.next() == nil)
  }

  @Test("a report goes to the host with its length in front")
  func input() throws {
    let kernel = Kernel()
    let node = try node(kernel, ReportSizes(input: 8, output: 8))
    _ = kernel.next()
    #expect(try node.write([1, 2, 3, 4, 5, 6, 7, 8]))
    #expect(kernel.next() == [12, 0, 0, 0, 8, 0, 1, 2, 3, 4, 5, 6, 7, 8])
  }

  @Test("closing takes the device away, once")
  func close() throws {
    let kernel = Kernel()
    let node = try node(kernel)
    _ = kernel.next()
    node.close()
    node.close()
    #expect(kernel.next() == [1, 0, 0, 0])
    #expect(kernel.next() == [])
  }

  @Test("a kernel that goes away is an error")
  func hangUp() throws {
    let node: UHIDNode
    do {
      let kernel = Kernel()
      node = try self.node(kernel)
    }
    #expect(throws: VirtualKeyUSBError.self) { try node.read() }
  }

  @Test("without the module the error says how to load it")
  func noModule() {
    let path = "/nowhere/uhid"
    #expect(throws: VirtualKeyUSBError.noUHID(path: path)) { try UHIDNode(identity: VirtualKeyIdentity(), path: path) }
    #expect("\(VirtualKeyUSBError.noUHID(path: path))".contains("modprobe uhid"))
  }
}
