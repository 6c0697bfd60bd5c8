public import CTAPHID
public import FIDOCrypto
public import Octets
import Synchronization
public import Timing

/// The place in this process where a virtual key is plugged in: any number of transports, from any threads, reach it here.
///
/// As with a real HID node, every open transport is given every report, those for other channels too. The store is taken
/// while a transport is open, so that two processes on one file do not interleave.
public final class VirtualKeyPort: Sendable {
  let clock: any MonotonicClock
  private let store: any VirtualKeyStore
  private let identity: VirtualKeyIdentity
  private let content: Mutex<Content>

  private struct Content {
    let key: VirtualSecurityKey
    var inboxes: [Int: Inbox] = [:]
    var nextInbox = 0
  }

  /// What an open transport has not read yet.
  private struct Inbox {
    var reports: [[UInt8]] = []
    /// Whether the key lost its power since the transport was opened, which no transport outlives.
    var isDead = false
  }

  /// A reader that is this far behind loses its oldest reports, more than the longest message has.
  private static let inboxLimit = 256

  /// Plugs a key in.
  ///
  /// - Throws: what is wrong with the store; a file that another process holds is read all the same.
  public init(
    configuration: VirtualKeyConfiguration = VirtualKeyConfiguration(), store: any VirtualKeyStore = MemoryStore(),
    clock: any MonotonicClock = SystemClock(), random: any RandomSource = SystemRandom()
  ) throws(VirtualKeyStoreError) {
    self.clock = clock
    self.store = store
    identity = configuration.identity
    let key = try VirtualSecurityKey(configuration: configuration, store: store, random: random, now: clock.now)
    content = Mutex(Content(key: key))
    reportSizes = configuration.reportSizes
  }

  /// The sizes of the key's reports.
  public let reportSizes: ReportSizes

  /// What happened, as the key saw it.
  public var log: [VirtualKeyLogEntry] { content.withLock { $0.key.log } }

  /// Whether the key is pulled out.
  public var isUnplugged: Bool { content.withLock { $0.key.isUnplugged } }

  /// Whether the key waits for a touch now.
  public var isWaitingForTouch: Bool { content.withLock { $0.key.isWaitingForTouch } }

  /// What a source says of the key, under an identifier of its own.
  public func description(id: String) -> KeyDescription {
    KeyDescription(
      id: id, vendorID: identity.vendorID, productID: identity.productID, vendor: identity.vendor,
      product: identity.product, serialNumber: identity.serialNumber, isVirtual: true)
  }

  /// A closed transport to the key.
  public func transport() -> VirtualKeyTransport { VirtualKeyTransport(port: self) }

  /// Touches the key.
  public func touch() { content.withLock { $0.key.touch(now: clock.now) } }

  /// Pulls the key out; open transports find out at their next read or write.
  public func unplug() { content.withLock { $0.key.unplug(now: clock.now) } }

  /// Takes the power away, where it is there, and gives it back; open transports are dead and have to be opened again.
  public func powerCycle() {
    content.withLock { content in
      content.key.powerCycle(now: clock.now)
      for inbox in content.inboxes.keys { content.inboxes[inbox]?.isDead = true }
    }
  }

  /// Empties the log.
  public func clearLog() { content.withLock { $0.key.clearLog() } }

  // MARK: For transports

  func open(deadline: Instant, cancellation: Cancellation) throws(TransportError) -> Int {
    while !(try takeStore()) {
      if cancellation.isCancelled { throw .cancelled }
      let now = clock.now
      guard now < deadline else { throw .busy(identity.product) }
      clock.sleep(until: min(deadline, now + .milliseconds(10)))
    }
    return try content.withLock { (content) throws(TransportError) in
      if content.key.isUnplugged { throw .unplugged }
      let inbox = content.nextInbox
      content.nextInbox += 1
      content.inboxes[inbox] = Inbox()
      return inbox
    }
  }

  func close(_ inbox: Int) {
    content.withLock { content in
      content.inboxes[inbox] = nil
      if content.inboxes.isEmpty { store.release() }
    }
  }

  func write(_ inbox: Int, _ report: [UInt8]) throws(TransportError) {
    try content.withLock { (content) throws(TransportError) in
      if content.key.isUnplugged || content.inboxes[inbox]?.isDead != false { throw .unplugged }
      content.key.receive(report, now: clock.now)
    }
  }

  func read(_ inbox: Int, deadline: Instant) throws(TransportError) -> [UInt8]? {
    while true {
      let now = clock.now
      let (report, nextEvent) = try content.withLock { (content) throws(TransportError) in
        (try Self.next(&content, inbox, now), content.key.nextEvent)
      }
      if let report { return report }
      guard now < deadline else { return nil }
      // Touches and other transports' requests come from other threads: they are looked for every 10 ms.
      let slice = min(deadline, now + .milliseconds(10))
      clock.sleep(until: nextEvent.map { min(max($0, now), slice) } ?? slice)
    }
  }

  private static func next(_ content: inout Content, _ inbox: Int, _ now: Instant) throws(TransportError) -> [UInt8]? {
    guard var own = content.inboxes[inbox] else { throw .closed }
    // What came before the end is still read, as from a kernel's queue.
    if !own.reports.isEmpty {
      let report = own.reports.removeFirst()
      content.inboxes[inbox] = own
      return report
    }
    if own.isDead { throw .unplugged }
    guard let report = content.key.nextReport(now: now) else {
      if content.key.isUnplugged { throw .unplugged }
      return nil
    }
    for (other, var box) in content.inboxes where other != inbox && !box.isDead {
      box.reports.append(report)
      if box.reports.count > inboxLimit { box.reports.removeFirst() }
      content.inboxes[other] = box
    }
    return report
  }

  /// Takes the store for the first transport, and reads what others have written meanwhile.
  private func takeStore() throws(TransportError) -> Bool {
    try content.withLock { (content) throws(TransportError) in
      guard content.inboxes.isEmpty else { return true }
      do throws(VirtualKeyStoreError) {
        guard try store.acquire() else { return false }
        try content.key.reload()
        return true
      } catch {
        store.release()
        throw error.transportError
      }
    }
  }
}

extension VirtualKeyStoreError {
  /// The error of a transport that cannot be opened because of its store.
  var transportError: TransportError {
    if case .system(let operation, let path, let code, let message) = self {
      return .failed(operation: "\(path): \(operation)", code: code, message: message)
    }
    return .unsuitable(description)
  }
}
