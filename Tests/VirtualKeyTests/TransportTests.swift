import BridgeTestSupport
import CTAPHID
import CTAPMessages
import Foundation
import Testing
import Timing

@testable import VirtualKey

@Suite("the key in process")
struct TransportTests {
  private let clock = ManualClock()

  private func port(
    _ configuration: VirtualKeyConfiguration = VirtualKeyConfiguration(), store: any VirtualKeyStore = MemoryStore()
  ) throws -> VirtualKeyPort {
    try VirtualKeyPort(configuration: configuration, store: store, clock: clock, random: SeededRandom())
  }

  private var soon: Instant { clock.now + .seconds(1) }

  private func open(_ port: VirtualKeyPort) throws -> VirtualKeyTransport {
    let transport = port.transport()
    try transport.open(deadline: soon, cancellation: Cancellation())
    return transport
  }

  /// Gets a channel, passing over what is for others.
  private func channel(_ transport: VirtualKeyTransport, _ nonce: UInt8) throws -> ChannelID {
    let payload = [UInt8](repeating: nonce, count: 8)
    try send(transport, .broadcast, .initialise, payload)
    while let report = try transport.read(deadline: soon) {
      if case .initial(.broadcast, .initialise, _, let data) = Packet(report: report), data.first == nonce {
        return try #require(InitReply(Array(data.prefix(17)))).channel
      }
    }
    throw TransportError.closed
  }

  private func send(
    _ transport: VirtualKeyTransport, _ channel: ChannelID, _ command: CTAPHIDCommand, _ payload: [UInt8]
  ) throws {
    let size = transport.reportSizes.output
    for report in Packet.reports(channel: channel, command: command, payload: payload, size: size) ?? [] {
      try transport.write(report)
    }
  }

  @Test("a transport carries reports both ways, and waits only as long as it is told")
  func reports() throws {
    let transport = try open(port())
    #expect(transport.reportSizes == .standard)
    let id = try channel(transport, 1)
    try send(transport, id, .ping, [1, 2, 3])
    let report = try #require(try transport.read(deadline: clock.now))
    #expect(Packet(report: report)?.channel == id)
    let deadline = soon
    #expect(try transport.read(deadline: deadline) == nil)
    #expect(clock.now == deadline)
    #expect(try transport.read(deadline: Instant(nanoseconds: 0)) == nil)
    #expect(clock.now == deadline)
  }

