import BridgeTestSupport
import CTAPHID
import CTAPMessages
import Timing
import VirtualKey

/// What a key does otherwise than the specification has it, laid over a virtual key that does as it says.
struct Oddity: Sendable {
  /// What becomes of a message from the host.
  enum Reaction: Sendable {
    /// The key takes it.
    case taken
    /// The key takes nothing; this answer comes so much later, with keep-alives of this status until then.
    case answer([UInt8], after: Duration = .zero, keepAlive: KeepAlive = .userPresenceNeeded)
    /// The key takes nothing; an ERROR frame comes.
    case error(CTAPHIDErrorCode)
    /// The key takes nothing, and says nothing.
    case ignored
  }

  /// Looks at each whole message of the host before the key has it.
  var onRequest: @Sendable (Message) -> Reaction = { _ in .taken }
  /// Rewrites each whole answer; what a command was is in `request`.
  var onAnswer: @Sendable (_ request: Message, _ answer: [UInt8]) -> [UInt8] = { $1 }

  /// A CTAPHID message.
  struct Message: Sendable {
    let command: CTAPHIDCommand
    let payload: [UInt8]

    /// The CTAP2 command, where it is one.
    var ctap: CTAPCommand? {
      command == .cbor ? payload.first.flatMap(CTAPCommand.init(rawValue:)) : nil
    }
  }
}

/// Virtual keys that have an oddity each.
struct OddSource: KeySource {
  let source: VirtualKeySource
  let clock: any MonotonicClock
  let oddity: Oddity

  func keys() throws(TransportError) -> [KeyDescription] { try source.keys() }

  func events() -> AsyncStream<KeyEvent> { source.events() }

  func transport(to key: KeyDescription) throws(TransportError) -> sending any ReportTransport {
    OddTransport(try source.transport(to: key), clock, oddity)
  }
}

/// The line on which an oddity happens.
final class OddTransport: ReportTransport {
  private let transport: any ReportTransport
  private let clock: any MonotonicClock
  private let oddity: Oddity
  private var request: (message: MessageAssembler, reports: [[UInt8]])?
  private var asked: Oddity.Message?
  private var answer: (channel: ChannelID, message: MessageAssembler)?
  private var inbox: [(report: [UInt8], due: Instant)] = []

  init(_ transport: sending any ReportTransport, _ clock: any MonotonicClock, _ oddity: Oddity) {
    self.transport = transport
    self.clock = clock
    self.oddity = oddity
  }

  var reportSizes: ReportSizes { transport.reportSizes }

  func open(deadline: Instant, cancellation: Cancellation) throws(TransportError) {
    try transport.open(deadline: deadline, cancellation: cancellation)
  }

  func close() { transport.close() }

  func write(_ report: [UInt8]) throws(TransportError) {
    switch Packet(report: report) {
    case .initial(_, let command, let length, let data)?:
      request = MessageAssembler(command: command, length: length, data: data, limit: 7609).map { ($0, [report]) }
    case .continuation(_, let sequence, let data)?:
      _ = request?.message.add(sequence: sequence, data: data)
      request?.reports.append(report)
    case nil:
      break
    }
    guard let whole = request, whole.message.isComplete, let channel = Packet(report: report)?.channel else { return }
    request = nil
    let message = Oddity.Message(command: whole.message.command, payload: whole.message.payload)
    if message.command != .cancel { asked = message }
    switch oddity.onRequest(message) {
    case .taken:
      for report in whole.reports { try transport.write(report) }
    case .answer(let bytes, let delay, let keepAlive):
      deliver(bytes, message.command == .cancel ? .cbor : message.command, channel, after: delay, keepAlive)
    case .error(let code):
      deliver([code.rawValue], .error, channel)
    case .ignored:
      break
    }
  }

  func read(deadline: Instant) throws(TransportError) -> [UInt8]? {
    while true {
      if let first = inbox.first, first.due <= clock.now {
        inbox.removeFirst()
        return first.report
      }
      let until = min(deadline, inbox.first?.due ?? .distantFuture)
      if let report = try transport.read(deadline: until) {
        take(report)
      } else if clock.now >= deadline, inbox.first.map({ $0.due > clock.now }) ?? true {
        return nil
      }
    }
  }

  private func take(_ report: [UInt8]) {
    switch Packet(report: report) {
    case .initial(_, .keepAlive, _, _)?, nil:
      return inbox.append((report, clock.now))
    case .initial(let channel, let command, let length, let data)?:
      answer = MessageAssembler(command: command, length: length, data: data, limit: 7609).map { (channel, $0) }
    case .continuation(_, let sequence, let data)?:
      _ = answer?.message.add(sequence: sequence, data: data)
    }
    guard let whole = answer, whole.message.isComplete else { return }
    answer = nil
    let command = whole.message.command
    let payload = whole.message.payload
    let bytes = asked.map { command == $0.command ? oddity.onAnswer($0, payload) : payload } ?? payload
    deliver(bytes, command, whole.channel)
  }

  private func deliver(
    _ payload: [UInt8], _ command: CTAPHIDCommand, _ channel: ChannelID, after delay: Duration = .zero,
    _ keepAlive: KeepAlive = .processing
  ) {
    let size = transport.reportSizes.input
    let due = clock.now + delay
    var next = clock.now + .milliseconds(100)
    while next < due {
      let report = Packet.initial(channel: channel, command: .keepAlive, length: 1, data: [keepAlive.status])
      inbox.append((report.report(size: size), next))
      next = next + .milliseconds(100)
    }
    for report in Packet.reports(channel: channel, command: command, payload: payload, size: size) ?? [] {
      inbox.append((report, due))
    }
  }
}
