import BridgeTestSupport
import CTAPHID
import Octets
import Synchronization
import Testing
import Timing

@Suite("A request and its answer")
struct HostExchangeTests {
  typealias Script = ScriptedHost
  static let request = ScriptedTransport.Step.expect(Script.requestReport)

  @Test("a request of one report and its answer, byte for byte")
  func plain() throws {
    let host = try Script([Self.request, Script.answer([0, 0xa1], after: .milliseconds(40))])
    #expect(try host.cbor(repeatable: false, host.wait(.seconds(1))) == [0, 0xa1])
  }

  @Test("a request of several reports and such an answer, byte for byte")
  func several() throws {
    let answer = (0..<500).map { UInt8(truncatingIfNeeded: $0 &* 3) }
    let host = try Script(Script.longReports + Wire.message(0x10, answer).map { .send($0) })
    let result = try host.channel.exchange(.cbor, Script.long, repeatable: false, host.wait(.seconds(1)))
    #expect(result == answer)
  }

  @Test(
    "messages of every boundary size go there and back",
    arguments: [0, 1, 56, 57, 58, 115, 116, 117, 7608, 7609])
  func sizes(count: Int) throws {
    let payload = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 5) }
    let reports = Wire.message(0x01, payload)
    let host = try Script(reports.map { .expect($0) } + reports.map { .send($0) })
    try host.channel.ping(payload, host.wait(.seconds(1)))
  }

  @Test("a message of one byte too many is refused before anything is sent")
  func tooLong() throws {
    let host = try Script([])
    #expect(throws: CTAPHIDError.messageTooLong(size: 7610, limit: 7609)) {
      try host.channel.ping([UInt8](repeating: 0, count: 7610), host.wait(.seconds(1)))
    }
  }

  @Test("what is in the queue is thrown away before a request")
  func drained() throws {
    let host = try Script(
      [Script.answer([0x31]), .send(Wire.keepAlive(1)), .send(Wire.error(6)), .send(Wire.continuation(0, [1]))]
        + [Self.request, Script.answer([0])])
    #expect(try host.cbor(repeatable: false, host.wait(.seconds(1))) == [0])
  }

  @Test("a queue without an end does not keep a request from being sent")
  func endlessQueue() throws {
    var tuning = Tuning.standard
    tuning.drainLimit = 5
    let stale = (0..<5).map { ScriptedTransport.Step.send(Wire.initial(0x10, [UInt8($0)], on: Wire.foreign)) }
    // One read of INIT's reply comes before; five reports are thrown away, the sixth is skipped as foreign.
    let host = try Script(stale + [Self.request, stale[0], Script.answer([0])], tuning: tuning)
    #expect(try host.cbor(repeatable: false, host.wait(.seconds(1))) == [0])
  }

  @Test("the status reaches the wait when it changes, unknown ones too")
  func keepAlives() throws {
    let statuses: [UInt8] = [1, 1, 2, 2, 2, 9, 1]
    let host = try Script(
      [Self.request] + statuses.map { .send(Wire.keepAlive($0), after: .milliseconds(100)) } + [Script.answer([0])])
    let seen = Mutex<[KeepAlive]>([])
    var wait = host.wait(.seconds(5))
    wait.onKeepAlive = { status in seen.withLock { $0.append(status) } }
    #expect(try host.cbor(repeatable: false, wait) == [0])
    #expect(seen.withLock { $0 } == [.processing, .userPresenceNeeded, .other(9), .processing])
  }

  @Test("a key that keeps saying that it works is waited for far longer than one that is silent")
  func patience() throws {
    let steps = (0..<100).map { _ in ScriptedTransport.Step.send(Wire.keepAlive(2), after: .seconds(4)) }
    let host = try Script([Self.request] + steps + [Script.answer([0], after: .seconds(4))])
    #expect(try host.cbor(repeatable: false, host.wait(.seconds(600))) == [0])
  }

  @Test("other channels' whole transactions between the reports of an answer are skipped")
  func interleaved() throws {
    let answer = (0..<150).map { UInt8($0) }
    let foreign = Wire.message(0x10, [UInt8](repeating: 0xee, count: 400), on: Wire.foreign)
    var steps = Script.longReports
    for report in Wire.message(0x10, answer) {
      steps += foreign.map { .send($0) }
      steps += [.send(Wire.initReply([5, 5, 5, 5, 5, 5, 5, 5])), .send(Wire.error(6, on: Wire.broadcast))]
      steps += [.send(report)]
    }
    let host = try Script(steps)
    #expect(
      try host.channel.exchange(.cbor, Script.long, repeatable: false, host.wait(.seconds(1))) == answer)
  }

  @Test("another program's keep-alives do not make a silent key look alive")
  func foreignKeepAlives() throws {
    let foreign = (0..<60).map { _ in
      ScriptedTransport.Step.send(Wire.keepAlive(2, on: Wire.foreign), after: .milliseconds(100))
    }
    let host = try Script([Self.request] + foreign.prefix(49) + [.expect(Wire.cancel)])
    #expect(throws: CTAPHIDError.silent(after: .seconds(5), mayHaveBeenTaken: true)) {
      try host.cbor(repeatable: false, host.wait(.seconds(60)))
    }
  }

  @Test("PING, WINK and LOCK send what they should")
  func smallCommands() throws {
    let host = try Script([
      .expect(Wire.initial(0x01, [1, 2, 3])), .send(Wire.initial(0x01, [1, 2, 3])),
      .expect(Wire.initial(0x08)), .send(Wire.initial(0x08)),
      .expect(Wire.initial(0x04, [10])), .send(Wire.initial(0x04)),
    ])
    try host.channel.ping([1, 2, 3], host.wait(.seconds(1)))
    try host.channel.wink(host.wait(.seconds(1)))
    try host.channel.lock(seconds: 10, host.wait(.seconds(1)))
  }

  @Test("an echo that differs is refused")
  func wrongEcho() throws {
    let wrong = ScriptedTransport.Step.send(Wire.initial(0x01, [9]))
    let ping = ScriptedTransport.Step.expect(Wire.initial(0x01, [1]))
    let host = try Script([ping, wrong] + Script.bringBack(1) + [ping, wrong])
    #expect(throws: CTAPHIDError.answerRefused("the echo differs from what was sent", answer: [9])) {
      try host.channel.ping([1], host.wait(.seconds(30)))
    }
  }

  @Test("a wait that is over sends nothing")
  func over() throws {
    let host = try Script([])
    #expect(throws: CTAPHIDError.timeout(.notSent, mayHaveBeenTaken: false)) {
      try host.cbor(repeatable: true, host.wait(.zero))
    }
    let cancellation = Cancellation()
    cancellation.cancel()
    #expect(throws: CTAPHIDError.cancelled(mayHaveBeenTaken: false)) {
      try host.cbor(repeatable: true, host.wait(.seconds(1), cancellation))
    }
  }

  @Test("an answer that the caller refuses is skipped, and the one that fits is returned")
  func refusedThenRight() throws {
    let host = try Script([
      Self.request, Script.answer([0x31]), Script.answer([0, 7], after: .milliseconds(30)), Script.answer([0, 8]),
    ])
    let answer = try host.cbor(repeatable: false, host.wait(.seconds(2))) { answer in
      answer == [0, 8] ? nil : "stale"
    }
    #expect(answer == [0, 8])
  }

  @Test("reading goes on past a refused answer for as long as the key says that it works")
  func refusedWhileWorking() throws {
    let working = (0..<50).map { _ in ScriptedTransport.Step.send(Wire.keepAlive(2), after: .milliseconds(100)) }
    let host = try Script([Self.request, Script.answer([0x2e])] + working + [Script.answer([0])])
    let answer = try host.cbor(repeatable: false, host.wait(.seconds(30))) { $0 == [0] ? nil : "stale" }
    #expect(answer == [0])
  }

  @Test("a refused answer that no other follows is an error with the reason, after a short grace")
  func refused() throws {
    let host = try Script([Self.request, Script.answer([0, 1]), .expect(Wire.cancel)])
    let start = host.clock.now
    #expect(throws: CTAPHIDError.answerRefused("another RP", answer: [0, 1])) {
      try host.cbor(repeatable: false, host.wait(.seconds(60))) { _ in "another RP" }
    }
    #expect(host.clock.now.since(start) == .seconds(2))
  }

  @Test("a key's word that it was cancelled is stale where no CANCEL was sent")
  func staleCancelAnswer() throws {
    let host = try Script([Self.request, Script.answer([0x2d]), Script.answer([0], after: .milliseconds(500))])
    #expect(try host.cbor(repeatable: false, host.wait(.seconds(2))) == [0])
  }

  @Test("what 0x2D means is known for CBOR only")
  func pingOf2D() throws {
    let host = try Script([.expect(Wire.initial(0x01, [0x2d])), .send(Wire.initial(0x01, [0x2d]))])
    try host.channel.ping([0x2d], host.wait(.seconds(1)))
  }

  @Test("unplugging is its own error, and says whether the last report had gone")
  func unplugged() throws {
    var steps = Script.longReports
    steps[1] = .failWrite(.unplugged)
    let early = try Script(Array(steps.prefix(2)))
    #expect(throws: CTAPHIDError.transport(.unplugged, mayHaveBeenTaken: false)) {
      try early.channel.exchange(.cbor, Script.long, repeatable: false, early.wait(.seconds(1)))
    }
    let last = try Script(Array(Script.longReports.prefix(2)) + [.failWrite(.unplugged)])
    #expect(throws: CTAPHIDError.transport(.unplugged, mayHaveBeenTaken: true)) {
      try last.channel.exchange(.cbor, Script.long, repeatable: false, last.wait(.seconds(1)))
    }
    let reading = try Script([Self.request, .failRead(.unplugged, after: .milliseconds(5))])
    #expect(throws: CTAPHIDError.transport(.unplugged, mayHaveBeenTaken: true)) {
      try reading.cbor(repeatable: true, reading.wait(.seconds(1)))
    }
    let before = try Script([.failRead(.unplugged)])
    #expect(throws: CTAPHIDError.transport(.unplugged, mayHaveBeenTaken: false)) {
      try before.cbor(repeatable: true, before.wait(.seconds(1)))
    }
  }
}
