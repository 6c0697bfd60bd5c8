import BridgeTestSupport
import CTAPHID
import Octets
import Timing
import VirtualKey

extension FuzzTarget {
  /// The virtual key, which programs of all kinds send requests to.
  static let keySide = [FuzzTarget("virtual-key", virtualKey)]

  /// Each piece is a request; its first byte's top bit sends it as MSG instead of CBOR.
  private static func virtualKey(_ bytes: [UInt8]) {
    let clock = ManualClock()
    guard
      let key = try? VirtualSecurityKey(
        configuration: VirtualKeyConfiguration(), random: SeededRandom(seed: 5), now: clock.now)
    else { return }
    func drain() {
      for _ in 0..<2000 {
        if let report = key.nextReport(now: clock.now) {
          mustHold(report.count == 64, "a report of \(report.count) bytes")
        } else if let next = key.nextEvent, next < clock.now + .seconds(60) {
          clock.sleep(until: next)
        } else {
          return
        }
      }
    }
    let hello = Packet.reports(
      channel: .broadcast, command: .initialise, payload: [1, 2, 3, 4, 5, 6, 7, 8], size: 64)
    var channel = ChannelID.broadcast
    for report in hello ?? [] { key.receive(report, now: clock.now) }
    if case .initial(_, _, _, let data)? = key.nextReport(now: clock.now).flatMap(Packet.init(report:)), data.count > 11
    {
      channel = ChannelID(rawValue: data[8..<12].reduce(0) { $0 << 8 | UInt32($1) })
    }
    var input = Pieces(bytes)
    for _ in 0..<16 {
      guard var request = input.next() else { return }
      let isMessage = request.first ?? 0 >= 0x80
      if isMessage { request.removeFirst() }
      for report in Packet.reports(channel: channel, command: isMessage ? .msg : .cbor, payload: request, size: 64)
        ?? []
      {
        key.receive(report, now: clock.now)
      }
      drain()
    }
  }
}