  @Test("a closed transport does nothing, and a report of the wrong size is refused")
  func closed() throws {
    let transport = try port().transport()
    #expect(throws: TransportError.closed) { try transport.read(deadline: soon) }
    #expect(throws: TransportError.closed) { try transport.write([UInt8](repeating: 0, count: 64)) }
    try transport.open(deadline: soon, cancellation: Cancellation())
    try transport.open(deadline: soon, cancellation: Cancellation())
    #expect(throws: TransportError.failed(operation: "write", code: 22, message: "the report has 65 bytes")) {
      try transport.write([UInt8](repeating: 0, count: 65))
    }
    transport.close()
    transport.close()
    #expect(throws: TransportError.closed) { try transport.read(deadline: soon) }
  }

  @Test("every open transport sees every report, and each has a channel of its own")
  func shared() throws {
    let port = try port(.with(presence: .never))
    let one = try open(port)
    let two = try open(port)
    let first = try channel(one, 1)
    let second = try channel(two, 2)
    #expect(first != second)
    // The first one finds the second one's INIT reply in its own queue.
    let foreign = try #require(try one.read(deadline: clock.now))
    #expect(Packet(report: foreign)?.channel == .broadcast)
    try send(one, first, .cbor, [0x0b])
    #expect(port.isWaitingForTouch)
    try send(two, second, .ping, [1])
    // The keep-alive of the first, then the refusal of the second.
    var seen: [ChannelID] = []
    while let report = try two.read(deadline: clock.now) { seen.append(try #require(Packet(report: report)).channel) }
    #expect(seen == [first, first, second] || seen == [first, second])
    port.touch()
    #expect(port.log.contains { $0.event == .answered(0x0b, .ok, size: 1) })
  }

  @Test("a reader that is far behind loses its oldest reports and nothing else")
  func behind() throws {
    let port = try port()
    let slow = try open(port)
    let quick = try open(port)
    let id = try channel(quick, 1)
    for number in 0..<300 {
      try send(quick, id, .ping, [UInt8(number & 0xff), UInt8(number >> 8)])
      #expect(try quick.read(deadline: clock.now) != nil)
    }
    var numbers: [Int] = []
    while let report = try slow.read(deadline: clock.now) {
      if case .initial(_, .ping, _, let data) = Packet(report: report) {
        numbers.append(Int(data[0]) | Int(data[1]) << 8)
      }
    }
    #expect(numbers == Array(44..<300))
  }

  @Test("a wait ends with the key's own event, on time")
  func events() throws {
    let transport = try open(port(.with(presence: .after(.milliseconds(150)))))
    let id = try channel(transport, 1)
    let start = clock.now
    try send(transport, id, .cbor, [0x0b])
    var moments: [Duration] = []
    while try transport.read(deadline: soon) != nil { moments.append(clock.now.since(start)) }
    #expect(moments == [0, 100, 150].map { .milliseconds($0) })
  }

  @Test("a touch from another thread is noticed")
  func otherThread() async throws {
    // However late the touch comes on a busy machine, the key still waits for it.
    var configuration = VirtualKeyConfiguration.with(presence: .never)
    configuration.touchTimeout = TouchTimeout(after: .seconds(3600))
    let port = try VirtualKeyPort(configuration: configuration)
    // The reader blocks, and the shared pool has few threads.
    let thread = try KeyThread()
    let answer = Task {
      try await thread.run { () throws -> UInt8? in
        let transport = port.transport()
        let deadline = SystemClock().now + .seconds(3600)
        try transport.open(deadline: deadline, cancellation: Cancellation())
        try transport.write(
          Packet.initial(channel: .broadcast, command: .initialise, length: 8, data: [1, 2, 3, 4, 5, 6, 7, 8])
            .report(size: 64))
        let reply = try #require(try transport.read(deadline: deadline))
        let id = try #require(InitReply(Array(reply[7..<24]))).channel
        try transport.write(Packet.initial(channel: id, command: .cbor, length: 1, data: [0x0b]).report(size: 64))
        while let report = try transport.read(deadline: deadline) {
          if case .initial(id, .cbor, _, let data) = Packet(report: report) { return data.first }
        }
        return nil
      }
    }
    while !port.isWaitingForTouch { try await Task.sleep(for: .milliseconds(1)) }
    port.touch()
    #expect(try await answer.value == 0)
  }

  @Test("an unplugged key ends reads, writes and opens, and comes back with power")
  func unplug() throws {
    let port = try port()
    let transport = try open(port)
    port.unplug()
    #expect(port.isUnplugged)
    #expect(throws: TransportError.unplugged) { try transport.read(deadline: soon) }
    #expect(throws: TransportError.unplugged) { try transport.write([UInt8](repeating: 0, count: 64)) }
    #expect(throws: TransportError.unplugged) { try open(port) }
    port.powerCycle()
    // The old transport is dead for good, as the node of a key that was pulled out.
    #expect(throws: TransportError.unplugged) { try transport.read(deadline: soon) }
    #expect(throws: TransportError.unplugged) { try transport.write([UInt8](repeating: 0, count: 64)) }
    _ = try channel(try open(port), 1)
    transport.close()
    try transport.open(deadline: soon, cancellation: Cancellation())
    _ = try channel(transport, 2)
    port.clearLog()
    #expect(port.log.isEmpty)
  }

  @Test("what came before the end is still read")
  func lastReports() throws {
    let port = try port()
    let one = try open(port)
    let two = try open(port)
    _ = try channel(one, 1)
    port.powerCycle()
    #expect(try two.read(deadline: soon) != nil)
    #expect(throws: TransportError.unplugged) { try two.read(deadline: soon) }
  }

  @Test("a key that is pulled out half-way through an answer gives what it sent before")
  func unplugFault() throws {
    var configuration = VirtualKeyConfiguration()
    configuration.faults = FaultPlan([.unplugAfterSending(2)])
    let port = try port(configuration)
    let transport = try open(port)
    let id = try channel(transport, 1)
    try send(transport, id, .cbor, [0x04])
    #expect(try transport.read(deadline: soon) != nil)
    #expect(throws: TransportError.unplugged) { try transport.read(deadline: soon) }
  }

  @Test("the store is held while a transport is open; who waits for it can give up")
  func store() throws {
    let store = WatchedStore()
    let port = try port(store: store)
    #expect(!store.isTaken)
    let one = try open(port)
    let two = try open(port)
    #expect(store.isTaken)
    one.close()
    #expect(store.isTaken)
    two.close()
    #expect(!store.isTaken)
    store.isTaken = true
    let deadline = soon
    #expect(throws: TransportError.busy("Virtual Key")) {
      try port.transport().open(deadline: deadline, cancellation: Cancellation())
    }
    #expect(clock.now == deadline)
    let cancelled = Cancellation()
    cancelled.cancel()
    #expect(throws: TransportError.cancelled) { try port.transport().open(deadline: soon, cancellation: cancelled) }
    // A transport that is dropped without being closed gives the store back as well.
    store.isTaken = false
    do { _ = try open(port) }
    #expect(!store.isTaken)
  }

  @Test("opening reads what another process has written meanwhile")
  func reload() throws {
    let folder = try TestFolder()
    let one = try port(store: FileStore(path: folder("key")))
    let two = try port(store: FileStore(path: folder("key")))
    let host = try open(one)
    let id = try channel(host, 1)
    try send(host, id, .cbor, CTAPRequest.encode(.makeCredential, MakeCredentialRequest.sample(rk: true)))
    #expect(throws: TransportError.busy("Virtual Key")) { try open(two) }
    host.close()
    let other = try open(two)
    let otherID = try channel(other, 2)
    try send(other, otherID, .cbor, CTAPRequest.encode(.getAssertion, GetAssertionRequest.sample()))
    #expect(two.log.contains { if case .signed = $0.event { true } else { false } })
  }

  @Test("a store that went bad meanwhile keeps the key shut, in words")
  func badStore() throws {
    let folder = try TestFolder()
    let port = try port(store: FileStore(path: folder("key")))
    try folder.write([1], "key")
    let error = #expect(throws: TransportError.self) { try open(port) }
    guard case .unsuitable(let words) = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(words.contains("not a virtual key's file"))
    try folder.write([], "key")
    _ = try open(port)
    #expect(
      VirtualKeyStoreError.system(operation: "open", path: "/k", code: 13, message: "Permission denied").transportError
        == .failed(operation: "/k: open", code: 13, message: "Permission denied"))
  }

  @Test("a source lists its keys, tells of those that come and go, and leads to each")
  func source() async throws {
    var configuration = VirtualKeyConfiguration()
    configuration.identity = VirtualKeyIdentity(product: "Second", serialNumber: "42")
    let first = try port()
    let second = try port(configuration)
    let source = VirtualKeySource(first)
    var events = source.events().makeAsyncIterator()
    source.plug(second, id: "virtual2")
    let keys = try source.keys()
    #expect(keys.map(\.id) == ["virtual", "virtual2"])
    #expect(keys.map(\.product) == ["Virtual Key", "Second"])
    #expect(keys[1].serialNumber == "42")
    #expect(keys.allSatisfy { $0.isVirtual && $0.vendor == "CTAPBridge" && $0.obstacle == nil })
    #expect(await events.next() == .arrived(keys[1]))
    _ = try channel(try #require(source.transport(to: keys[1]) as? VirtualKeyTransport).opened(soon), 1)
    #expect(second.log.contains { if case .initialised = $0.event { true } else { false } })

    source.unplug(id: "virtual2")
    source.unplug(id: "virtual2")
    #expect(await events.next() == .removed("virtual2"))
    #expect(second.isUnplugged)
    #expect(throws: TransportError.notFound("virtual2")) { try source.transport(to: keys[1]) }
    source.plug(second, id: "virtual2")
    #expect(!second.isUnplugged)
    #expect(await events.next() == .arrived(keys[1]))
    // The same identifier again replaces the key.
    source.plug(first, id: "virtual2")
    #expect(try source.keys().count == 2)
  }

  @Test("a stream of events ends with its consumer")
  func endedStream() async throws {
    let source = VirtualKeySource()
    let task = Task {
      for await _ in source.events() {}
    }
    task.cancel()
    await task.value
    source.plug(try port(), id: "virtual")
    #expect(try source.keys().count == 1)
  }

  @Test("several threads can use one key at once")
  func threads() async throws {
    let port = try VirtualKeyPort()
    try await withThrowingTaskGroup(of: Int.self) { group in
      for nonce in 1...3 {
        group.addTask {
          let transport = port.transport()
          let deadline = SystemClock().now + .seconds(60)
          try transport.open(deadline: deadline, cancellation: Cancellation())
          let payload = [UInt8](repeating: UInt8(nonce), count: 8)
          var count = 0
          for _ in 0..<20 {
            try transport.write(
              Packet.initial(channel: .broadcast, command: .initialise, length: 8, data: payload).report(size: 64))
            while let report = try transport.read(deadline: deadline) {
              if Array(report[7..<15]) == payload {
                count += 1
                break
              }
            }
          }
          return count
        }
      }
      for try await count in group { #expect(count == 20) }
    }
  }
}

extension VirtualKeyTransport {
  fileprivate func opened(_ deadline: Instant) throws -> VirtualKeyTransport {
    try open(deadline: deadline, cancellation: Cancellation())
    return self
  }
}
