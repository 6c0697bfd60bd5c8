import CTAPHID
import Testing

@Suite("The host's state machine")
struct HostTransactionTests {
  /// An answer of three reports, and one that stands for another program's.
  static let payload = (0..<150).map { UInt8($0) }
  static let reports = Wire.message(0x10, payload)

  static func machine(_ command: CTAPHIDCommand = .cbor, size: Int = 64) -> HostTransaction {
    HostTransaction(channel: ChannelID(rawValue: Wire.own), command: command, reportSize: size)
  }

  /// What each report of a sequence meant.
  static func events(_ reports: [[UInt8]], _ command: CTAPHIDCommand = .cbor) -> [HostTransaction.Event] {
    var machine = machine(command)
    return reports.map { machine.receive($0) }
  }

  @Test("an answer of one report is there at once")
  func single() {
    #expect(Self.events([Wire.initial(0x10, [0, 1, 2])]) == [.answer([0, 1, 2])])
  }

  @Test("an answer of several reports is there with the last")
  func several() {
    #expect(Self.events(Self.reports) == [.progress, .progress, .answer(Self.payload)])
  }

  @Test("a keep-alive says what the key is doing, whatever the status and even with none")
  func keepAlive() {
    let reports = [Wire.keepAlive(1), Wire.keepAlive(2), Wire.keepAlive(77), Wire.initial(0x3b)]
    #expect(
      Self.events(reports) == [
        .keepAlive(.processing), .keepAlive(.userPresenceNeeded), .keepAlive(.other(77)), .keepAlive(.other(0)),
      ])
  }

  @Test("an ERROR frame gives its code, zero where it has none")
  func error() {
    #expect(
      Self.events([Wire.error(0x0b), Wire.initial(0x3f)]) == [.error(.invalidChannel), .error(.init(rawValue: 0))])
  }

  /// Reports that may come between any two of an answer's without disturbing it.
  static let intruders: [(String, [[UInt8]])] = [
    ("a foreign initial report", [Wire.initial(0x10, length: 100, [1, 2], on: Wire.foreign)]),
    ("a foreign continuation", [Wire.continuation(0, [1, 2], on: Wire.foreign)]),
    ("a foreign whole message", Wire.message(0x10, [UInt8](repeating: 9, count: 100), on: Wire.foreign)),
    ("a foreign report of a wrong size", [Array(Wire.keepAlive(1, on: Wire.foreign).prefix(10))]),
    ("an INIT reply on the broadcast channel", [Wire.initReply([8, 7, 6, 5, 4, 3, 2, 1])]),
    ("an ERROR frame on the broadcast channel", [Wire.error(6, on: Wire.broadcast)]),
    ("an ERROR frame of another channel", [Wire.error(6, on: Wire.foreign)]),
    ("an INIT reply on this channel", [Wire.initReply([8, 7, 6, 5, 4, 3, 2, 1], on: Wire.own)]),
    ("an answer to another command", [Wire.initial(0x03, [0x90, 0])]),
    ("a keep-alive", [Wire.keepAlive(2)]),
    ("an ERROR frame", [Wire.error(4)]),
    ("a length over the limit", [Wire.initial(0x10, length: 7610, [1])]),
    ("the largest length there is", [Wire.initial(0x10, length: 65535, [1])]),
    ("an answer without a status byte", [Wire.initial(0x10)]),
    ("a report too short", [Array(Wire.keepAlive(1).prefix(63))]),
    ("a report too long", [Wire.keepAlive(1) + [0]]),
    ("a report without a header", [[1, 2, 3]]),
    ("an empty report", [[]]),
    ("a continuation far ahead", [Wire.continuation(99, [1])]),
  ]

  @Test("an intruder between an answer's reports does not disturb it", arguments: 0...2, intruders)
  func intruder(position: Int, intruder: (name: String, reports: [[UInt8]])) {
    var machine = Self.machine()
    var answers: [HostTransaction.Event] = []
    for (index, report) in Self.reports.enumerated() {
      if index == position {
        for report in intruder.reports {
          let event = machine.receive(report)
          if case .progress = event { Issue.record("\(intruder.name) was taken for a part of the answer") }
          if case .answer = event { Issue.record("\(intruder.name) was taken for the answer") }
        }
      }
      if case .answer = machine.receive(report) { answers.append(.answer(Self.payload)) }
    }
    #expect(answers == [.answer(Self.payload)])
  }

  @Test("any report of an answer may come twice, or three times", arguments: 0...1, 2...3)
  func duplicates(position: Int, times: Int) {
    var reports = Self.reports
    reports.insert(contentsOf: [[UInt8]](repeating: Self.reports[position], count: times - 1), at: position)
    let events = Self.events(reports)
    #expect(events.last == .answer(Self.payload))
    #expect(events.filter { $0 == .duplicate }.count == times - 1)
  }

  @Test("a report that repeats an earlier one than the last is skipped too")
  func lateDuplicate() {
    let long = (0..<300).map { UInt8(truncatingIfNeeded: $0) }
    var reports = Wire.message(0x10, long)
    reports.insert(reports[1], at: 3)
    reports.insert(reports[0], at: 4)
    let events = Self.events(reports)
    #expect(events[3] == .duplicate)
    #expect(events.last == .answer(long))
  }

  @Test("a missing report is named, and the answer never becomes whole")
  func missing() {
    #expect(
      Self.events([Self.reports[0], Self.reports[2]])
        == [.progress, .garbled(.sequence(found: 1, expected: 0))])
  }

  @Test("two different reports in one place make the answer worthless")
  func conflict() {
    var reports = Self.reports
    reports.insert(Wire.continuation(0, [6, 6, 6]), at: 2)
    #expect(
      Self.events(reports)
        == [.progress, .progress, .garbled(.conflict(sequence: 0)), .garbled(.stray(sequence: 1))])
  }

  @Test("a continuation without a message is stray")
  func stray() {
    #expect(Self.events([Wire.continuation(3, [1])]) == [.garbled(.stray(sequence: 3))])
  }

  @Test("an answer that begins anew is read from its new beginning")
  func begunAnew() {
    let stale = Wire.message(0x10, [UInt8](repeating: 0xee, count: 200))
    let events = Self.events([stale[0], stale[1]] + Self.reports)
    #expect(events == [.progress, .progress, .garbled(.interrupted), .progress, .answer(Self.payload)])
  }

  @Test("a beginning that nothing follows does not stop the message before it")
  func falseBeginning() {
    let stale = Wire.initial(0x10, length: 200, [UInt8](repeating: 0xee, count: 57))
    var reports = Self.reports
    reports.insert(stale, at: 2)
    #expect(Self.events(reports) == [.progress, .progress, .garbled(.interrupted), .answer(Self.payload)])
  }

  @Test("an answer of one report inside another's reports is skipped")
  func singleInside() {
    var reports = Self.reports
    reports.insert(Wire.initial(0x10, [0x2d]), at: 1)
    #expect(Self.events(reports) == [.progress, .garbled(.interrupted), .progress, .answer(Self.payload)])
  }

  @Test("lengths over the limit and under the command's minimum are named")
  func lengths() {
    #expect(Self.events([Wire.initial(0x10, length: 7610)]) == [.garbled(.tooLong(length: 7610, limit: 7609))])
    #expect(Self.events([Wire.initial(0x10)]) == [.garbled(.tooShort(length: 0, minimum: 1))])
    #expect(Self.events([Wire.initial(0x03, [0x90])], .msg) == [.garbled(.tooShort(length: 1, minimum: 2))])
    #expect(Self.events([Wire.initial(0x06, [1])], .initialise) == [.garbled(.tooShort(length: 1, minimum: 17))])
    #expect(Self.events([Wire.initial(0x01)], .ping) == [.answer([])])
  }

  @Test("a wrong report size is named with both sizes")
  func reportSize() {
    #expect(Self.events([[1]]) == [.garbled(.reportSize(found: 1, expected: 64))])
    #expect(Self.events([Wire.keepAlive(1) + [0]]) == [.garbled(.reportSize(found: 65, expected: 64))])
  }

  @Test("another answer can be read after the first")
  func again() {
    #expect(Self.events([Wire.initial(0x10, [1])] + Self.reports).last == .answer(Self.payload))
  }

  @Test("how much of an answer has come can be asked for")
  func partial() throws {
    var machine = Self.machine()
    #expect(machine.partialAnswer == nil)
    _ = machine.receive(Self.reports[0])
    let partial = try #require(machine.partialAnswer)
    #expect(partial == (57, 150))
  }
}
