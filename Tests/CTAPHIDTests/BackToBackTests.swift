import BridgeTestSupport
import CTAPHID
import Testing
import Timing

@Suite("Host and key, back to back")
struct BackToBackTests {
  /// A host channel over a key in memory.
  struct Pair {
    let clock = ManualClock()
    let transport: DeviceTransport
    let channel: HostChannel

    init(
      sizes: ReportSizes = .standard, change: (inout KeyDevice.Configuration) -> Void = { _ in },
      answer: @escaping DeviceTransport.Answer
    ) throws {
      var configuration = KeyDevice.Configuration()
      configuration.reportSizes = sizes
      change(&configuration)
      let device = KeyDevice(configuration: configuration, random: SeededRandom(seed: 3))
      transport = DeviceTransport(device: device, clock: clock, answer: answer)
      channel = HostChannel(transport: transport, clock: clock, random: SeededRandom(seed: 4))
      try channel.open(wait)
    }

    var wait: Wait { Wait(deadline: clock.now + .seconds(30)) }

    func cbor(_ payload: [UInt8]) throws(CTAPHIDError) -> [UInt8] {
      try channel.exchange(.cbor, payload, repeatable: false, wait)
    }
  }

  static func payload(_ count: Int) -> [UInt8] { (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 13 &+ 1) } }

  @Test("messages of every boundary size, at every report size", arguments: 8...64)
  func everySize(size: Int) throws {
    let pair = try Pair(sizes: ReportSizes(input: size, output: size)) { _, payload in .answer(payload) }
    let limit = (size - 7) + 128 * (size - 5)
    #expect(pair.channel.requestLimit == limit)
    for count in [0, 1, size - 8, size - 7, size - 6, 2 * size - 12, 2 * size - 11, limit - 1, limit] where count >= 0 {
      try pair.channel.ping(Self.payload(count), pair.wait)
      if count > 0 { #expect(try pair.cbor(Self.payload(count)) == Self.payload(count)) }
    }
    #expect(throws: CTAPHIDError.messageTooLong(size: limit + 1, limit: limit)) {
      try pair.channel.ping(Self.payload(limit + 1), pair.wait)
    }
  }

  @Test("message sizes over the whole range at 64 bytes")
  func manySizes() throws {
    let pair = try Pair { _, payload in .answer(payload) }
    for count in stride(from: 1, through: 7609, by: 41) {
      let answer = try pair.cbor(Self.payload(count))
      guard answer == Self.payload(count) else {
        Issue.record("\(count) bytes came back wrong")
        return
      }
    }
  }

  @Test("reports of different sizes in the two directions", arguments: [(8, 64), (64, 8), (17, 33), (33, 17)])
  func unequalSizes(input: Int, output: Int) throws {
    let pair = try Pair(sizes: ReportSizes(input: input, output: output)) { _, payload in .answer(payload) }
    let limit = min((input - 7) + 128 * (input - 5), (output - 7) + 128 * (output - 5))
    #expect(try pair.cbor(Self.payload(limit)) == Self.payload(limit))
  }

  @Test("a key that works for a while is waited for")
  func slow() throws {
    let pair = try Pair { _, _ in .answer([0, 1], after: .seconds(20), status: .userPresenceNeeded) }
    #expect(try pair.cbor([1]) == [0, 1])
  }

  @Test("a key that works for ever is cancelled at the deadline, and knows it")
  func cancelled() throws {
    let pair = try Pair { _, _ in .work(status: .userPresenceNeeded) }
    #expect(throws: CTAPHIDError.timeout(.userPresence, mayHaveBeenTaken: false)) { try pair.cbor([1]) }
    let channel = try #require(pair.channel.channel)
    #expect(pair.transport.events.last == .cancel(channel: channel))
    try pair.channel.ping([1], pair.wait)
  }

  @Test("an ERROR frame of the key comes through")
  func refused() throws {
    let pair = try Pair { _, _ in .refuse(.invalidParameter) }
    #expect(throws: CTAPHIDError.errorFrame(.invalidParameter, mayHaveBeenTaken: false)) { try pair.cbor([1]) }
  }

  @Test("a key that lost its power in between gets a new channel, and the request again")
  func powerCycle() throws {
    let pair = try Pair { _, payload in .answer(payload) }
    let before = pair.channel.channel
    pair.transport.device.powerCycle()
    #expect(try pair.cbor([1, 2]) == [1, 2])
    #expect(pair.channel.channel != before)
  }

  @Test("WINK and LOCK reach the key")
  func smallCommands() throws {
    let pair = try Pair { _, payload in .answer(payload) }
    try pair.channel.wink(pair.wait)
    try pair.channel.lock(seconds: 10, pair.wait)
    #expect(pair.transport.events == [.wink])
  }

  @Test("a key that is locked by another program lets us in when the lock ends")
  func locked() throws {
    let pair = try Pair { _, payload in .answer(payload) }
    var device = pair.transport.device
    _ = device.receive(Wire.initRequest([9, 9, 9, 9, 9, 9, 9, 9]), now: pair.clock.now)
    let other = device.nextReport()?.dropFirst(15).prefix(4).reduce(0) { $0 << 8 | UInt32($1) } ?? 0
    _ = device.receive(Wire.initial(0x04, [5], on: other), now: pair.clock.now)
    _ = device.nextReport()
    pair.transport.device = device
    let start = pair.clock.now
    #expect(try pair.cbor([0, 2]) == [0, 2])
    #expect((.seconds(5)...(.milliseconds(5200))).contains(pair.clock.now.since(start)))
  }

  @Test("a closed transport says so")
  func closed() throws {
    let pair = try Pair { _, payload in .answer(payload) }
    pair.channel.close()
    #expect(throws: TransportError.closed) { try pair.transport.write([]) }
    #expect(throws: TransportError.closed) { try pair.transport.read(deadline: pair.clock.now) }
  }
}
