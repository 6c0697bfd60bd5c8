import BridgeTestSupport
import CTAPHID
import Testing
import Timing

@Suite("Cancelling a request")
struct HostCancelTests {
  typealias Script = ScriptedHost
  static let request = ScriptedTransport.Step.expect(Script.requestReport)

  /// A host whose wait is cancelled 300 ms after the request, while the key asks for a touch.
  static func cancelled(
    _ steps: [ScriptedTransport.Step], sourceLocation: SourceLocation = #_sourceLocation
  ) throws -> (host: Script, wait: Wait) {
    let cancellation = Cancellation()
    let host = try Script(
      [
        request, .send(Wire.keepAlive(2), after: .milliseconds(100)),
        .act(after: .milliseconds(200)) { cancellation.cancel() }, .expect(Wire.cancel),
      ] + steps, sourceLocation: sourceLocation)
    return (host, host.wait(.seconds(30), cancellation))
  }

  @Test("CANCEL is sent once, and the key's word that it stopped says that nothing was made")
  func stopped() throws {
    let (host, wait) = try Self.cancelled([.send(Wire.keepAlive(2)), Script.answer([0x2d], after: .milliseconds(20))])
    let start = host.clock.now
    #expect(throws: CTAPHIDError.cancelled(mayHaveBeenTaken: false)) { try host.cbor(repeatable: false, wait) }
    #expect(host.clock.now.since(start) <= .milliseconds(340))
  }

  @Test("an answer that was made before the key heeded CANCEL is returned", arguments: [[0, 1], [0x27], [0x2f]])
  func lateAnswer(answer: [UInt8]) throws {
    let (host, wait) = try Self.cancelled([Script.answer(answer, after: .milliseconds(900))])
    #expect(try host.cbor(repeatable: false, wait) == answer)
    #expect(wait.cancellation.isCancelled)
  }

  @Test("an answer of several reports that CANCEL finds half sent is returned whole")
  func halfSent() throws {
    let answer = (0..<200).map { UInt8($0) }
    let reports = Wire.message(0x10, answer)
    let cancellation = Cancellation()
    let host = try Script(
      [Self.request, .send(reports[0]), .act { cancellation.cancel() }, .expect(Wire.cancel)]
        + reports.dropFirst().map { .send($0, after: .milliseconds(5)) })
    #expect(try host.cbor(repeatable: false, host.wait(.seconds(30), cancellation)) == answer)
  }

  @Test("no answer to CANCEL: the wait for it is bounded, and the request may have been carried out")
  func ignoredInSilence() throws {
    let (host, wait) = try Self.cancelled([])
    let start = host.clock.now
    #expect(throws: CTAPHIDError.cancelled(mayHaveBeenTaken: true)) { try host.cbor(repeatable: false, wait) }
    #expect(host.clock.now.since(start) <= .milliseconds(1320))
  }

  @Test("a key that goes on working in spite of CANCEL is stopped with INIT")
  func ignoredAtWork() throws {
    let working = (0..<9).map { _ in ScriptedTransport.Step.send(Wire.keepAlive(2), after: .milliseconds(100)) }
    let (host, wait) = try Self.cancelled(working + Script.bringBack(1) + [Self.request, Script.answer([0])])
    #expect(throws: CTAPHIDError.cancelled(mayHaveBeenTaken: true)) { try host.cbor(repeatable: false, wait) }
    // The channel was brought back, so the next request goes out at once.
    #expect(try host.cbor(repeatable: false, host.wait(.seconds(5))) == [0])
  }

  @Test("an answer that comes while INIT stops the key is returned")
  func answerDuringAbort() throws {
    let (host, wait) = try Self.cancelled([
      .send(Wire.keepAlive(2)), .expect(Wire.initRequest(Script.nonces[1], on: Wire.own)), Script.answer([0, 1]),
    ])
    #expect(try host.cbor(repeatable: false, wait) == [0, 1])
  }

