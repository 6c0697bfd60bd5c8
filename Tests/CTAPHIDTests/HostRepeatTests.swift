import BridgeTestSupport
import CTAPHID
import Testing
import Timing

@Suite("Sending a request again")
struct HostRepeatTests {
  typealias Script = ScriptedHost
  static let request = ScriptedTransport.Step.expect(Script.requestReport)

  @Test("CHANNEL_BUSY: after 100 ms INIT, and the request again", arguments: [true, false])
  func busyOnce(repeatable: Bool) throws {
    let host = try Script(
      [Self.request, .send(Wire.error(6))] + Script.bringBack(1) + [Self.request, Script.answer([0])])
    let start = host.clock.now
    #expect(try host.cbor(repeatable: repeatable, host.wait(.seconds(5))) == [0])
    #expect(host.clock.now.since(start) == .milliseconds(100))
  }

  @Test("a key that stays busy for 2 s is asked every 100 ms", arguments: [true, false])
  func busyLong(repeatable: Bool) throws {
    let round = { (index: Int) -> [ScriptedTransport.Step] in
      [Self.request, .send(Wire.error(6))] + Script.bringBack(index)
    }
    let host = try Script((1...20).flatMap(round) + [Self.request, Script.answer([0])])
    let start = host.clock.now
    #expect(try host.cbor(repeatable: repeatable, host.wait(.seconds(5))) == [0])
    #expect(host.clock.now.since(start) == .seconds(2))
  }

