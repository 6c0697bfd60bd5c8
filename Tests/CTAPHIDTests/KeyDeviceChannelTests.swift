import BridgeTestSupport
import CTAPHID
import Testing
import Timing

// The cases of `test_hid.py` in solokeys/fido2-tests (commit of 2022, Apache-2.0 or MIT), written anew against the state
// machine. Where that suite uses a channel that nobody handed out, these use one that the key did.
@Suite("The key among several channels")
struct KeyDeviceChannelTests {
  static let nonce = KeyDeviceTests.nonce

  /// A ping of 1024 bytes of which three reports have come.
  static func begun(_ rig: DeviceRig) {
    let reports = Wire.message(0x01, [UInt8](repeating: 0, count: 1024), on: rig.first)
    #expect(rig.send(reports[0], reports[1], reports[2]) == [])
  }

  @Test("a message over the limit is an invalid length")
  func oversize() {
    let rig = DeviceRig()
    #expect(rig.send(Wire.initial(0x01, length: 0x1dba, on: rig.first)) == [Wire.error(3, on: rig.first)])
  }

  @Test("a skipped sequence number is an invalid sequence, and ends the message")
  func skippedSequence() {
    let rig = DeviceRig()
    let reports = Wire.message(0x01, [UInt8](repeating: 0x44, count: 0x490), on: rig.first)
    #expect(rig.send(reports[0], reports[1], reports[2], reports[4]) == [Wire.error(4, on: rig.first)])
    #expect(rig.send(reports[3], reports[5]) == [])
    #expect(rig.device.activeChannel == nil)
  }

  @Test("a repeated sequence number is an invalid sequence")
  func repeatedSequence() {
    let rig = DeviceRig()
    let reports = Wire.message(0x01, [UInt8](repeating: 0x44, count: 0x490), on: rig.first)
    #expect(rig.send(reports[0], reports[1], reports[1]) == [Wire.error(4, on: rig.first)])
  }

  @Test("INIT on a channel keeps the channel, and a ping follows")
  func resynchronise() {
    let rig = DeviceRig()
    let reply = Wire.initial(0x06, Self.nonce + Wire.big(rig.first) + [2, 1, 0, 0, 5], on: rig.first)
    #expect(rig.send(Wire.initRequest(Self.nonce, on: rig.first)) == [reply])
    let ping = Wire.message(0x01, [UInt8](repeating: 7, count: 100), on: rig.first)
    #expect(rig.send(ping[0], ping[1]) == ping)
  }

  @Test("INIT aborts a message that is coming in")
  func pingAbort() {
    let rig = DeviceRig()
    Self.begun(rig)
    #expect(rig.send(Wire.initRequest(Self.nonce, on: rig.first)).count == 1)
    #expect(rig.pass(.seconds(2)) == [])
    #expect(rig.events == [])
  }

  @Test("INIT aborts a request that is being worked on, and what was queued for its channel")
  func workAbort() {
    let rig = DeviceRig()
    let channel = ChannelID(rawValue: rig.first)
    _ = rig.send(Wire.initial(0x10, [1], on: rig.first))
    rig.device.keepAlive(.userPresenceNeeded, now: rig.clock.now)
    rig.events = []
    let sent = rig.send(Wire.initRequest(Self.nonce, on: rig.first))
    #expect(sent.count == 1 && sent.first?[4] == 0x86)
    #expect(rig.events == [.aborted(channel: channel)])
    #expect(!rig.respond(channel, .cbor, [0]))
    #expect(rig.drain() == [])
  }

  @Test("what is queued for other channels stays when a channel begins anew")
  func queueOfOthers() {
    let rig = DeviceRig()
    let ping = Wire.initial(0x01, [5], on: rig.second)
    _ = rig.device.receive(ping, now: rig.clock.now)
    _ = rig.device.receive(Wire.initial(0x01, [6], on: rig.first), now: rig.clock.now)
    let sent = rig.send(Wire.initRequest(Self.nonce, on: rig.first))
    #expect(sent.count == 2)
    #expect(sent.first == ping)
    #expect(sent.last?[4] == 0x86)
  }

  @Test("INIT from another channel is answered while a message comes in, which times out on its own")
  func initFromAnother() {
    let rig = DeviceRig()
    Self.begun(rig)
    #expect(rig.send(Wire.initRequest(Self.nonce)).first?[4] == 0x86)
    #expect(rig.send(Wire.initRequest(Self.nonce, on: rig.second)).first?[4] == 0x86)
    #expect(rig.pass(.seconds(1)) == [Wire.error(5, on: rig.first)])
  }

  @Test("a device may refuse INIT from another channel as busy")
  func initRefused() {
    let rig = DeviceRig { $0.answersInitWhileBusy = false }
    Self.begun(rig)
    #expect(rig.send(Wire.initRequest(Self.nonce)) == [Wire.error(6, on: Wire.broadcast)])
  }

