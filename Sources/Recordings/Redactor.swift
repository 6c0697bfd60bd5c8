internal import CTAPHID
internal import Octets

/// Redacts the reports of one key: puts messages together, decides on whole ones, and maps the decision back.
///
/// A report is held until its message is whole, or until it is certain that it never will be. Then what there is of
/// it is redacted whole.
struct Redactor {
  /// A report that has been decided on.
  struct Decision {
    let ticket: Int
    let report: RecordedReport
  }

  private struct Lane: Hashable {
    let direction: ReportDirection
    let channel: ChannelID
  }

  /// A message that is coming in, with the reports that have come.
  private struct Partial {
    var message: MessageAssembler
    var parts: [(ticket: Int, report: [UInt8], data: Range<Int>)]
  }

  private let limit = Packet.messageLimit(reportSize: 64)
  private var partials: [Lane: Partial] = [:]
  /// The last request on each channel that the host has used; others belong to other programs.
  private var requests: [ChannelID: (command: CTAPHIDCommand, payload: [UInt8])] = [:]
  private var channels: Set<ChannelID> = [.broadcast]

  /// Takes a report under a number of the caller's, and returns what has been decided.
  mutating func take(_ report: [UInt8], _ direction: ReportDirection, ticket: Int) -> [Decision] {
    guard let packet = Packet(report: report) else { return [Self.hidden(report, from: 0, ticket)] }
    let lane = Lane(direction: direction, channel: packet.channel)
    if direction == .toKey { channels.insert(packet.channel) }
    // What another program gets is not ours to show, and its requests are never seen.
    guard channels.contains(packet.channel) else {
      return [Self.hidden(report, from: Self.header(of: packet), ticket)]
    }
    switch packet {
    case .initial(_, let command, let length, let data):
      return begin(lane, command, length, data, report, ticket)
    case .continuation(_, let sequence, let data):
      return goOn(lane, sequence, data, report, ticket)
    }
  }

  /// Decides on everything that is held.
  mutating func flush() -> [Decision] {
    partials.keys.sorted { $0.channel.rawValue < $1.channel.rawValue }.flatMap { giveUp($0) }
  }

  private mutating func begin(
    _ lane: Lane, _ command: CTAPHIDCommand, _ length: Int, _ data: [UInt8], _ report: [UInt8], _ ticket: Int
  ) -> [Decision] {
    guard let message = MessageAssembler(command: command, length: length, data: data, limit: limit) else {
      return giveUp(lane) + [Self.hidden(report, from: Self.initialHeader, ticket)]
    }
    let count = min(length, data.count)
    let begun = Partial(message: message, parts: [(ticket, report, 0..<count)])
    // These come between the reports of a message without disturbing it.
    if [.keepAlive, .error, .cancel].contains(command), message.isComplete { return finish(begun, lane) }
    var decisions = giveUp(lane)
    // Once the host sends something else, the rest of an answer may never come.
    if lane.direction == .toKey { decisions += giveUp(Lane(direction: .fromKey, channel: lane.channel)) }
    if message.isComplete { return decisions + finish(begun, lane) }
    partials[lane] = begun
    return decisions
  }

  private mutating func goOn(
    _ lane: Lane, _ sequence: UInt8, _ data: [UInt8], _ report: [UInt8], _ ticket: Int
  ) -> [Decision] {
    let hidden = Self.hidden(report, from: Self.continuationHeader, ticket)
    guard var partial = partials[lane] else { return [hidden] }
    let start = partial.message.payload.count
    switch partial.message.add(sequence: sequence, data: data) {
    case .incomplete, .complete:
      partial.parts.append((ticket, report, start..<partial.message.payload.count))
      partials[lane] = partial
      guard partial.message.isComplete else { return [] }
      partials[lane] = nil
      return finish(partial, lane)
    case .duplicate, .conflict, .ahead: return [hidden]
    }
  }

  private mutating func finish(_ whole: Partial, _ lane: Lane) -> [Decision] {
    let (command, payload) = (whole.message.command, whole.message.payload)
    let mask: [Bool]
    switch lane.direction {
    case .toKey:
      mask = MessageMask.request(command, payload)
      if command != .cancel { requests[lane.channel] = (command, payload) }
    case .fromKey: mask = MessageMask.answer(command, payload, to: requests[lane.channel])
    }
    return Self.decide(whole) { mask[$0] }
  }

  private mutating func giveUp(_ lane: Lane) -> [Decision] {
    guard let partial = partials.removeValue(forKey: lane) else { return [] }
    return Self.decide(partial) { _ in true }
  }

  private static func decide(_ message: Partial, isHidden: (Int) -> Bool) -> [Decision] {
    message.parts.enumerated().map { index, part in
      let header = index == 0 ? initialHeader : continuationHeader
      var mask = [Bool](repeating: false, count: header) + part.data.map(isHidden)
      // What fills a report up should be zero, and could be left over from anything.
      mask += part.report.dropFirst(mask.count).map { $0 != 0 }
      return Decision(ticket: part.ticket, report: RecordedReport(part.report, hiding: mask))
    }
  }

  private static let initialHeader = 7
  private static let continuationHeader = 5

  private static func header(of packet: Packet) -> Int {
    if case .initial = packet { initialHeader } else { continuationHeader }
  }

  private static func hidden(_ report: [UInt8], from start: Int, _ ticket: Int) -> Decision {
    Decision(ticket: ticket, report: RecordedReport(report, hiding: report.indices.map { $0 >= start }))
  }
}
