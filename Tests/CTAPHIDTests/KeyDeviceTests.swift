import BridgeTestSupport
import CTAPHID
import Octets
import Testing
import Timing

/// A key whose every report is looked at, with channels already handed out.
final class DeviceRig {
  var device: KeyDevice
  let clock = ManualClock()
  var events: [KeyDevice.Event] = []
  /// Two channels that the key handed out.
  private(set) var first: UInt32 = 0
  private(set) var second: UInt32 = 0

  init(_ change: (inout KeyDevice.Configuration) -> Void = { _ in }) {
    var configuration = KeyDevice.Configuration()
    change(&configuration)
    device = KeyDevice(configuration: configuration, random: SeededRandom(seed: 5))
    first = allocate([1, 1, 1, 1, 1, 1, 1, 1])
    second = allocate([2, 2, 2, 2, 2, 2, 2, 2])
    events = []
  }

  /// Sends reports and returns what the key sends back.
  func send(_ reports: [UInt8]...) -> [[UInt8]] {
    for report in reports { events += device.receive(report, now: clock.now) }
    return drain()
  }

  /// Lets time pass and returns what the key sends.
  func pass(_ duration: Duration) -> [[UInt8]] {
    let end = clock.now + duration
    while let next = device.nextDeadline, next <= end {
      clock.sleep(until: next)
      device.tick(now: clock.now)
    }
    clock.sleep(until: end)
    return drain()
  }

  func drain() -> [[UInt8]] {
    var reports: [[UInt8]] = []
    while let report = device.nextReport() { reports.append(report) }
    return reports
  }

  func respond(_ channel: ChannelID, _ command: CTAPHIDCommand, _ payload: [UInt8]) -> Bool {
    device.respond(channel, command, payload)
  }

  func refuse(_ channel: ChannelID, _ code: CTAPHIDErrorCode) -> Bool { device.refuse(channel, code) }

  func allocate(_ nonce: [UInt8]) -> UInt32 {
    let reply = send(Wire.initRequest(nonce)).first ?? []
    return reply.dropFirst(15).prefix(4).reduce(0) { $0 << 8 | UInt32($1) }
  }
}

@Suite("The key's state machine")
struct KeyDeviceTests {
  static let nonce: [UInt8] = [0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77, 0x88]

  @Test("INIT on the broadcast channel hands out a channel of its own, with the device's numbers")
  func initialise() {
    let rig = DeviceRig {
      $0.capabilities = [.cbor, .noMSG]
      $0.version = DeviceVersion(major: 9, minor: 8, build: 7)
      $0.protocolVersion = 3
    }
    let reply = rig.send(Wire.initRequest(Self.nonce))
    #expect(reply.count == 1)
    let data = reply[0].dropFirst(7)
    #expect(Array(reply[0].prefix(7)) == [0xff, 0xff, 0xff, 0xff, 0x86, 0, 17])
    #expect(Array(data.prefix(8)) == Self.nonce)
    #expect(Array(data.dropFirst(12).prefix(5)) == [3, 9, 8, 7, 0x0c])
    #expect(rig.first != rig.second && rig.first != 0 && rig.second != 0)
  }

