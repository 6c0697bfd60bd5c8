internal import Synchronization
public import Timing
public import VirtualKey

#if canImport(Darwin)
  internal import Darwin
#else
  internal import Glibc
#endif

/// Keeps a virtual key alive behind a node of the kernel: carries reports both ways until it is stopped.
public final class VirtualKeyHost: Sendable {
  /// Where the kernel takes the key's reports.
  public let node: any KernelNode

  private let clock: any MonotonicClock
  private let inbox: Inbox
  private let touches = Atomic<Int>(0)
  private let isStopped = Atomic<Bool>(false)

  /// The most reports that wait for the host; the oldest go first, as no host reads them any more.
  private static let outboxLimit = 512

  /// Creates the host of a node, which it closes in the end.
  public init(node: any KernelNode, clock: any MonotonicClock = SystemClock()) throws(VirtualKeyUSBError) {
    self.node = node
    self.clock = clock
    inbox = Inbox(arrival: try WakePipe())
  }

  /// Touches the key, from any thread.
  public func touch() {
    touches.add(1, ordering: .acquiringAndReleasing)
    inbox.arrival.wake()
  }

  /// Ends `run`, from any thread.
  public func stop() {
    isStopped.store(true, ordering: .releasing)
    inbox.arrival.wake()
  }

  /// Serves the key on the calling thread until `stop`, or until the key pulls itself out; then the node is closed.
  public func run(_ key: VirtualSecurityKey) throws(VirtualKeyUSBError) {
    defer { node.close() }
    let reader = try Reader(node: node, inbox: inbox)
    defer { reader.end() }
    var outbox: [[UInt8]] = []
    while !isStopped.load(ordering: .acquiring) {
      let (reports, failure) = inbox.take()
      if let failure { throw failure }
      let now = clock.now
      for report in reports { key.receive(report, now: now) }
      for _ in 0..<touches.exchange(0, ordering: .acquiringAndReleasing) { key.touch(now: now) }
      while let report = key.nextReport(now: now) { outbox.append(report) }
      try send(&outbox)
      // A key that has pulled itself out has no next moment.
      if key.isUnplugged { return }
      wait(for: key.nextEvent, now: now, isBlocked: !outbox.isEmpty)
    }
  }

  private func send(_ outbox: inout [[UInt8]]) throws(VirtualKeyUSBError) {
    var sent = 0
    while sent < outbox.count, try node.write(outbox[sent]) { sent += 1 }
    outbox.removeFirst(max(sent, outbox.count - Self.outboxLimit))
  }

  /// Waits for a report, a touch, the end, the key's own next moment, or room for what is to be sent.
  private func wait(for moment: Instant?, now: Instant, isBlocked: Bool) {
    var milliseconds: Int32 = -1
    if let moment {
      let (seconds, attoseconds) = moment.since(now).components
      milliseconds = Int32(
        clamping: min(seconds, 3600) * 1000 + (attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000)
    }
    let arrival = (inbox.arrival.readEnd, Int32(POLLIN))
    if isBlocked {
      let ready = awaitReady([arrival, (node.descriptor, Int32(POLLOUT))], milliseconds: milliseconds)
      // Unplugged: the node is always ready and takes nothing.
      if ready[0] == 0, ready[1] != 0, ready[1] & Int32(POLLOUT) == 0 {
        _ = awaitReady([arrival], milliseconds: 50)
      }
    } else {
      _ = awaitReady([arrival], milliseconds: milliseconds)
    }
    inbox.arrival.clear()
  }
}

/// What the reader has read and the key has not taken.
private final class Inbox: Sendable {
  let arrival: WakePipe
  private let content = Mutex<(reports: [[UInt8]], failure: VirtualKeyUSBError?)>(([], nil))

  /// Far more than the longest message has; a host that floods the key loses the rest.
  private static let limit = 4096

  init(arrival: WakePipe) { self.arrival = arrival }

  func add(_ report: [UInt8]) {
    let isFirst = content.withLock { content in
      if content.reports.count < Self.limit { content.reports.append(report) }
      return content.reports.count == 1
    }
    // Where others wait already, the key has been woken.
    if isFirst { arrival.wake() }
  }

  func fail(_ error: VirtualKeyUSBError) {
    content.withLock { $0.failure = error }
    arrival.wake()
  }

  func take() -> (reports: [[UInt8]], failure: VirtualKeyUSBError?) {
    content.withLock { content in
      defer { content.reports = [] }
      return content
    }
  }
}

/// A thread that only reads: uhid drops output when about 32 reports wait, and the key may be busy with a signature.
private final class Reader {
  private let quit: WakePipe
  private let thread: SystemThread

  private final class Job: Sendable {
    let node: any KernelNode
    let inbox: Inbox
    let quit: Int32

    init(_ node: any KernelNode, _ inbox: Inbox, _ quit: Int32) {
      self.node = node
      self.inbox = inbox
      self.quit = quit
    }

    func run() {
      do {
        while true {
          while let report = try node.read() { inbox.add(report) }
          let ready = awaitReady([(node.descriptor, Int32(POLLIN)), (quit, Int32(POLLIN))], milliseconds: -1)
          if ready[1] != 0 { return }
          // A node that hangs up has nothing to read and is always ready; it may come back, as a gadget does.
          if ready[0] & Int32(POLLIN) == 0, ready[0] != 0 {
            _ = awaitReady([(quit, Int32(POLLIN))], milliseconds: 50)
          }
        }
      } catch {
        inbox.fail(error)
      }
    }
  }

  init(node: any KernelNode, inbox: Inbox) throws(VirtualKeyUSBError) {
    quit = try WakePipe()
    let job = Job(node, inbox, quit.readEnd)
    do throws(SystemThread.StartError) {
      thread = try SystemThread { job.run() }
    } catch {
      throw VirtualKeyUSBError("pthread_create", "the process", error.code)
    }
  }

  /// Ends the thread and waits until it has ended.
  func end() {
    quit.wake()
    thread.join()
  }
}