  @Test("a message whose rest does not come times out after 500 ms")
  func timeout() {
    let rig = DeviceRig()
    Self.begun(rig)
    #expect(rig.pass(.milliseconds(499)) == [])
    #expect(rig.pass(.milliseconds(1)) == [Wire.error(5, on: rig.first)])
    #expect(rig.device.activeChannel == nil)
  }

  @Test("a report that comes just too late finds the message timed out")
  func late() {
    let rig = DeviceRig()
    let reports = Wire.message(0x01, [UInt8](repeating: 0, count: 100), on: rig.first)
    _ = rig.send(reports[0])
    rig.clock.advance(by: .milliseconds(500))
    #expect(rig.send(reports[1]) == [Wire.error(5, on: rig.first)])
  }

  @Test("an initial report in the middle of a message is an invalid sequence")
  func notContinuation() {
    let rig = DeviceRig()
    Self.begun(rig)
    #expect(rig.send(Wire.initial(0x01, length: 0x1000, on: rig.first)) == [Wire.error(4, on: rig.first)])
  }

  @Test("a continuation out of the blue is ignored")
  func strayContinuation() {
    let rig = DeviceRig()
    #expect(rig.send(Wire.continuation(1, [0x10], on: rig.first)) == [])
    #expect(rig.pass(.seconds(2)) == [])
    _ = rig.send(Wire.initial(0x10, [4], on: rig.first))
    #expect(rig.send(Wire.continuation(0, [0x10], on: rig.first)) == [])
  }

  @Test("a second channel finds the first one busy, which then times out")
  func busy() {
    let rig = DeviceRig()
    Self.begun(rig)
    #expect(rig.send(Wire.initial(0x01, length: 0x400, on: rig.second)) == [Wire.error(6, on: rig.second)])
    #expect(rig.pass(.seconds(1)) == [Wire.error(5, on: rig.first)])
  }

  @Test("a second channel's reports do not disturb the first one's message")
  func busyInterleaved() {
    let rig = DeviceRig()
    let first = Wire.message(0x01, [UInt8](repeating: 3, count: 99), on: rig.first)
    let second = Wire.message(0x01, [UInt8](repeating: 4, count: 99), on: rig.second)
    #expect(rig.send(first[0]) == [])
    #expect(rig.send(second[0]) == [Wire.error(6, on: rig.second)])
    _ = rig.pass(.milliseconds(100))
    #expect(rig.send(second[1]) == [])
    #expect(rig.send(first[1]) == first)
  }

  @Test("a request on the same channel while one is worked on finds it busy")
  func sameChannelBusy() {
    let rig = DeviceRig()
    _ = rig.send(Wire.initial(0x10, [4], on: rig.first))
    #expect(rig.send(Wire.initial(0x10, [4], on: rig.first)) == [Wire.error(6, on: rig.first)])
    #expect(rig.respond(ChannelID(rawValue: rig.first), .cbor, [0]))
  }

  @Test("channel zero is invalid, for INIT too")
  func channelZero() {
    let rig = DeviceRig()
    #expect(rig.send(Wire.initRequest(Self.nonce, on: 0)) == [Wire.error(0x0b, on: 0)])
  }

  @Test("the broadcast channel is invalid for anything but INIT")
  func broadcastMisuse() {
    let rig = DeviceRig()
    #expect(rig.send(Wire.initial(0x01, Self.nonce, on: Wire.broadcast)) == [Wire.error(0x0b, on: Wire.broadcast)])
  }

  @Test("a channel that was not handed out is invalid, for INIT too")
  func unknownChannel() {
    let rig = DeviceRig()
    #expect(rig.send(Wire.initial(0x01, [1], on: 0x1234_5678)) == [Wire.error(0x0b, on: 0x1234_5678)])
    #expect(rig.send(Wire.initRequest(Self.nonce, on: 0x1234_5678)) == [Wire.error(0x0b, on: 0x1234_5678)])
  }

  @Test("INIT of several reports, as small reports need, is refused while another channel is busy")
  func smallInit() {
    let rig = DeviceRig()
    var configuration = KeyDevice.Configuration()
    configuration.reportSizes = ReportSizes(input: 64, output: 8)
    rig.device = KeyDevice(configuration: configuration, random: SeededRandom(seed: 1))
    var replies: [[UInt8]] = []
    for report in Wire.message(0x06, Self.nonce, on: Wire.broadcast, size: 8) { replies += rig.send(report) }
    let channel = replies[0].dropFirst(15).prefix(4).reduce(0) { $0 << 8 | UInt32($1) }
    _ = rig.send(Wire.initial(0x10, [4], on: channel, size: 8))
    #expect(
      rig.send(Wire.message(0x06, Self.nonce, on: Wire.broadcast, size: 8)[0]) == [Wire.error(6, on: Wire.broadcast)])
  }
}
