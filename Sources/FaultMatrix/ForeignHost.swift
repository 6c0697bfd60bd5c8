internal import CTAPHID
internal import Timing
internal import VirtualKey

/// Another program with the same key open, which sees and is seen.
public struct ForeignHost {
  /// What it does.
  public enum Work: Hashable, Sendable {
    /// It asks for a channel.
    case initialise
    /// It asks for a channel, and the key for what it is.
    case transaction
  }

  private let transport: VirtualKeyTransport
  private let clock: any MonotonicClock
  private static let nonce: [UInt8] = [0xf0, 0xe1, 0xd2, 0xc3, 0xb4, 0xa5, 0x96, 0x87]

  init(port: VirtualKeyPort, clock: any MonotonicClock) {
    transport = port.transport()
    self.clock = clock
  }

  /// Does its work in no time, and closes the key.
  func run(_ work: Work) throws(TransportError) {
    try transport.open(deadline: clock.now, cancellation: Cancellation())
    defer { transport.close() }
    try send(.broadcast, .initialise, Self.nonce)
    guard let channel = try channel(), work == .transaction else { return }
    try send(channel, .cbor, [0x04])
    while try transport.read(deadline: clock.now) != nil {}
  }

  private func send(_ channel: ChannelID, _ command: CTAPHIDCommand, _ payload: [UInt8]) throws(TransportError) {
    let size = transport.reportSizes.output
    for report in Packet.reports(channel: channel, command: command, payload: payload, size: size) ?? [] {
      try transport.write(report)
    }
  }

  private func channel() throws(TransportError) -> ChannelID? {
    while let report = try transport.read(deadline: clock.now) {
      guard case .initial(.broadcast, .initialise, _, let data)? = Packet(report: report),
        let reply = InitReply(data), reply.nonce == Self.nonce
      else { continue }
      return reply.channel
    }
    return nil
  }
}
