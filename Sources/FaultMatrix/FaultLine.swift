internal import BridgeTestSupport
internal import CTAPHID
internal import Timing
internal import VirtualKey

/// The line between one host and one virtual key, on which one fault happens.
///
/// Unchecked: it is used by the key's thread while the host runs, and by the one who set it up before and after that.
final class FaultLine: @unchecked Sendable {
  /// What comes from the key.
  enum Mode {
    case normal
    case silent(until: Instant)
    case keepAlives(status: UInt8, next: Instant)
  }

  let port: VirtualKeyPort
  let clock: ManualClock
  /// When a report that is too late comes.
  let lateness: Instant
  let fault: LineFault?
  private let transport: VirtualKeyTransport
  private let isTracing: Bool

  /// Reports for the host that are due then.
  var inbox: [(report: [UInt8], due: Instant)] = []
  /// Reports for the key that are due then.
  var outbox: [(report: [UInt8], due: Instant)] = []
  var mode = Mode.normal
  /// Whether what comes from the key is late from now on.
  var isReceivingLate = false
  /// Whether what goes to the key is late from now on.
  var isSendingLate = false
  /// Until when nothing reaches the key.
  var deafUntil = Instant(nanoseconds: 0)
  /// What the key answers in place of taking anything, and until when.
  var refusal: (code: CTAPHIDErrorCode, until: Instant)?

  /// The first report of the message that is on its way in each direction.
  var first: [Direction: [UInt8]] = [:]

  private var received = 0
  private var sent = 0
  private var steps = 0
  private(set) var trace: [TraceEntry] = []

  /// A host that has done this many reads and writes goes round and round.
  private static let fuse = 60_000

  /// Whether the host went round and round.
  var isHung: Bool { steps > Self.fuse }

  init(port: VirtualKeyPort, clock: ManualClock, fault: LineFault?, lateness: Instant, isTracing: Bool) {
    self.port = port
    self.clock = clock
    self.fault = fault
    self.lateness = lateness
    self.isTracing = isTracing
    transport = port.transport()
  }

  var reportSizes: ReportSizes { transport.reportSizes }

  func open(deadline: Instant, cancellation: Cancellation) throws(TransportError) {
    try transport.open(deadline: deadline, cancellation: cancellation)
    // What an earlier program left is there before anything else.
    if let fault, fault.position < 0, case .insert(let reports) = fault.action { deliver(reports) }
  }

  func write(_ report: [UInt8]) throws(TransportError) {
    try step()
    if isTracing { trace.append(TraceEntry(direction: .toKey, report: report, moment: clock.now)) }
    defer { sent += 1 }
    remember(report, .toKey)
    if let fault, fault.direction == .toKey, fault.position == sent {
      try inject(fault.action, outgoing: report)
    } else {
      try send(report)
    }
  }

  func read(deadline: Instant) throws(TransportError) -> [UInt8]? {
    try step()
    while true {
      try sendWhatIsDue()
      let now = clock.now
      if let first = inbox.first, first.due <= now {
        inbox.removeFirst()
        if isTracing { trace.append(TraceEntry(direction: .fromKey, report: first.report, moment: now)) }
        return first.report
      }
      let until = min(deadline, inbox.first?.due ?? .distantFuture, outbox.first?.due ?? .distantFuture)
      if try !receive(until), now >= deadline { return nil }
    }
  }

  /// Ends what the host left: late reports reach the key, and a key that is at work goes on with it.
  func finish() {
    if !outbox.isEmpty { clock.sleep(until: max(clock.now, lateness)) }
    _ = try? sendWhatIsDue()
    let patience = clock.now + .seconds(40)
    repeat {
      while (try? transport.read(deadline: clock.now)) ?? nil != nil {}
      if port.isWaitingForTouch { clock.sleep(until: clock.now + .milliseconds(200)) }
    } while port.isWaitingForTouch && clock.now < patience && !port.isUnplugged
    transport.close()
  }

  // MARK: For the faults

  func deliver(_ reports: [[UInt8]]) {
    for report in reports { inbox.append((report, isReceivingLate ? lateness : clock.now)) }
  }

  func send(_ report: [UInt8]) throws(TransportError) {
    if clock.now < deafUntil { return }
    if isSendingLate { return outbox.append((report, lateness)) }
    if let refusal, clock.now < refusal.until { return refuse(report, refusal.code) }
    try transport.write(report)
  }

  /// Answers an initial report with an ERROR frame; a continuation is passed over, as keys do.
  func refuse(_ report: [UInt8], _ code: CTAPHIDErrorCode) {
    guard case .initial(let channel, let command, _, _)? = Packet(report: report), command != .cancel else { return }
    deliver([.error(code, on: channel)])
  }

  // MARK: Within

  private func step() throws(TransportError) {
    steps += 1
    if isHung { throw .unplugged }
  }

  private func sendWhatIsDue() throws(TransportError) {
    while let first = outbox.first, first.due <= clock.now {
      outbox.removeFirst()
      try transport.write(first.report)
    }
  }

  /// Takes what comes from the key by `until`; false where nothing came.
  private func receive(_ until: Instant) throws(TransportError) -> Bool {
    switch mode {
    case .normal:
      guard let report = try transport.read(deadline: until) else { return false }
      defer { received += 1 }
      remember(report, .fromKey)
      if let fault, fault.direction == .fromKey, fault.position == received {
        try inject(fault.action, incoming: report)
      } else {
        deliver([report])
      }
      return true
    case .silent(let end):
      while try transport.read(deadline: min(until, end)) != nil {}
      if clock.now >= end { mode = .normal }
      return false
    case .keepAlives(let status, let next):
      while try transport.read(deadline: min(until, next)) != nil {}
      guard clock.now >= next else { return false }
      mode = .keepAlives(status: status, next: next + .milliseconds(100))
      deliver([.keepAlive(status, on: channel)])
      return true
    }
  }

  private func remember(_ report: [UInt8], _ direction: Direction) {
    if case .initial? = Packet(report: report) { first[direction] = report }
  }

  /// The host's channel, or the broadcast one before it has any.
  private(set) var channel = ChannelID.broadcast

  func note(_ report: [UInt8]) {
    if let found = Packet(report: report)?.channel { channel = found }
  }
}

/// A report that went over a line.
struct TraceEntry {
  let direction: Direction
  let report: [UInt8]
  let moment: Instant
}

/// A host's end of a line.
final class FaultTransport: ReportTransport {
  private let line: FaultLine
  private var isOpen = false

  init(_ line: FaultLine) {
    self.line = line
  }

  var reportSizes: ReportSizes { line.reportSizes }

  func open(deadline: Instant, cancellation: Cancellation) throws(TransportError) {
    try line.open(deadline: deadline, cancellation: cancellation)
    isOpen = true
  }

  func read(deadline: Instant) throws(TransportError) -> [UInt8]? {
    guard isOpen else { throw .closed }
    return try line.read(deadline: deadline)
  }

  func write(_ report: [UInt8]) throws(TransportError) {
    guard isOpen else { throw .closed }
    line.note(report)
    try line.write(report)
  }

  /// The line stays up: what the host left unfinished on the key shows only later.
  func close() { isOpen = false }
}
