public import CTAPHID
public import Timing

/// A key made of a `KeyDevice` and a closure that answers its requests, in memory and on a clock that the reads turn.
public final class DeviceTransport: ReportTransport {
  /// What the key does with a request.
  public enum Reaction {
    /// It answers, this long after the request, with keep-alives until then.
    case answer([UInt8], after: Duration = .zero, status: KeepAlive = .processing)
    /// It works for ever, sending keep-alives; CANCEL ends it with status 0x2D.
    case work(status: KeepAlive)
    /// It refuses with an ERROR frame.
    case refuse(CTAPHIDErrorCode)
  }

  /// Answers a request.
  public typealias Answer = (_ command: CTAPHIDCommand, _ payload: [UInt8]) -> Reaction

  /// The key's state machine, for a test to look at or to put out of order.
  public var device: KeyDevice
  /// What the key did, in order.
  public private(set) var events: [KeyDevice.Event] = []

  private let clock: any MonotonicClock
  private let answer: Answer
  private var isOpen = false
  private var due: (channel: ChannelID, command: CTAPHIDCommand, payload: [UInt8], at: Instant)?

  /// Creates a key.
  public init(device: KeyDevice, clock: any MonotonicClock, answer: @escaping Answer) {
    self.device = device
    self.clock = clock
    self.answer = answer
  }

  /// The sizes of the key's reports.
  public var reportSizes: ReportSizes { device.configuration.reportSizes }

  /// Opens the transport.
  public func open(deadline: Instant, cancellation: Cancellation) throws(TransportError) { isOpen = true }

  /// Closes the transport.
  public func close() { isOpen = false }

  /// Hands a report to the key.
  public func write(_ report: [UInt8]) throws(TransportError) {
    guard isOpen else { throw .closed }
    for event in device.receive(report, now: clock.now) { take(event) }
  }

  /// Returns the key's next report, turning the clock to whatever the key does next.
  public func read(deadline: Instant) throws(TransportError) -> [UInt8]? {
    guard isOpen else { throw .closed }
    while true {
      work()
      if let report = device.nextReport() { return report }
      let next = min(device.nextDeadline ?? .distantFuture, due?.at ?? .distantFuture)
      guard next <= deadline else {
        clock.sleep(until: deadline)
        return nil
      }
      clock.sleep(until: next)
    }
  }

  private func work() {
    let now = clock.now
    if let due, now >= due.at {
      self.due = nil
      device.respond(due.channel, due.command, due.payload)
    }
    device.tick(now: now)
  }

  private func take(_ event: KeyDevice.Event) {
    events.append(event)
    switch event {
    case .message(let channel, let command, let payload):
      switch answer(command, payload) {
      case .answer(let answer, let after, let status):
        due = (channel, command, answer, clock.now + after)
        if after > .zero { device.keepAlive(status, now: clock.now) }
      case .work(let status): device.keepAlive(status, now: clock.now)
      case .refuse(let code): device.refuse(channel, code)
      }
    case .cancel(let channel):
      due = nil
      device.respond(channel, .cbor, [0x2d])
    case .aborted: due = nil
    case .wink: break
    }
  }
}