  @Test("a key that heeds neither CANCEL nor INIT is left alone after 1.25 s")
  func heedsNothing() throws {
    let (host, wait) = try Self.cancelled([
      .send(Wire.keepAlive(2)), .expect(Wire.initRequest(Script.nonces[1], on: Wire.own)),
      .send(Wire.keepAlive(2), after: .milliseconds(100)),
    ])
    let start = host.clock.now
    #expect(throws: CTAPHIDError.cancelled(mayHaveBeenTaken: true)) { try host.cbor(repeatable: false, wait) }
    #expect(host.clock.now.since(start) <= .milliseconds(310) + Tuning.standard.longestOvertime)
  }

  @Test("a key that refuses the INIT that is to stop it changes nothing")
  func abortRefused() throws {
    let (host, wait) = try Self.cancelled([
      .send(Wire.keepAlive(2)), .expect(Wire.initRequest(Script.nonces[1], on: Wire.own)), .send(Wire.error(6)),
    ])
    #expect(throws: CTAPHIDError.cancelled(mayHaveBeenTaken: true)) { try host.cbor(repeatable: false, wait) }
  }

  @Test("the key's word that it stopped, after an answer of which a part came, says nothing about that answer")
  func stoppedAfterAnswer() throws {
    let (host, wait) = try Self.cancelled([
      .send(Wire.initial(0x10, length: 100, [0])), .send(Wire.initial(0x10, [0x2d])),
      .expect(Wire.initRequest(Script.nonces[1], on: Wire.own)),
    ])
    #expect(throws: CTAPHIDError.cancelled(mayHaveBeenTaken: true)) { try host.cbor(repeatable: false, wait) }
  }

