import CTAPHID
import FIDOCrypto
import Foundation
import Synchronization
import Testing
import Timing
import VirtualKey

@testable import VirtualKeyUSB

/// A node whose host is the test: a pipe that becomes readable when a report waits.
private final class FakeNode: KernelNode {
  let reportSizes = ReportSizes.standard
  let path = "fake"
  let descriptor: Int32
  private let wake: WakePipe
  private let content = Mutex<Content>(Content())

  private struct Content {
    var toKey: [[UInt8]] = []
    var fromKey: [[UInt8]] = []
    var isStuck = false
    var isClosed = false
    var error: VirtualKeyUSBError?
  }

  init() throws {
    wake = try WakePipe()
    descriptor = wake.readEnd
  }

  var fromKey: [[UInt8]] { content.withLock { $0.fromKey } }
  var isClosed: Bool { content.withLock { $0.isClosed } }

  func send(_ reports: [[UInt8]]) {
    content.withLock { $0.toKey += reports }
    wake.wake()
  }

  func fail(_ error: VirtualKeyUSBError) {
    content.withLock { $0.error = error }
    wake.wake()
  }

  func stick(_ isStuck: Bool) { content.withLock { $0.isStuck = isStuck } }

  func hidraw() -> String? { nil }

  func read() throws(VirtualKeyUSBError) -> [UInt8]? {
    try content.withLock { (content) throws(VirtualKeyUSBError) in
      if let error = content.error { throw error }
      if content.toKey.isEmpty { wake.clear() }
      return content.toKey.isEmpty ? nil : content.toKey.removeFirst()
    }
  }

  func write(_ report: [UInt8]) throws(VirtualKeyUSBError) -> Bool {
    content.withLock { content in
      if content.isStuck { return false }
      content.fromKey.append(report)
      return true
    }
  }

  func close() { content.withLock { $0.isClosed = true } }
}

@Suite("Virtual key host", .timeLimit(.minutes(15)))
struct VirtualKeyHostTests {
  private let node: FakeNode
  private let host: VirtualKeyHost
  private let initialise: [UInt8] =
    [0xFF, 0xFF, 0xFF, 0xFF, 0x86, 0, 8] + [1, 2, 3, 4, 5, 6, 7, 8] + [UInt8](repeating: 0, count: 49)

  init() throws {
    node = try FakeNode()
    host = try VirtualKeyHost(node: node)
  }

  /// Serves a key on a thread of its own while `body` runs.
  private func serving(
    _ configuration: VirtualKeyConfiguration = VirtualKeyConfiguration(), _ body: () async throws -> Void
  ) async throws -> Result<Void, VirtualKeyUSBError> {
    let host = host
    async let outcome = Self.run(host, configuration)
    try await body()
    return try await outcome
  }

  private static func run(
    _ host: VirtualKeyHost, _ configuration: VirtualKeyConfiguration
  ) async throws -> Result<Void, VirtualKeyUSBError> {
    // It blocks, and the shared pool has few threads.
    try await withCheckedThrowingContinuation { continuation in
      Thread.detachNewThread {
        do {
          let key = try VirtualSecurityKey(
            configuration: configuration, random: SystemRandom(), now: SystemClock().now)
          continuation.resume(returning: Result { () throws(VirtualKeyUSBError) in try host.run(key) })
        } catch {
          continuation.resume(throwing: error)
        }
      }
    }
  }

  private func until(_ condition: () -> Bool) async throws {
    while !condition() { try await Task.sleep(for: .milliseconds(2)) }
  }

  @Test("a report is answered, and stopping closes the node")
  func answers() async throws {
    let result = try await serving {
      node.send([initialise])
      try await until { !node.fromKey.isEmpty }
      host.stop()
    }
    #expect(throws: Never.self) { try result.get() }
    #expect(node.fromKey.count == 1)
    #expect(node.fromKey[0][..<15] == [0xFF, 0xFF, 0xFF, 0xFF, 0x86, 0, 17, 1, 2, 3, 4, 5, 6, 7, 8])
    #expect(node.isClosed)
  }

  @Test("reports for a host that does not read wait until it does")
  func stuck() async throws {
    node.stick(true)
    _ = try await serving {
      node.send([initialise])
      try await Task.sleep(for: .milliseconds(20))
      #expect(node.fromKey.isEmpty)
      node.stick(false)
      node.send([initialise])
      try await until { node.fromKey.count == 2 }
      host.stop()
    }
  }

  @Test("a touch ends the wait for it, and the key's own time-outs pass without reports")
  func touches() async throws {
    var configuration = VirtualKeyConfiguration(presence: .never)
    let (events, log) = AsyncStream.makeStream(of: VirtualKeyEvent.self)
    configuration.observer = { log.yield($0.event) }
    _ = try await serving(configuration) {
      node.send([initialise])
      try await until { !node.fromKey.isEmpty }
      let channel = Array(node.fromKey[0][15..<19])
      // authenticatorSelection
      node.send([channel + [0x90, 0, 1, 0x0B] + [UInt8](repeating: 0, count: 56)])
      // Keep-alives come by themselves.
      try await until { node.fromKey.count { $0[4] == 0xBB } >= 2 }
      host.touch()
      try await until { node.fromKey.contains { $0[4] == 0x90 } }
      host.stop()
    }
    log.finish()
    var seen: [VirtualKeyEvent] = []
    for await event in events { seen.append(event) }
    #expect(seen.contains(.touched))
    #expect(node.fromKey.last?[4...7] == [0x90, 0, 1, 0])
  }

  @Test("a key that pulls itself out ends its host")
  func unplugs() async throws {
    var configuration = VirtualKeyConfiguration()
    configuration.faults = FaultPlan([.unplugAfterReceiving(1)])
    let result = try await serving(configuration) { node.send([initialise]) }
    #expect(throws: Never.self) { try result.get() }
    #expect(node.isClosed)
    #expect(node.fromKey.isEmpty)
  }

  @Test("a node that fails ends its host with its error")
  func fails() async throws {
    let result = try await serving { node.fail(.noController) }
    #expect(throws: VirtualKeyUSBError.noController) { try result.get() }
    #expect(node.isClosed)
  }
}
