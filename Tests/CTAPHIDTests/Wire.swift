import BridgeTestSupport
import CTAPHID
import Octets
import Testing
import Timing

/// Reports built by hand, so that a mistake in `Packet` is not repeated in what it is tested against.
enum Wire {
  static let own: UInt32 = 0x0102_0304
  static let foreign: UInt32 = 0x0a0b_0c0d
  static let broadcast: UInt32 = 0xffff_ffff

  static func big(_ value: UInt32) -> [UInt8] {
    [UInt8(value >> 24), UInt8(value >> 16 & 0xff), UInt8(value >> 8 & 0xff), UInt8(value & 0xff)]
  }

  static func padded(_ bytes: [UInt8], _ size: Int = 64) -> [UInt8] {
    bytes + [UInt8](repeating: 0, count: size - bytes.count)
  }

  static func initial(
    _ command: UInt8, length: Int? = nil, _ data: [UInt8] = [], on channel: UInt32 = own, size: Int = 64
  ) -> [UInt8] {
    let length = length ?? data.count
    return padded(big(channel) + [0x80 | command, UInt8(length >> 8), UInt8(length & 0xff)] + data, size)
  }

  static func continuation(_ sequence: UInt8, _ data: [UInt8], on channel: UInt32 = own, size: Int = 64) -> [UInt8] {
    padded(big(channel) + [sequence] + data, size)
  }

  /// A whole message, cut by hand.
  static func message(_ command: UInt8, _ payload: [UInt8], on channel: UInt32 = own, size: Int = 64) -> [[UInt8]] {
    let first = Array(payload.prefix(size - 7))
    var reports = [initial(command, length: payload.count, first, on: channel, size: size)]
    var rest = payload.dropFirst(size - 7)
    var sequence: UInt8 = 0
    while !rest.isEmpty {
      reports.append(continuation(sequence, Array(rest.prefix(size - 5)), on: channel, size: size))
      rest = rest.dropFirst(size - 5)
      sequence += 1
    }
    return reports
  }

  static func error(_ code: UInt8, on channel: UInt32 = own) -> [UInt8] { initial(0x3f, [code], on: channel) }
  static func keepAlive(_ status: UInt8, on channel: UInt32 = own) -> [UInt8] { initial(0x3b, [status], on: channel) }
  static let cancel = initial(0x11)

  static func initRequest(_ nonce: [UInt8], on channel: UInt32 = broadcast) -> [UInt8] {
    initial(0x06, nonce, on: channel)
  }

  static func initReply(
    _ nonce: [UInt8], on channel: UInt32 = broadcast, handing new: UInt32 = own, capabilities: UInt8 = 0x05
  ) -> [UInt8] {
    initial(0x06, nonce + big(new) + [2, 5, 4, 3, capabilities], on: channel)
  }
}

/// A host channel over a script whose first two lines, the INIT and its reply, are already done.
struct ScriptedHost {
  let clock = ManualClock()
  let transport: ScriptedTransport
  let channel: HostChannel

  /// The nonces that the host will draw, in order.
  static let nonces: [[UInt8]] = {
    let random = SeededRandom(seed: 42)
    return (0..<64).map { _ in random.bytes(8) }
  }()

  init(
    _ steps: [ScriptedTransport.Step], tuning: Tuning = .standard, sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let opening: [ScriptedTransport.Step] = [
      .expect(Wire.initRequest(Self.nonces[0])), .send(Wire.initReply(Self.nonces[0])),
    ]
    transport = ScriptedTransport(opening + steps, clock: clock, sourceLocation: sourceLocation)
    channel = HostChannel(transport: transport, clock: clock, random: SeededRandom(seed: 42), tuning: tuning)
    try channel.open(wait(.seconds(5)))
  }

  /// A wait that ends this long from now.
  func wait(_ duration: Duration, _ cancellation: Cancellation = Cancellation()) -> Wait {
    Wait(deadline: clock.now + duration, cancellation: cancellation)
  }

  /// Sends a CBOR request of one report: `request` is the payload in every script here.
  func cbor(
    repeatable: Bool, _ wait: Wait, accept: @escaping ([UInt8]) -> AnswerRefusal? = { _ in nil }
  ) throws(CTAPHIDError) -> [UInt8] {
    try channel.exchange(.cbor, Self.request, repeatable: repeatable, wait, accept: accept)
  }

  static let request: [UInt8] = [0x04]
  static let requestReport = Wire.initial(0x10, request)
  /// A request of three reports.
  static let long = (0..<150).map { UInt8($0) }
  static var longReports: [ScriptedTransport.Step] { Wire.message(0x10, long).map { .expect($0) } }

  /// The lines of a channel that is brought back with the nonce at `index`.
  static func bringBack(_ index: Int) -> [ScriptedTransport.Step] {
    [.expect(Wire.initRequest(nonces[index], on: Wire.own)), .send(Wire.initReply(nonces[index], on: Wire.own))]
  }

  /// An answer of one report.
  static func answer(_ bytes: [UInt8], after: Duration = .zero) -> ScriptedTransport.Step {
    .send(Wire.initial(0x10, bytes), after: after)
  }
}
