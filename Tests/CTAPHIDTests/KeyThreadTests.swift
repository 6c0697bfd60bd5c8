import BridgeTestSupport
import CTAPHID
import Octets
import Synchronization
import Testing
import Timing

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

@Suite("The key's thread")
struct KeyThreadTests {
  /// State that may not leave its thread.
  final class Counter {
    var count = 0
  }

  final class Order: Sendable {
    let indices = Mutex<[Int]>([])
    func add(_ index: Int) { indices.withLock { $0.append(index) } }
  }

  actor Owner {
    private let thread: KeyThread
    private let counter = Counter()
    nonisolated var unownedExecutor: UnownedSerialExecutor { thread.asUnownedSerialExecutor() }

    init(_ thread: KeyThread) { self.thread = thread }

    func count() -> (count: Int, isOnThread: Bool) {
      counter.count += 1
      return (counter.count, thread.isCurrent)
    }

    nonisolated func assume() -> Int { assumeIsolated { $0.counter.count } }
    func assumeInside() -> Int { assume() }
  }

  @Test("work runs on the thread, in order, and its value or error comes back")
  func run() async throws {
    let thread = try KeyThread()
    #expect(!thread.isCurrent)
    #expect(await thread.run { thread.isCurrent })
    await #expect(throws: CTAPHIDError.notOpen) {
      try await thread.run { () throws(CTAPHIDError) -> Int in throw .notOpen }
    }
    let order = Order()
    for index in 0..<8 { await thread.run { order.add(index) } }
    #expect(order.indices.withLock { $0 } == Array(0..<8))
  }

  @Test("an actor with the thread as its executor runs there, with state that is not Sendable")
  func actor() async throws {
    let owner = Owner(try KeyThread())
    for expected in 1...100 {
      let (count, isOnThread) = await owner.count()
      #expect(count == expected && isOnThread)
    }
    #expect(await owner.assumeInside() == 100)
  }

  @Test("a blocking call on the thread does not hold up other work")
  func blocking() async throws {
    let threads = try (0..<16).map { _ in try KeyThread() }
    let release = Cancellation()
    await withTaskGroup { group in
      for thread in threads {
        group.addTask { await thread.run { while !release.isCancelled { usleep(1000) } } }
      }
      // With as many blocked calls as this, a shared pool would have no thread left to come here on.
      group.addTask { release.cancel() }
    }
  }

  @Test("state is made, used and kept on the thread")
  func threadBound() async throws {
    let clock = ManualClock()
    let thread = try KeyThread()
    let channel = await ThreadBound(thread) {
      #expect(thread.isCurrent)
      let device = KeyDevice(random: SeededRandom(seed: 1))
      let transport = DeviceTransport(device: device, clock: clock) { _, payload in .answer(payload) }
      return HostChannel(transport: transport, clock: clock, random: SeededRandom(seed: 2))
    }
    let wait = Wait(deadline: clock.now + .seconds(5))
    try await channel.run { channel throws(CTAPHIDError) in try channel.open(wait) }
    let answer = try await channel.run { channel throws(CTAPHIDError) in
      try channel.exchange(.cbor, [7], repeatable: false, wait)
    }
    #expect(answer == [7])
    #expect(await channel.run { _ in thread.isCurrent })
    await #expect(throws: CTAPHIDError.messageTooLong(size: 8000, limit: 7609)) {
      try await channel.run { channel throws(CTAPHIDError) in
        try channel.ping([UInt8](repeating: 0, count: 8000), wait)
      }
    }
  }

  @Test("an error while the state is made comes back")
  func threadBoundFails() async throws {
    let thread = try KeyThread()
    await #expect(throws: CTAPHIDError.notOpen) {
      _ = try await ThreadBound<Counter>(thread) { () throws(CTAPHIDError) in throw .notOpen }
    }
  }

  /// Counts the threads that ended, by a destructor that the system calls on each.
  static let ended = Atomic(0)

  @Test("threads end when they are let go")
  func noLeak() async throws {
    var key = pthread_key_t()
    try #require(pthread_key_create(&key) { _ in KeyThreadTests.ended.add(1, ordering: .relaxed) } == 0)
    let markKey = key
    let mark = { @Sendable in _ = pthread_setspecific(markKey, UnsafeRawPointer(bitPattern: 1)) }
    for _ in 0..<50 {
      let thread = try KeyThread()
      await thread.run(mark)
      let bound = await ThreadBound(thread) { Counter() }
      _ = await bound.run { $0.count }
    }
    for _ in 0..<500 where Self.ended.load(ordering: .relaxed) < 50 { usleep(10_000) }
    #expect(Self.ended.load(ordering: .relaxed) == 50)
  }
}
