import BridgeTestSupport
import CTAPHID
import Octets
import Timing

/// Something that goes wrong at one report.
enum Fault: Hashable, Sendable {
  case none
  case dropped
  case duplicated
  case delayed(Duration)
  case truncated(to: Int)
  case flipped(byte: Int, bit: Int)
  case otherChannel
  case sequence(UInt8)
  case length(Int)
  case replaced([UInt8])
  /// These reports come before it.
  case preceded([[UInt8]])
  case silentFromHere
  case unplugged
}

/// A transport that lets one fault happen at one report in one direction.
final class FaultTransport: ReportTransport {
  typealias Direction = RecordingTransport.Entry.Direction

  private let inner: any ReportTransport
  private let clock: ManualClock
  private let fault: Fault
  private let direction: Direction
  private let position: Int
  private var counts: [Direction: Int] = [:]
  private var toKey: [(due: Instant, report: [UInt8])] = []
  private var fromKey: [(due: Instant, report: [UInt8])] = []
  private var isSilent = false
  private var isUnplugged = false

  init(_ inner: any ReportTransport, clock: ManualClock, fault: Fault, direction: Direction, position: Int) {
    self.inner = inner
    self.clock = clock
    self.fault = fault
    self.direction = direction
    self.position = position
  }

  var reportSizes: ReportSizes { inner.reportSizes }
  func count(_ direction: Direction) -> Int { counts[direction, default: 0] }

  func open(deadline: Instant, cancellation: Cancellation) throws(TransportError) {
    try inner.open(deadline: deadline, cancellation: cancellation)
  }
  func close() { inner.close() }

  func write(_ report: [UInt8]) throws(TransportError) {
    if isUnplugged { throw .unplugged }
    try deliver()
    for (after, report) in outcome(of: report, .toKey) {
      if after == .zero { try inner.write(report) } else { toKey.append((clock.now + after, report)) }
    }
    if isUnplugged { throw .unplugged }
  }

  func read(deadline: Instant) throws(TransportError) -> [UInt8]? {
    while true {
      if isUnplugged { throw .unplugged }
      try deliver()
      if let index = fromKey.firstIndex(where: { $0.due <= clock.now }) { return fromKey.remove(at: index).report }
      let next = (toKey + fromKey).map(\.due).min() ?? .distantFuture
      if let report = try inner.read(deadline: min(deadline, next)) {
        for (after, report) in outcome(of: report, .fromKey) { fromKey.append((clock.now + after, report)) }
      } else if clock.now >= deadline {
        return nil
      }
    }
  }

  private func deliver() throws(TransportError) {
    while let index = toKey.firstIndex(where: { $0.due <= clock.now }) {
      try inner.write(toKey.remove(at: index).report)
    }
  }

  private func outcome(of report: [UInt8], _ way: Direction) -> [(after: Duration, report: [UInt8])] {
    let index = counts[way, default: 0]
    counts[way] = index + 1
    guard !isSilent || way != direction else { return [] }
    guard way == direction, index == position else { return [(.zero, report)] }
    var changed = report
    switch fault {
    case .none: break
    case .dropped: return []
    case .duplicated: return [(.zero, report), (.zero, report)]
    case .delayed(let delay): return [(delay, report)]
    case .truncated(let count): changed = Array(report.prefix(count))
    case .flipped(let byte, let bit): changed[byte] ^= 1 << UInt8(bit)
    case .otherChannel: changed.replaceSubrange(0..<4, with: Wire.big(0x0bad_cafe))
    case .sequence(let number): if report[4] & 0x80 == 0 { changed[4] = number }
    case .length(let length):
      if report[4] & 0x80 != 0 { changed.replaceSubrange(5..<7, with: [UInt8(length >> 8), UInt8(length & 0xff)]) }
    case .replaced(let other): changed = other
    case .preceded(let others): return others.map { (.zero, $0) } + [(.zero, report)]
    case .silentFromHere:
      isSilent = true
      return []
    case .unplugged:
      isUnplugged = true
      return []
    }
    return [(.zero, changed)]
  }
}
