/// The host's side of one request, without I/O: reports in, events out (CTAP §11.2).
///
/// What does not belong to the answer (other channels, repeated reports, answers to other commands, stray continuations)
/// never disturbs the message that is coming in. Reading may go on after an answer: CTAPHID has no transaction numbers,
/// so the caller may find that it answers something else.
public struct HostTransaction: Hashable, Sendable {
  /// What a report meant.
  public enum Event: Hashable, Sendable {
    /// It belongs to another channel.
    case foreign
    /// It repeats a report of this answer.
    case duplicate
    /// The key is still at work.
    case keepAlive(KeepAlive)
    /// It is a part of the answer, which is not whole yet.
    case progress
    /// The answer is whole.
    case answer([UInt8])
    /// The key refuses the request.
    case error(CTAPHIDErrorCode)
    /// It is on this channel, but of no use.
    case garbled(Malformation)
  }

  /// The channel of the request.
  public let channel: ChannelID
  /// The command of the request.
  public let command: CTAPHIDCommand

  private let reportSize: Int
  private let limit: Int
  private var message: MessageAssembler?
  /// A second message that began before the first was whole; the next continuation shows which of them goes on.
  private var rival: MessageAssembler?

  /// Begins to wait for the answer to a request; `reportSize` is that of the key's reports.
  public init(channel: ChannelID, command: CTAPHIDCommand, reportSize: Int) {
    self.channel = channel
    self.command = command
    self.reportSize = reportSize
    limit = Packet.messageLimit(reportSize: reportSize)
  }

  /// How much of an answer has come, where one has begun and is not whole.
  public var partialAnswer: (received: Int, length: Int)? {
    message.map { ($0.payload.count, $0.length) }
  }

  /// Takes one report from the key.
  public mutating func receive(_ report: [UInt8]) -> Event {
    if let other = Packet.channel(of: report), other != channel { return .foreign }
    guard report.count == reportSize, let packet = Packet(report: report) else {
      return .garbled(.reportSize(found: report.count, expected: reportSize))
    }
    switch packet {
    case .continuation(_, let sequence, let data): return receive(sequence, data)
    case .initial(_, .keepAlive, _, let data): return .keepAlive(KeepAlive(status: data.first ?? 0))
    case .initial(_, .error, _, let data): return .error(CTAPHIDErrorCode(rawValue: data.first ?? 0))
    case .initial(_, let found, let length, let data): return receive(found, length, data)
    }
  }

  private mutating func receive(_ found: CTAPHIDCommand, _ length: Int, _ data: [UInt8]) -> Event {
    guard found == command else { return .garbled(.command(found: found, expected: command)) }
    guard length >= minimum else { return .garbled(.tooShort(length: length, minimum: minimum)) }
    guard let begun = MessageAssembler(command: found, length: length, data: data, limit: limit) else {
      return .garbled(.tooLong(length: length, limit: limit))
    }
    guard let message else {
      if begun.isComplete { return .answer(begun.payload) }
      self.message = begun
      return .progress
    }
    if begun.isComplete { return .garbled(.interrupted) }
    rival = begun
    return begun == message ? .duplicate : .garbled(.interrupted)
  }

  private mutating func receive(_ sequence: UInt8, _ data: [UInt8]) -> Event {
    guard var message else { return .garbled(.stray(sequence: sequence)) }
    var step = message.add(sequence: sequence, data: data)
    if step != .incomplete, step != .complete, var rival {
      let other = rival.add(sequence: sequence, data: data)
      if other == .incomplete || other == .complete {
        message = rival
        step = other
      }
    }
    switch step {
    case .incomplete:
      self.message = message
      rival = nil
      return .progress
    case .complete:
      self.message = nil
      rival = nil
      return .answer(message.payload)
    case .duplicate: return .duplicate
    case .ahead(let expected): return .garbled(.sequence(found: sequence, expected: expected))
    case .conflict:
      self.message = nil
      rival = nil
      return .garbled(.conflict(sequence: sequence))
    }
  }

  /// The shortest answer that means anything: a CTAP2 status byte, a U2F status word, an INIT reply.
  private var minimum: Int {
    switch command {
    case .cbor: 1
    case .msg: 2
    case .initialise: InitReply.length
    default: 0
    }
  }
}