  @Test("a long ping comes back", arguments: [0, 1, 57, 58, 100, 1000, 7608, 7609])
  func ping(count: Int) {
    let rig = DeviceRig()
    let payload = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 11) }
    let reports = Wire.message(0x01, payload, on: rig.first)
    var answer: [[UInt8]] = []
    for report in reports { answer += rig.send(report) }
    #expect(answer == reports)
    #expect(rig.events.isEmpty)
  }

  @Test("WINK is answered and announced")
  func wink() {
    let rig = DeviceRig()
    #expect(rig.send(Wire.initial(0x08, on: rig.first)) == [Wire.initial(0x08, on: rig.first)])
    #expect(rig.events == [.wink])
  }

  @Test("a whole CBOR request is an event, and its answer goes to its channel")
  func message() {
    let rig = DeviceRig()
    let payload = (0..<100).map { UInt8($0) }
    var sent: [[UInt8]] = []
    for report in Wire.message(0x10, payload, on: rig.first) { sent += rig.send(report) }
    let channel = ChannelID(rawValue: rig.first)
    #expect(sent.isEmpty)
    #expect(rig.events == [.message(channel: channel, command: .cbor, payload: payload)])
    #expect(rig.device.activeChannel == channel)
    #expect(rig.respond(channel, .cbor, payload))
    #expect(rig.drain() == Wire.message(0x10, payload, on: rig.first))
    #expect(rig.device.activeChannel == nil)
    #expect(!rig.respond(channel, .cbor, payload), "only once")
  }

  @Test("a request may be refused with an ERROR frame")
  func refuse() {
    let rig = DeviceRig()
    _ = rig.send(Wire.initial(0x10, [4], on: rig.first))
    #expect(rig.refuse(ChannelID(rawValue: rig.first), .other))
    #expect(rig.drain() == [Wire.error(0x7f, on: rig.first)])
  }

  @Test("an answer that is too long becomes an ERROR frame")
  func answerTooLong() {
    let rig = DeviceRig()
    _ = rig.send(Wire.initial(0x10, [4], on: rig.first))
    #expect(rig.device.answerLimit == 7609)
    #expect(!rig.respond(ChannelID(rawValue: rig.first), .cbor, [UInt8](repeating: 0, count: 7610)))
    #expect(rig.drain() == [Wire.error(0x7f, on: rig.first)])
  }

  @Test("keep-alives come every 100 ms and at once when the status changes")
  func keepAlives() {
    let rig = DeviceRig()
    let channel = ChannelID(rawValue: rig.first)
    _ = rig.send(Wire.initial(0x10, [4], on: rig.first))
    let processing = Wire.keepAlive(1, on: rig.first)
    let touch = Wire.keepAlive(2, on: rig.first)
    #expect(rig.pass(.milliseconds(350)) == [processing, processing, processing])
    rig.device.keepAlive(.userPresenceNeeded, now: rig.clock.now)
    rig.device.keepAlive(.userPresenceNeeded, now: rig.clock.now)
    #expect(rig.drain() == [touch])
    #expect(rig.pass(.milliseconds(99)) == [])
    #expect(rig.pass(.milliseconds(1)) == [touch])
    rig.device.respond(channel, .cbor, [0])
    _ = rig.drain()
    #expect(rig.pass(.seconds(1)) == [])
    rig.device.keepAlive(.processing, now: rig.clock.now)
    #expect(rig.drain() == [])
  }

  @Test("keep-alives can be turned off, and there are none for U2F messages")
  func noKeepAlives() {
    let rig = DeviceRig { $0.keepAliveInterval = nil }
    _ = rig.send(Wire.initial(0x10, [4], on: rig.first))
    rig.device.keepAlive(.userPresenceNeeded, now: rig.clock.now)
    #expect(rig.pass(.seconds(1)) == [])
    let other = DeviceRig()
    _ = other.send(Wire.initial(0x03, [4], on: other.first))
    other.device.keepAlive(.userPresenceNeeded, now: other.clock.now)
    #expect(other.pass(.seconds(1)) == [])
  }

  @Test("CANCEL reaches the running request of its own channel and is ignored everywhere else")
  func cancel() {
    let rig = DeviceRig()
    #expect(rig.send(Wire.initial(0x11, on: rig.first)) == [])
    _ = rig.send(Wire.initial(0x10, [4], on: rig.first))
    rig.events = []
    #expect(rig.send(Wire.initial(0x11, on: rig.second), Wire.initial(0x11, on: 0x7777)) == [])
    #expect(rig.events == [])
    #expect(rig.send(Wire.initial(0x11, on: rig.first)) == [])
    #expect(rig.events == [.cancel(channel: ChannelID(rawValue: rig.first))])
  }

  @Test("CANCEL does nothing to a U2F message or to a message that is still coming in")
  func cancelOthers() {
    let rig = DeviceRig()
    _ = rig.send(Wire.initial(0x03, [1, 2], on: rig.first), Wire.initial(0x11, on: rig.first))
    #expect(!rig.events.contains(.cancel(channel: ChannelID(rawValue: rig.first))))
    let other = DeviceRig()
    let reports = Wire.message(0x01, [UInt8](repeating: 3, count: 100), on: other.first)
    #expect(other.send(reports[0], Wire.initial(0x11, on: other.first), reports[1]) == reports)
  }

  @Test("LOCK keeps other channels out, INIT too, until it ends or is released")
  func lock() {
    let rig = DeviceRig()
    let ping = Wire.initial(0x01, [1], on: rig.second)
    #expect(rig.send(Wire.initial(0x04, [3], on: rig.first)) == [Wire.initial(0x04, on: rig.first)])
    #expect(rig.send(ping) == [Wire.error(6, on: rig.second)])
    #expect(rig.send(Wire.initRequest(Self.nonce)) == [Wire.error(6, on: Wire.broadcast)])
    #expect(rig.send(Wire.initial(0x01, [1], on: rig.first)) == [Wire.initial(0x01, [1], on: rig.first)])
    _ = rig.pass(.milliseconds(2999))
    #expect(rig.send(ping) == [Wire.error(6, on: rig.second)])
    _ = rig.pass(.milliseconds(1))
    #expect(rig.send(ping) == [ping])
    _ = rig.send(Wire.initial(0x04, [10], on: rig.first))
    #expect(rig.send(ping) == [Wire.error(6, on: rig.second)])
    _ = rig.send(Wire.initial(0x04, [0], on: rig.first))
    #expect(rig.send(ping) == [ping])
    #expect(rig.send(Wire.initial(0x04, [11], on: rig.first)) == [Wire.error(2, on: rig.first)])
  }

  @Test("channels are bounded in number: the one used longest ago is forgotten, never one in use")
  func channelLimit() {
    let rig = DeviceRig { $0.channelLimit = 3 }
    let third = rig.allocate([3, 3, 3, 3, 3, 3, 3, 3])
    _ = rig.send(Wire.initial(0x01, [1], on: rig.first))
    let fourth = rig.allocate([4, 4, 4, 4, 4, 4, 4, 4])
    #expect(rig.send(Wire.initial(0x01, [1], on: rig.second)) == [Wire.error(0x0b, on: rig.second)])
    for channel in [third, rig.first, fourth] {
      #expect(rig.send(Wire.initial(0x01, [1], on: channel)) == [Wire.initial(0x01, [1], on: channel)])
    }
    _ = rig.send(Wire.initial(0x10, [4], on: third))
    for _ in 0..<10 { _ = rig.allocate(Self.nonce) }
    #expect(rig.respond(ChannelID(rawValue: third), .cbor, [0]))
    #expect(rig.drain() == [Wire.initial(0x10, [0], on: third)])
  }

  @Test("channel numbers never are zero or all ones, and never one that is in use")
  func channelNumbers() {
    struct Fixed: RandomSource {
      let value: [UInt8]
      func bytes(_ count: Int) -> [UInt8] { value }
    }
    var device = KeyDevice(random: Fixed(value: [0xff, 0xff, 0xff, 0xfd]))
    let clock = ManualClock()
    var numbers: [UInt32] = []
    for _ in 0..<3 {
      _ = device.receive(Wire.initRequest(Self.nonce), now: clock.now)
      let reply = device.nextReport() ?? []
      numbers.append(reply.dropFirst(15).prefix(4).reduce(0) { $0 << 8 | UInt32($1) })
    }
    #expect(numbers == [0xffff_fffe, 1, 2])
  }

  @Test("losing power forgets channels, lock and what was under way")
  func powerCycle() {
    let rig = DeviceRig()
    _ = rig.send(Wire.initial(0x04, [10], on: rig.first), Wire.initial(0x10, [4], on: rig.first))
    rig.device.powerCycle()
    #expect(rig.device.activeChannel == nil && rig.device.nextDeadline == nil)
    #expect(rig.send(Wire.initial(0x01, [1], on: rig.first)) == [Wire.error(0x0b, on: rig.first)])
    #expect(rig.allocate(Self.nonce) != 0)
  }

  @Test("what the device cannot do is an invalid command", arguments: [0x02, 0x05, 0x3b, 0x3f, 0x40, 0x66, 0x7f])
  func invalidCommand(command: Int) {
    let rig = DeviceRig()
    #expect(rig.send(Wire.initial(UInt8(command), on: rig.first)) == [Wire.error(1, on: rig.first)])
  }

  @Test("capabilities decide which commands there are")
  func capabilities() {
    let rig = DeviceRig { $0.capabilities = [.noMSG] }
    for command: UInt8 in [0x08, 0x10, 0x03] {
      #expect(rig.send(Wire.initial(command, [1], on: rig.first)) == [Wire.error(1, on: rig.first)])
    }
    let vendor = DeviceRig { $0.takesVendorCommands = true }
    #expect(vendor.send(Wire.initial(0x41, [7], on: vendor.first)) == [])
    let channel = ChannelID(rawValue: vendor.first)
    #expect(vendor.events == [.message(channel: channel, command: CTAPHIDCommand(rawValue: 0x41), payload: [7])])
  }

  @Test(
    "wrong lengths are refused",
    arguments: [
      (0x06, 7), (0x06, 9), (0x04, 0), (0x04, 2), (0x08, 1), (0x10, 0), (0x03, 0), (0x01, 7610), (0x10, 65535),
    ])
  func invalidLength(command: Int, length: Int) {
    let rig = DeviceRig()
    let report = Wire.initial(UInt8(command), length: length, on: rig.first)
    #expect(rig.send(report) == [Wire.error(3, on: rig.first)])
  }

  @Test("a report of the wrong size is ignored", arguments: [0, 1, 7, 63, 65])
  func reportSize(count: Int) {
    let rig = DeviceRig()
    let report = Array((Wire.initial(0x01, [1], on: rig.first) + [0]).prefix(count))
    #expect(rig.send(report) == [])
  }
}
