import BridgeTestSupport
import CTAPHID
import Testing
import Timing

/// Streams of reports from a seed, most of them nearly right, that must never trap or grow without bound.
@Suite("Reports at random")
struct FuzzTests {
  static let channels: [UInt32] = [Wire.own, Wire.own, Wire.own, Wire.foreign, Wire.broadcast, 0]
  static let commands: [UInt8] = [0x01, 0x03, 0x04, 0x06, 0x08, 0x10, 0x10, 0x11, 0x3b, 0x3f, 0x41]
  static let lengths = [0, 1, 8, 17, 57, 58, 100, 7609, 7610, 65535]

  static func report(_ generator: inout SplitMix64, channels: [UInt32] = channels, size: Int = 64) -> [UInt8] {
    var report = Wire.big(channels.randomElement(using: &generator) ?? 0)
    if Bool.random(using: &generator) {
      report.append(0x80 | (commands.randomElement(using: &generator) ?? 0))
      let length = lengths.randomElement(using: &generator) ?? 0
      report += [UInt8(length >> 8), UInt8(length & 0xff)]
    } else {
      report.append(UInt8.random(in: 0...4, using: &generator))
    }
    while report.count < size { report.append(UInt8.random(in: 0...2, using: &generator)) }
    switch Int.random(in: 0..<20, using: &generator) {
    case 0: return Array(report.prefix(Int.random(in: 0...size, using: &generator)))
    case 1: return report + [0]
    case 2: return (0..<size).map { _ in UInt8.random(in: 0...255, using: &generator) }
    default: return Array(report.prefix(size))
    }
  }

  @Test("the host's machine takes any stream", arguments: 1...20)
  func host(seed: UInt64) {
    var generator = SplitMix64(seed: seed)
    var machine = HostTransaction(
      channel: ChannelID(rawValue: Wire.own), command: seed.isMultiple(of: 3) ? .msg : .cbor, reportSize: 64)
    for _ in 0..<2000 {
      if case .answer(let answer) = machine.receive(Self.report(&generator)) { #expect(answer.count <= 7609) }
      if let partial = machine.partialAnswer { #expect(partial.received < partial.length && partial.length <= 7609) }
    }
  }

  @Test("the key's machine takes any stream, and answers only on the channel that spoke", arguments: 1...20)
  func key(seed: UInt64) {
    var generator = SplitMix64(seed: seed)
    let rig = DeviceRig { $0.takesVendorCommands = seed.isMultiple(of: 2) }
    let channels = [rig.first, rig.first, rig.second, Wire.broadcast, 0, 0x7777_7777]
    for _ in 0..<2000 {
      let report = Self.report(&generator, channels: channels)
      rig.events = []
      let answers = rig.send(report)
      for answer in answers {
        #expect(answer.count == 64)
        // A report that finds a message timed out has the timed-out channel hear of it, too.
        if answer[4] != 0xbf { #expect(answer.prefix(4).elementsEqual(report.prefix(4))) }
      }
      for case .message(let channel, let command, let payload) in rig.events
      where Bool.random(using: &generator) {
        _ = rig.respond(channel, command, payload)
        _ = rig.drain()
      }
      if Int.random(in: 0..<10, using: &generator) == 0 { _ = rig.pass(.milliseconds(300)) }
    }
  }

  @Test("an exchange with a key that sends anything ends in time, with an answer or an error", arguments: 1...60)
  func exchange(seed: UInt64) throws {
    /// A key whose reports are random and whose ears are shut.
    final class Babbling: ReportTransport {
      var generator: SplitMix64
      let clock: ManualClock
      var isBabbling = false
      var reply: [UInt8]?
      var reportSizes: ReportSizes { .standard }
      init(_ seed: UInt64, _ clock: ManualClock) {
        generator = SplitMix64(seed: seed)
        self.clock = clock
      }
      func open(deadline: Instant, cancellation: Cancellation) throws(TransportError) {}
      func close() {}
      func write(_ report: [UInt8]) throws(TransportError) {
        guard report[4] == 0x86 else { return }
        let channel = report.prefix(4).reduce(0) { $0 << 8 | UInt32($1) }
        reply = Wire.initReply(Array(report[7..<15]), on: channel)
      }
      func read(deadline: Instant) throws(TransportError) -> [UInt8]? {
        defer { reply = nil }
        if let reply { return reply }
        let pause = Duration.milliseconds(Int.random(in: 0...60, using: &generator))
        guard isBabbling, clock.now + pause <= deadline else {
          clock.sleep(until: deadline)
          return nil
        }
        clock.advance(by: pause)
        return FuzzTests.report(&generator)
      }
    }
    let clock = ManualClock()
    let transport = Babbling(seed, clock)
    let channel = HostChannel(transport: transport, clock: clock, random: SeededRandom(seed: seed))
    try channel.open(Wait(deadline: clock.now + .seconds(1)))
    transport.isBabbling = true
    for index in 0..<10 {
      let start = clock.now
      do throws(CTAPHIDError) {
        let answer = try channel.exchange(
          .cbor, [UInt8(index)], repeatable: index.isMultiple(of: 2), Wait(deadline: start + .seconds(20))
        ) { $0.count.isMultiple(of: 2) ? nil : "odd" }
        #expect(answer.count.isMultiple(of: 2))
      } catch {
        #expect(error != .notOpen)
      }
      #expect(clock.now.since(start) <= .seconds(20) + Tuning.standard.longestOvertime)
    }
  }
}
