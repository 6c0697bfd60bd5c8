internal import BridgeTestSupport
internal import CTAPHID
internal import Timing
internal import VirtualKey

extension FaultLine {
  /// Lets the fault happen to a report for the host.
  func inject(_ action: LineFault.Action, incoming report: [UInt8]) throws(TransportError) {
    switch action {
    case .insert(let reports): deliver(reports + [report])
    case .insertFirst: deliver([first[.fromKey] ?? report, report])
    case .replace(let reports): deliver(reports)
    case .keepAlives(let status): mode = .keepAlives(status: status, next: clock.now)
    case .silence(let time): mode = .silent(until: clock.now + time)
    case .delay:
      isReceivingLate = true
      deliver([report])
    case .unplug(let after):
      if after { deliver([report]) }
      port.unplug()
    case .foreign(let work):
      try ForeignHost(port: port, clock: clock).run(work)
      deliver([report])
    case .refuse(let code, _):
      refuse(report, code)
      deliver([report])
    case .drop, .duplicate, .shorten, .blank, .flip, .move, .renumber, .resize:
      deliver(action.damage(report))
    }
  }

  /// Lets the fault happen to a report for the key.
  func inject(_ action: LineFault.Action, outgoing report: [UInt8]) throws(TransportError) {
    switch action {
    case .insert(let reports): for report in reports + [report] { try send(report) }
    case .insertFirst: for report in [first[.toKey] ?? report, report] { try send(report) }
    case .replace(let reports): for report in reports { try send(report) }
    case .keepAlives(let status):
      mode = .keepAlives(status: status, next: clock.now)
      try send(report)
    case .silence(let time): deafUntil = clock.now + time
    case .delay:
      isSendingLate = true
      try send(report)
    case .unplug(let after):
      if after { try send(report) }
      port.unplug()
      if !after { throw .unplugged }
    case .foreign(let work):
      try ForeignHost(port: port, clock: clock).run(work)
      try send(report)
    case .refuse(let code, .zero):
      if let channel = Packet(report: report)?.channel { deliver([.error(code, on: channel)]) }
    case .refuse(let code, let time):
      refusal = (code, time == .infinite ? .distantFuture : clock.now + time)
      try send(report)
    case .drop, .duplicate, .shorten, .blank, .flip, .move, .renumber, .resize:
      for report in action.damage(report) { try send(report) }
    }
  }
}

extension Duration {
  /// Longer than anything.
  static let infinite = Duration.seconds(Int64.max)
}

extension LineFault.Action {
  /// What becomes of a report.
  func damage(_ report: [UInt8]) -> [[UInt8]] {
    var damaged = report
    switch self {
    case .drop: return []
    case .duplicate: return [report, report]
    case .shorten(let count): return [Array(report.prefix(count))]
    case .blank(let start):
      for index in report.indices where index >= start { damaged[index] = 0 }
    case .flip(let bit):
      if report.indices.contains(bit / 8) { damaged[bit / 8] ^= 1 << UInt8(bit % 8) }
    case .move(let channel):
      damaged.replaceSubrange(0..<4, with: (0..<4).map { UInt8(truncatingIfNeeded: channel.rawValue >> (24 - 8 * $0)) })
    case .renumber(let sequence): damaged[4] = sequence
    case .resize(let length):
      damaged[5] = UInt8(length >> 8)
      damaged[6] = UInt8(length & 0xff)
    default: break
    }
    return [damaged]
  }
}

extension [UInt8] {
  /// An ERROR frame.
  static func error(_ code: CTAPHIDErrorCode, on channel: ChannelID) -> [UInt8] {
    Packet.initial(channel: channel, command: .error, length: 1, data: [code.rawValue]).report(size: 64)
  }

  /// A keep-alive.
  static func keepAlive(_ status: UInt8, on channel: ChannelID) -> [UInt8] {
    Packet.initial(channel: channel, command: .keepAlive, length: 1, data: [status]).report(size: 64)
  }
}