  @Test("a key that is busy for ever ends at the deadline, the request not taken", arguments: [true, false])
  func busyForEver(repeatable: Bool) throws {
    // Here INIT is refused as well.
    let inits = (1...8).flatMap { index -> [ScriptedTransport.Step] in
      [.expect(Wire.initRequest(Script.nonces[index], on: Wire.own)), .send(Wire.error(6))]
    }
    let host = try Script([Self.request, .send(Wire.error(6))] + inits)
    #expect(throws: CTAPHIDError.timeout(.busy, mayHaveBeenTaken: false)) {
      try host.cbor(repeatable: repeatable, host.wait(.milliseconds(850)))
    }
  }

  @Test("a BUSY that came by mistake is belied by the answer, and nothing is sent again", arguments: [0, 50, 99])
  func busyBelied(delay: Int) throws {
    let host = try Script([
      Self.request, .send(Wire.error(6)), Script.answer([0, 1], after: .milliseconds(delay)),
    ])
    #expect(try host.cbor(repeatable: false, host.wait(.seconds(5))) == [0, 1])
  }

  @Test(
    "any ERROR frame is belied by a keep-alive that follows it", arguments: [1, 2, 3, 4, 5, 6, 0x0a, 0x0b, 0x7f, 0x55])
  func errorBelied(code: Int) throws {
    let host = try Script(
      [Self.request, .send(Wire.error(UInt8(code)))]
        + (0..<80).map { _ in .send(Wire.keepAlive(2), after: .milliseconds(90)) } + [Script.answer([0, 1])])
    #expect(try host.cbor(repeatable: false, host.wait(.seconds(60))) == [0, 1])
  }

  @Test("an answer that comes while the channel is brought back is the answer", arguments: [true, false])
  func answerDuringInit(repeatable: Bool) throws {
    let host = try Script([
      Self.request, .send(Wire.error(6)), .expect(Wire.initRequest(Script.nonces[1], on: Wire.own)),
      Script.answer([0, 1], after: .milliseconds(20)),
    ])
    #expect(try host.cbor(repeatable: repeatable, host.wait(.seconds(5))) == [0, 1])
  }

  @Test("an answer that is in the queue when the channel is brought back is the answer")
  func answerInQueue() throws {
    let host = try Script([
      Self.request, .send(Wire.keepAlive(1)), Script.answer([0, 1], after: .milliseconds(1500)),
    ])
    #expect(try host.cbor(repeatable: true, host.wait(.seconds(5))) == [0, 1])
  }

  @Test(
    "the key's own word that a request was not taken lets it be sent again, even one that must not be repeated",
    arguments: [3, 4, 5], [true, false])
  func notTaken(code: Int, repeatable: Bool) throws {
    let host = try Script(
      Script.longReports + [.send(Wire.error(UInt8(code)))] + Script.bringBack(1) + Script.longReports
        + [Script.answer([0])])
    #expect(try host.channel.exchange(.cbor, Script.long, repeatable: repeatable, host.wait(.seconds(5))) == [0])
  }

  @Test("a channel that the key does not know is replaced by a new one", arguments: [true, false])
  func invalidChannel(repeatable: Bool) throws {
    let new: UInt32 = 0x5555_6666
    let host = try Script([
      Self.request, .send(Wire.error(0x0b)),
      .expect(Wire.initRequest(Script.nonces[1], on: Wire.own)), .send(Wire.error(0x0b)),
      .expect(Wire.initRequest(Script.nonces[2])), .send(Wire.initReply(Script.nonces[2], handing: new)),
      .expect(Wire.initial(0x10, Script.request, on: new)), .send(Wire.initial(0x10, [0], on: new)),
    ])
    #expect(try host.cbor(repeatable: repeatable, host.wait(.seconds(5))) == [0])
    #expect(host.channel.channel == ChannelID(rawValue: new))
  }

  @Test("a request is sent again three times at the most")
  func bounded() throws {
    let rounds = (1...3).flatMap { index in
      Script.longReports + [.send(Wire.error(4))] + Script.bringBack(index)
    }
    let host = try Script(rounds + Script.longReports + [.send(Wire.error(4))])
    #expect(throws: CTAPHIDError.errorFrame(.invalidSequence, mayHaveBeenTaken: false)) {
      try host.channel.exchange(.cbor, Script.long, repeatable: false, host.wait(.seconds(60)))
    }
  }

  @Test("a request of one report cannot be out of sequence, so that code proves nothing")
  func sequenceOfOne() throws {
    let host = try Script([Self.request, .send(Wire.error(4)), .expect(Wire.cancel)])
    #expect(throws: CTAPHIDError.errorFrame(.invalidSequence, mayHaveBeenTaken: true)) {
      try host.cbor(repeatable: false, host.wait(.seconds(60)))
    }
  }

  @Test("an ERROR frame proves nothing after the key was seen at work", arguments: [3, 4, 5, 6, 0x0b])
  func errorAfterWork(code: Int) throws {
    let host = try Script(
      Script.longReports + [.send(Wire.keepAlive(2)), .send(Wire.error(UInt8(code))), .expect(Wire.cancel)])
    let expected = CTAPHIDErrorCode(rawValue: UInt8(code))
    #expect(throws: CTAPHIDError.errorFrame(expected, mayHaveBeenTaken: true)) {
      try host.channel.exchange(.cbor, Script.long, repeatable: false, host.wait(.seconds(60)))
    }
  }

  @Test("an ERROR frame in place of an answer's first report proves nothing: the rest of the answer follows")
  func errorForAnswer() throws {
    let rest = Wire.message(0x10, [UInt8](repeating: 7, count: 150)).dropFirst()
    let host = try Script(
      Script.longReports + [.send(Wire.error(4))] + rest.map { .send($0) } + [.expect(Wire.cancel)])
    #expect(throws: CTAPHIDError.errorFrame(.invalidSequence, mayHaveBeenTaken: true)) {
      try host.channel.exchange(.cbor, Script.long, repeatable: false, host.wait(.seconds(60)))
    }
  }

  @Test("signs of work while the channel is brought back keep a request from being sent again")
  func workDuringInit() throws {
    let host = try Script(
      Script.longReports + [
        .send(Wire.error(4)), .expect(Wire.initRequest(Script.nonces[1], on: Wire.own)),
        .send(Wire.keepAlive(2)), .send(Wire.initReply(Script.nonces[1], on: Wire.own)),
      ])
    #expect(throws: CTAPHIDError.errorFrame(.invalidSequence, mayHaveBeenTaken: true)) {
      try host.channel.exchange(.cbor, Script.long, repeatable: false, host.wait(.seconds(60)))
    }
  }

  @Test("signs of work while the channel is brought back count when the wait ends there", arguments: [true, false])
  func workDuringInitAndEnd(isCancelled: Bool) throws {
    let cancellation = Cancellation()
    let host = try Script([
      Self.request, .send(Wire.error(6)), .expect(Wire.initRequest(Script.nonces[1], on: Wire.own)),
      .send(Wire.keepAlive(2)), .act { if isCancelled { cancellation.cancel() } },
    ])
    let expected: CTAPHIDError =
      isCancelled ? .cancelled(mayHaveBeenTaken: true) : .timeout(.busy, mayHaveBeenTaken: true)
    #expect(throws: expected) {
      try host.cbor(repeatable: false, host.wait(.milliseconds(400), cancellation))
    }
  }

  @Test("codes that will not change are final for a request that must not be repeated", arguments: [1, 2, 0x0a])
  func finalCodes(code: Int) throws {
    let host = try Script([Self.request, .send(Wire.error(UInt8(code)))])
    let expected = CTAPHIDErrorCode(rawValue: UInt8(code))
    #expect(throws: CTAPHIDError.errorFrame(expected, mayHaveBeenTaken: false)) {
      try host.cbor(repeatable: false, host.wait(.seconds(60)))
    }
  }

  @Test("they are asked for once more where that does no harm")
  func finalCodesRepeatable() throws {
    let once = try Script(
      [Self.request, .send(Wire.error(1))] + Script.bringBack(1) + [Self.request, Script.answer([0])])
    #expect(try once.cbor(repeatable: true, once.wait(.seconds(60))) == [0])
    let twice = try Script(
      [Self.request, .send(Wire.error(1))] + Script.bringBack(1) + [Self.request, .send(Wire.error(1))])
    #expect(throws: CTAPHIDError.errorFrame(.invalidCommand, mayHaveBeenTaken: false)) {
      try twice.cbor(repeatable: true, twice.wait(.seconds(60)))
    }
  }

  @Test("the code for other things is final where the request must not be repeated, and proves nothing")
  func otherCode() throws {
    let host = try Script([Self.request, .send(Wire.error(0x7f)), .expect(Wire.cancel)])
    #expect(throws: CTAPHIDError.errorFrame(.other, mayHaveBeenTaken: true)) {
      try host.cbor(repeatable: false, host.wait(.seconds(60)))
    }
  }

  @Test("silence: a repeatable request is sent again after 1.5 s")
  func silenceRepeatable() throws {
    let host = try Script([Self.request] + Script.bringBack(1) + [Self.request, Script.answer([0])])
    let start = host.clock.now
    #expect(try host.cbor(repeatable: true, host.wait(.seconds(5))) == [0])
    #expect(host.clock.now.since(start) == .milliseconds(1500))
  }

  @Test("silence for ever: four times, then an error")
  func silenceForEver() throws {
    let rounds = (1...3).flatMap { [Self.request] + Script.bringBack($0) }
    let host = try Script(rounds + [Self.request])
    #expect(throws: CTAPHIDError.silent(after: .milliseconds(1500), mayHaveBeenTaken: true)) {
      try host.cbor(repeatable: true, host.wait(.seconds(60)))
    }
  }

  @Test("silence: any other request is cancelled on the key and never sent again")
  func silence() throws {
    let host = try Script([Self.request, .expect(Wire.cancel)])
    let start = host.clock.now
    #expect(throws: CTAPHIDError.silent(after: .seconds(5), mayHaveBeenTaken: true)) {
      try host.cbor(repeatable: false, host.wait(.seconds(60)))
    }
    #expect(host.clock.now.since(start) == .seconds(6))
  }

  /// Answers that are broken for good, with what is wrong with them.
  static let broken: [([[UInt8]], Malformation)] = [
    ([Wire.initial(0x10, length: 7610)], .tooLong(length: 7610, limit: 7609)),
    ([Wire.initial(0x10, length: 65535)], .tooLong(length: 65535, limit: 7609)),
    ([Wire.initial(0x10)], .tooShort(length: 0, minimum: 1)),
    ([Wire.initial(0x11, [0])], .command(found: .cancel, expected: .cbor)),
    ([Array(Wire.initial(0x10, [0]).prefix(20))], .reportSize(found: 20, expected: 64)),
    ([Wire.initial(0x10, length: 100, [1])], .incomplete(received: 57, length: 100)),
    (Array(Wire.message(0x10, [UInt8](repeating: 1, count: 150)).dropFirst()), .stray(sequence: 1)),
    (
      [Wire.initial(0x10, length: 150, [1]), Wire.continuation(1, [1])],
      .sequence(found: 1, expected: 0)
    ),
    (
      [Wire.initial(0x10, length: 150, [1]), Wire.continuation(0, [1]), Wire.continuation(0, [2])],
      .conflict(sequence: 0)
    ),
  ]

  @Test("a broken answer: a repeatable request is sent again", arguments: broken)
  func brokenRepeatable(reports: [[UInt8]], malformation: Malformation) throws {
    let host = try Script(
      [Self.request] + reports.map { .send($0) } + Script.bringBack(1) + [Self.request, Script.answer([0])])
    #expect(try host.cbor(repeatable: true, host.wait(.seconds(60))) == [0])
  }

  @Test("a broken answer: any other request is not sent again, and what is wrong is said", arguments: broken)
  func brokenOnce(reports: [[UInt8]], malformation: Malformation) throws {
    let host = try Script([Self.request] + reports.map { .send($0) } + [.expect(Wire.cancel)])
    #expect(throws: CTAPHIDError.malformed(malformation, mayHaveBeenTaken: true)) {
      try host.cbor(repeatable: false, host.wait(.seconds(60)))
    }
  }

  @Test("a refused answer: a repeatable request is sent again, until the same answer comes twice")
  func refused() throws {
    let round = { (index: Int, answer: UInt8) -> [ScriptedTransport.Step] in
      [Self.request, Script.answer([answer])] + Script.bringBack(index)
    }
    let host = try Script(round(1, 7) + [Self.request, Script.answer([0])])
    #expect(try host.cbor(repeatable: true, host.wait(.seconds(60))) { $0 == [0] ? nil : "odd" } == [0])
    let same = try Script(round(1, 7) + round(2, 8) + [Self.request, Script.answer([8])])
    #expect(throws: CTAPHIDError.answerRefused("odd", answer: [8])) {
      try same.cbor(repeatable: true, same.wait(.seconds(60))) { _ in "odd" }
    }
  }

  @Test("a channel that cannot be brought back leaves the first cause as the error")
  func initSilent() throws {
    let inits =
      (1...3).map { ScriptedTransport.Step.expect(Wire.initRequest(Script.nonces[$0], on: Wire.own)) }
      + (4...6).map { .expect(Wire.initRequest(Script.nonces[$0])) }
    let host = try Script(Script.longReports + [.send(Wire.error(4))] + inits)
    #expect(throws: CTAPHIDError.errorFrame(.invalidSequence, mayHaveBeenTaken: false)) {
      try host.channel.exchange(.cbor, Script.long, repeatable: false, host.wait(.seconds(60)))
    }
  }

  @Test("a deadline, a cancellation and unplugging while the channel is brought back are told apart")
  func interruptedInit() throws {
    let cancellation = Cancellation()
    let cases: [([ScriptedTransport.Step], CTAPHIDError)] = [
      ([], .timeout(.initialising, mayHaveBeenTaken: false)),
      ([.failRead(.unplugged, after: .milliseconds(10))], .transport(.unplugged, mayHaveBeenTaken: false)),
      ([.act(after: .milliseconds(10)) { cancellation.cancel() }], .cancelled(mayHaveBeenTaken: false)),
    ]
    for (steps, expected) in cases {
      let lines =
        Script.longReports + [
          .send(Wire.error(4)), .expect(Wire.initRequest(Script.nonces[1], on: Wire.own)),
        ]
      let host = try Script(lines + steps)
      #expect(throws: expected) {
        try host.channel.exchange(
          .cbor, Script.long, repeatable: false, host.wait(.milliseconds(900), cancellation))
      }
    }
  }

  @Test("after trouble the channel is brought back before the next request")
  func unsettled() throws {
    let host = try Script(
      [Self.request, .expect(Wire.cancel)] + Script.bringBack(1) + [Self.request, Script.answer([0])])
    #expect(throws: CTAPHIDError.silent(after: .seconds(5), mayHaveBeenTaken: true)) {
      try host.cbor(repeatable: false, host.wait(.seconds(60)))
    }
    #expect(try host.cbor(repeatable: false, host.wait(.seconds(60))) == [0])
  }

  @Test("the caller can have the channel brought back")
  func resynchronise() throws {
    let host = try Script(Script.bringBack(1))
    try host.channel.resynchronise(host.wait(.seconds(1)))
  }
}
