internal import Octets

/// One CTAPHID report, taken apart (CTAP §11.2.4).
///
/// Initial: channel (4) | 0x80 + command (1) | length of the whole message (2, big-endian) | data.
/// Continuation: channel (4) | sequence number 0 to 127 (1) | data.
public enum Packet: Hashable, Sendable {
  /// The first report of a message; `data` has the padding of a short message too.
  case initial(channel: ChannelID, command: CTAPHIDCommand, length: Int, data: [UInt8])
  /// A further report of a message.
  case continuation(channel: ChannelID, sequence: UInt8, data: [UInt8])

  /// The bytes before the data of an initial report.
  static let initialHeader = 7
  /// The bytes before the data of a continuation.
  static let continuationHeader = 5
  /// The number of continuations that the seven-bit sequence number allows.
  static let maximumContinuations = 128

  /// Takes a report apart; nil where it is too short for its header.
  public init?(report: [UInt8]) {
    var reader = ByteReader(report)
    guard let number = try? reader.uint32(), let kind = try? reader.byte() else { return nil }
    let channel = ChannelID(rawValue: number)
    if kind & 0x80 != 0 {
      guard let length = try? reader.uint16() else { return nil }
      let command = CTAPHIDCommand(rawValue: kind)
      self = .initial(channel: channel, command: command, length: Int(length), data: reader.rest())
    } else {
      self = .continuation(channel: channel, sequence: kind, data: reader.rest())
    }
  }

  /// The channel of the report.
  public var channel: ChannelID {
    switch self {
    case .initial(let channel, _, _, _), .continuation(let channel, _, _): channel
    }
  }

  /// The report's bytes: data that is too long is cut, data that is too short is followed by zeros.
  public func report(size: Int) -> [UInt8] {
    var report: [UInt8] = []
    report.reserveCapacity(size)
    report.append(bigEndian: channel.rawValue)
    switch self {
    case .initial(_, let command, let length, let data):
      report.append(0x80 | command.rawValue)
      report.append(bigEndian: UInt16(clamping: length))
      report += data
    case .continuation(_, let sequence, let data):
      report.append(sequence & 0x7f)
      report += data
    }
    if report.count < size { report += [UInt8](repeating: 0, count: size - report.count) }
    return report.count > size ? Array(report.prefix(size)) : report
  }

  /// The largest message that reports of `size` bytes carry: 7609 bytes at 64, none where no data fits into the first.
  public static func messageLimit(reportSize size: Int) -> Int {
    guard size > initialHeader else { return 0 }
    return size - initialHeader + maximumContinuations * (size - continuationHeader)
  }

  /// The channel in the first four bytes of a report, or nil where there are fewer.
  static func channel(of report: [UInt8]) -> ChannelID? {
    var reader = ByteReader(report)
    return (try? reader.uint32()).map(ChannelID.init(rawValue:))
  }

  /// Cuts a message into reports; nil where it is longer than `messageLimit`.
  public static func reports(
    channel: ChannelID, command: CTAPHIDCommand, payload: [UInt8], size: Int
  ) -> [[UInt8]]? {
    guard payload.count <= messageLimit(reportSize: size), size > initialHeader else { return nil }
    let first = payload.prefix(size - initialHeader)
    var reports = [
      Packet.initial(channel: channel, command: command, length: payload.count, data: Array(first)).report(size: size)
    ]
    var rest = payload.dropFirst(first.count)
    var sequence: UInt8 = 0
    while !rest.isEmpty {
      let data = Array(rest.prefix(size - continuationHeader))
      reports.append(Packet.continuation(channel: channel, sequence: sequence, data: data).report(size: size))
      rest = rest.dropFirst(data.count)
      sequence &+= 1
    }
    return reports
  }
}
