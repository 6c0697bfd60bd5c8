import BridgeTestSupport
import CTAPHID
import Octets
import Testing
import Timing
import VirtualKey

@testable import FaultMatrix

@Suite("The line with one fault")
struct FaultLineTests {
  static let channel = ChannelID(rawValue: 0x0102_0304)
  static let nonce: [UInt8] = [1, 1, 2, 3, 5, 8, 13, 21]

  /// A host that sends INIT, and the reports that come back within a second.
  struct Host {
    let clock = ManualClock()
    let port: VirtualKeyPort
    let line: FaultLine
    let transport: FaultTransport

    init(_ direction: Direction, _ action: LineFault.Action, at position: Int = 0) throws {
      port = try VirtualKeyPort(clock: clock, random: SeededRandom(seed: 3))
      let fault = LineFault(group: .dropped, direction: direction, position: position, action: action, detail: "")
      line = FaultLine(port: port, clock: clock, fault: fault, lateness: clock.now + .seconds(5), isTracing: true)
      transport = FaultTransport(line)
      try transport.open(deadline: clock.now, cancellation: Cancellation())
    }

    func initialise() throws {
      try transport.write(Packet.reports(channel: .broadcast, command: .initialise, payload: nonce, size: 64)?[0] ?? [])
    }

    func reports(within time: Duration = .seconds(1)) throws -> [[UInt8]] {
      let end = clock.now + time
      var reports: [[UInt8]] = []
      while let report = try transport.read(deadline: end) { reports.append(report) }
      return reports
    }
  }

  /// What comes back of an INIT when `action` hits it or its reply.
  static func answer(_ direction: Direction, _ action: LineFault.Action) throws -> [[UInt8]] {
    let host = try Host(direction, action)
    try host.initialise()
    return try host.reports()
  }

  static let plain: [[UInt8]] = (try? answer(.fromKey, .insert([]))) ?? []

  @Test("without a fault one reply comes")
  func plain() {
    #expect(Self.plain.count == 1)
    #expect(Array(Self.plain[0][7..<15]) == Self.nonce)
  }

  @Test("a report is lost in either direction", arguments: Direction.allCases)
  func dropped(_ direction: Direction) throws {
    #expect(try Self.answer(direction, .drop).isEmpty)
  }

  @Test("a report comes twice: the reply, or the replies to two requests")
  func duplicated() throws {
    #expect(try Self.answer(.fromKey, .duplicate) == Self.plain + Self.plain)
    let replies = try Self.answer(.toKey, .duplicate)
    #expect(replies.count == 2)
    #expect(replies[0][15..<19] != replies[1][15..<19])
  }

  @Test("a report is changed as it should be")
  func damaged() throws {
    let reply = Self.plain[0]
    #expect(try Self.answer(.fromKey, .shorten(to: 5)) == [Array(reply.prefix(5))])
    #expect(try Self.answer(.fromKey, .blank(from: 20)) == [reply.prefix(20) + [UInt8](repeating: 0, count: 44)])
    var flipped = reply
    flipped[9] ^= 0x10
    #expect(try Self.answer(.fromKey, .flip(bit: 9 * 8 + 4)) == [flipped])
    #expect(try Self.answer(.fromKey, .move(to: Self.channel)) == [[1, 2, 3, 4] + reply.dropFirst(4)])
    #expect(try Self.answer(.fromKey, .resize(0x1db9))[0][5..<7] == [0x1d, 0xb9])
    #expect(try Self.answer(.fromKey, .renumber(9))[0][4] == 9)
    #expect(try Self.answer(.fromKey, .insert([[1], [2]])) == [[1], [2], reply])
    #expect(try Self.answer(.fromKey, .replace([[1]])) == [[1]])
  }

  @Test("a report is late in either direction, and what follows it too", arguments: Direction.allCases)
  func delayed(_ direction: Direction) throws {
    let host = try Host(direction, .delay)
    let start = host.clock.now
    try host.initialise()
    try host.initialise()
    #expect(try host.reports().isEmpty)
    #expect(try host.reports(within: .seconds(9)).count == 2)
    #expect(host.clock.now.since(start) == .seconds(10))
  }

  @Test("a key refuses what is sent with an ERROR frame, once, for a while, or for ever")
  func refused() throws {
    #expect(try Self.answer(.toKey, .refuse(.channelBusy, for: .zero)) == [.error(.channelBusy, on: .broadcast)])
    let host = try Host(.toKey, .refuse(.channelBusy, for: .seconds(2)))
    try host.initialise()
    #expect(try host.reports() == [.error(.channelBusy, on: .broadcast)])
    try host.initialise()
    #expect(try host.reports() == [.error(.channelBusy, on: .broadcast)])
    try host.initialise()
    #expect(try host.reports() == Self.plain)
  }

  @Test("keep-alives come ten times a second for ever, and nothing else")
  func keepAlives() throws {
    let host = try Host(.toKey, .keepAlives(2))
    try host.initialise()
    let reports = try host.reports(within: .milliseconds(950))
    #expect(reports == [[UInt8]](repeating: .keepAlive(2, on: .broadcast), count: 10))
  }

  @Test("nothing comes through for a while, in either direction", arguments: Direction.allCases)
  func silent(_ direction: Direction) throws {
    let host = try Host(direction, .silence(for: .seconds(2)))
    try host.initialise()
    #expect(try host.reports(within: .seconds(3)).isEmpty)
    try host.initialise()
    #expect(try host.reports().count == 1)
  }

  @Test("a key is pulled out before a report or after it")
  func unplugged() throws {
    #expect(throws: TransportError.unplugged) { try Self.answer(.toKey, .unplug(after: false)) }
    #expect(throws: TransportError.unplugged) { try Self.answer(.fromKey, .unplug(after: false)) }
    let host = try Host(.fromKey, .unplug(after: true))
    try host.initialise()
    #expect(try host.transport.read(deadline: host.clock.now) == Self.plain[0])
    #expect(throws: TransportError.unplugged) { try host.transport.read(deadline: host.clock.now) }
  }

  @Test("another program's INIT, and its whole transaction, are seen before our own reply")
  func foreign() throws {
    let replies = try Self.answer(.toKey, .foreign(.initialise))
    #expect(replies.count == 2)
    #expect(Array(replies[0][7..<15]) != Self.nonce && Array(replies[1][7..<15]) == Self.nonce)
    #expect(try Self.answer(.toKey, .foreign(.transaction)).count > 4)
  }

  @Test("what an earlier program left is there before anything is written")
  func leftover() throws {
    let host = try Host(.fromKey, .insert([[9]]), at: -1)
    #expect(try host.transport.read(deadline: host.clock.now) == [9])
  }

  @Test("a fault happens once, at its report")
  func once() throws {
    let host = try Host(.fromKey, .drop, at: 1)
    for expected in [1, 0, 1] {
      try host.initialise()
      #expect(try host.reports().count == expected)
    }
  }

  @Test("a host that goes round and round is stopped")
  func fuse() throws {
    let host = try Host(.fromKey, .drop)
    #expect(throws: TransportError.unplugged) {
      for _ in 0..<100_000 { _ = try host.transport.read(deadline: host.clock.now) }
    }
    #expect(host.line.isHung)
  }

  @Test("a report that was late reaches the key although the host has gone")
  func finish() throws {
    let host = try Host(.toKey, .delay)
    try host.initialise()
    host.transport.close()
    #expect(!host.port.log.contains { $0.event == .initialised(.broadcast) })
    host.line.finish()
    #expect(host.port.log.contains { $0.event == .initialised(.broadcast) })
  }
}