  @Test("an answer that the caller refuses does not count as the late one")
  func refusedLateAnswer() throws {
    let (host, wait) = try Self.cancelled([
      Script.answer([9]), .expect(Wire.initRequest(Script.nonces[1], on: Wire.own)),
    ])
    #expect(throws: CTAPHIDError.cancelled(mayHaveBeenTaken: true)) {
      try host.cbor(repeatable: false, wait) { _ in "stale" }
    }
  }

  @Test("a request that is being written is written to its end before CANCEL")
  func whileWriting() throws {
    let cancellation = Cancellation()
    let reports = Wire.message(0x10, Script.long)
    let host = try Script([
      .examine { report in
        cancellation.cancel()
        return report == reports[0] ? [] : nil
      }, .expect(reports[1]), .expect(reports[2]), .expect(Wire.cancel), Script.answer([0x2d]),
    ])
    #expect(throws: CTAPHIDError.cancelled(mayHaveBeenTaken: false)) {
      try host.channel.exchange(.cbor, Script.long, repeatable: false, host.wait(.seconds(5), cancellation))
    }
  }

  @Test("the deadline passes while the key works: CANCEL, and the phase is said", arguments: [1, 2, 9])
  func deadline(status: Int) throws {
    let working = (0..<4).map { _ in
      ScriptedTransport.Step.send(Wire.keepAlive(UInt8(status)), after: .milliseconds(100))
    }
    let host = try Script([Self.request] + working + [.expect(Wire.cancel), Script.answer([0x2d])])
    let start = host.clock.now
    let phase: TimeoutPhase = status == 2 ? .userPresence : .processing
    #expect(throws: CTAPHIDError.timeout(phase, mayHaveBeenTaken: false)) {
      try host.cbor(repeatable: false, host.wait(.milliseconds(450)))
    }
    #expect(host.clock.now.since(start) == .milliseconds(450))
  }

  @Test("keep-alives for ever end at the deadline and what CANCEL and INIT may take")
  func keepAlivesForEver() throws {
    let working = (0..<100).map { _ in ScriptedTransport.Step.send(Wire.keepAlive(2), after: .milliseconds(50)) }
    let start = ManualClock().now
    let host = try Script(
      [Self.request] + working.prefix(19) + [.expect(Wire.cancel)] + working.prefix(19)
        + [.expect(Wire.initRequest(Script.nonces[1], on: Wire.own))] + working.prefix(4))
    #expect(throws: CTAPHIDError.timeout(.userPresence, mayHaveBeenTaken: true)) {
      try host.cbor(repeatable: false, host.wait(.seconds(1)))
    }
    #expect(host.clock.now.since(start) <= .seconds(1) + Tuning.standard.longestOvertime)
  }

  @Test("a success that comes after the deadline is returned")
  func successAfterDeadline() throws {
    let host = try Script([Self.request, .expect(Wire.cancel), Script.answer([0, 1], after: .milliseconds(700))])
    #expect(try host.cbor(repeatable: false, host.wait(.seconds(1))) == [0, 1])
  }

  @Test("nothing heard by the deadline: the phase says that an answer was waited for")
  func deadlineInSilence() throws {
    let host = try Script([Self.request, .expect(Wire.cancel)])
    #expect(throws: CTAPHIDError.timeout(.answer, mayHaveBeenTaken: true)) {
      try host.cbor(repeatable: true, host.wait(.seconds(1)))
    }
  }

  @Test("a wait that ends while BUSY is being sat out says so, and that the request was not taken")
  func whileBusy() throws {
    let host = try Script([Self.request, .send(Wire.error(6)), .expect(Wire.cancel)])
    #expect(throws: CTAPHIDError.timeout(.busy, mayHaveBeenTaken: false)) {
      try host.cbor(repeatable: false, host.wait(.milliseconds(60)))
    }
  }

  @Test("a BUSY that a keep-alive belies after CANCEL no longer shows that the request was not taken")
  func busyBeliedAfterCancel() throws {
    let cancellation = Cancellation()
    let host = try Script(
      [
        Self.request, .send(Wire.error(6)), .act(after: .milliseconds(50)) { cancellation.cancel() },
        .expect(Wire.cancel), .send(Wire.keepAlive(2), after: .milliseconds(50)),
      ] + Script.bringBack(1))
    #expect(throws: CTAPHIDError.cancelled(mayHaveBeenTaken: true)) {
      try host.cbor(repeatable: false, host.wait(.seconds(30), cancellation))
    }
  }

  @Test("a U2F message cannot be cancelled: its answer is waited for a moment")
  func message() throws {
    let cancellation = Cancellation()
    let host = try Script([
      .expect(Wire.initial(0x03, [1, 2])), .act(after: .milliseconds(10)) { cancellation.cancel() },
      .send(Wire.initial(0x03, [0x90, 0]), after: .milliseconds(500)),
    ])
    let answer = try host.channel.exchange(.msg, [1, 2], repeatable: false, host.wait(.seconds(5), cancellation))
    #expect(answer == [0x90, 0])
  }

  @Test("unplugging while CANCEL is under way is said")
  func unplugged() throws {
    let (writing, first) = try Self.cancelledWithoutCancel([.failWrite(.unplugged)])
    #expect(throws: CTAPHIDError.transport(.unplugged, mayHaveBeenTaken: true)) {
      try writing.cbor(repeatable: false, first)
    }
    let (reading, second) = try Self.cancelled([.failRead(.unplugged, after: .milliseconds(10))])
    #expect(throws: CTAPHIDError.transport(.unplugged, mayHaveBeenTaken: true)) {
      try reading.cbor(repeatable: false, second)
    }
    let (aborting, third) = try Self.cancelled([.send(Wire.keepAlive(2)), .failWrite(.unplugged)])
    #expect(throws: CTAPHIDError.transport(.unplugged, mayHaveBeenTaken: true)) {
      try aborting.cbor(repeatable: false, third)
    }
  }

  private static func cancelledWithoutCancel(
    _ steps: [ScriptedTransport.Step]
  ) throws -> (host: Script, wait: Wait) {
    let cancellation = Cancellation()
    let host = try Script([request, .act(after: .milliseconds(10)) { cancellation.cancel() }] + steps)
    return (host, host.wait(.seconds(30), cancellation))
  }
}
