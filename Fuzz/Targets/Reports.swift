import BridgeTestSupport
import CTAPHID
import Timing

@testable import USBHID

extension FuzzTarget {
  /// Reports on their way up, and what the operating system says of a device.
  static let reports = [
    FuzzTarget("host-reports", hostReports), FuzzTarget("key-reports", keyReports),
    FuzzTarget("host-channel", hostChannel), FuzzTarget("report-descriptor", reportDescriptor),
  ]

  /// The host's reassembly: the first byte chooses the command and the size of reports, the rest is reports.
  private static func hostReports(_ bytes: [UInt8]) {
    var input = Pieces(bytes)
    let choice = input.byte() ?? 0
    let commands: [CTAPHIDCommand] = [.cbor, .msg, .initialise, .ping]
    let size = choice & 0x80 == 0 ? 64 : 8 + Int(choice & 0x3f)
    var machine = HostTransaction(
      channel: ChannelID(rawValue: 1), command: commands[Int(choice >> 5 & 3)], reportSize: size)
    let limit = Packet.messageLimit(reportSize: size)
    while let report = input.next(size) {
      if case .answer(let answer) = machine.receive(report) {
        mustHold(answer.count <= limit, "an answer of \(answer.count) bytes")
      }
      if let partial = machine.partialAnswer {
        mustHold(partial.received < partial.length && partial.length <= limit, "\(partial)")
      }
    }
  }

  /// The key's reassembly: in front of each report is a byte for the time that passes and what its owner does.
  private static func keyReports(_ bytes: [UInt8]) {
    var input = Pieces(bytes)
    var configuration = KeyDevice.Configuration()
    configuration.takesVendorCommands = true
    configuration.channelLimit = 3
    var device = KeyDevice(configuration: configuration, random: SeededRandom(seed: 1))
    var now = Instant(nanoseconds: 1_000_000_000)
    var busy: (ChannelID, CTAPHIDCommand, [UInt8])?
    while let action = input.byte(), let report = input.next(64) {
      now = now + .milliseconds(Int(action & 0x0f) * 100)
      for event in device.receive(report, now: now) {
        switch event {
        case .message(let channel, let command, let payload): busy = (channel, command, payload)
        case .aborted: busy = nil
        case .cancel, .wink: break
        }
      }
      if let (channel, command, payload) = busy, action & 0x10 != 0 {
        device.respond(channel, command, payload)
        busy = nil
      }
      device.tick(now: now)
      while let answer = device.nextReport() { mustHold(answer.count == 64, "a report of \(answer.count) bytes") }
    }
  }

  /// The host's channel on a key whose reports are the input, except that it always gets its first INIT reply.
  private static func hostChannel(_ bytes: [UInt8]) {
    var input = Pieces(bytes)
    let choice = input.byte() ?? 0
    let clock = ManualClock()
    let channel = HostChannel(
      transport: BabblingTransport(input, clock), clock: clock, random: SeededRandom(seed: 2))
    guard (try? channel.open(Wait(deadline: clock.now + .seconds(2)))) != nil else { return }
    for index in 0..<3 {
      let start = clock.now
      let command: CTAPHIDCommand = choice & 1 == 0 ? .cbor : .msg
      _ = try? channel.exchange(
        command, [UInt8(index)], repeatable: choice & 2 == 0, Wait(deadline: start + .seconds(20))
      ) { $0.count.isMultiple(of: 2) ? nil : "odd" }
      mustHold(clock.now.since(start) <= .seconds(20) + Tuning.standard.longestOvertime, "the deadline was missed")
    }
    channel.close()
  }

  private static func reportDescriptor(_ bytes: [UInt8]) {
    if case .usable(let reports) = FIDOVerdict(descriptor: bytes) {
      mustHold((8...64).contains(reports.sizes.input) && (8...64).contains(reports.sizes.output), "\(reports)")
    }
  }
}

/// A key that answers the first INIT, and then sends the reports of the input, each behind the pause before it.
private final class BabblingTransport: ReportTransport {
  private var input: Pieces
  private let clock: ManualClock
  private var reply: [UInt8]?
  private var hasReplied = false

  init(_ input: Pieces, _ clock: ManualClock) {
    self.input = input
    self.clock = clock
  }

  var reportSizes: ReportSizes { .standard }
  func open(deadline: Instant, cancellation: Cancellation) throws(TransportError) {}
  func close() {}

  func write(_ report: [UInt8]) throws(TransportError) {
    guard !hasReplied, case .initial(_, .initialise, _, let data)? = Packet(report: report) else { return }
    hasReplied = true
    let answer = Array(data.prefix(8)) + [0, 0, 0, 1, 2, 1, 0, 0, 5]
    reply = Packet.reports(channel: .broadcast, command: .initialise, payload: answer, size: 64)?.first
  }

  func read(deadline: Instant) throws(TransportError) -> [UInt8]? {
    if let reply {
      self.reply = nil
      return reply
    }
    guard hasReplied, let pause = input.byte() else {
      clock.sleep(until: deadline)
      return nil
    }
    clock.sleep(until: min(deadline, clock.now + .milliseconds(Int(pause))))
    return input.next(64)
  }
}
