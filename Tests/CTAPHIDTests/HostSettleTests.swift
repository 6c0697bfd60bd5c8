import BridgeTestSupport
import CTAPHID
import Testing
import Timing

@Suite("An answer that says that a request failed which changes something")
struct HostSettleTests {
  typealias Script = ScriptedHost
  static let request = ScriptedTransport.Step.expect(Script.requestReport)

  @Test("is believed when the key has kept quiet for a moment")
  func quiet() throws {
    let host = try Script([Self.request, Script.answer([0x27])])
    let start = host.clock.now
    #expect(try host.cbor(repeatable: false, host.wait(.seconds(9))) == [0x27])
    #expect(host.clock.now.since(start) == .milliseconds(250))
  }

  @Test("is believed at once where the request may be repeated")
  func repeatable() throws {
    let host = try Script([Self.request, Script.answer([0x27])])
    let start = host.clock.now
    #expect(try host.cbor(repeatable: true, host.wait(.seconds(9))) == [0x27])
    #expect(host.clock.now == start)
  }

  @Test("was another request's where the key goes on working and then answers")
  func belied() throws {
    let host = try Script([
      Self.request, Script.answer([0x27]), .send(Wire.keepAlive(2), after: .milliseconds(100)),
      .send(Wire.keepAlive(2), after: .milliseconds(100)), Script.answer([0, 0xa0], after: .milliseconds(400)),
    ])
    #expect(try host.cbor(repeatable: false, host.wait(.seconds(9))) == [0, 0xa0])
  }

  @Test("was another request's where a success follows it at once")
  func followed() throws {
    let host = try Script([Self.request, Script.answer([0x31]), Script.answer([0, 0xa0])])
    #expect(try host.cbor(repeatable: false, host.wait(.seconds(9))) == [0, 0xa0])
  }

  @Test("gives way to the one that comes after it")
  func second() throws {
    let host = try Script([Self.request, Script.answer([0x31]), Script.answer([0x36], after: .milliseconds(200))])
    #expect(try host.cbor(repeatable: false, host.wait(.seconds(9))) == [0x36])
  }

  @Test("counts after all where one keep-alive too many follows it and then nothing")
  func straggler() throws {
    let host = try Script([Self.request, Script.answer([0x31]), .send(Wire.keepAlive(1), after: .milliseconds(10))])
    #expect(try host.cbor(repeatable: false, host.wait(.seconds(9))) == [0x31])
  }

  @Test("is not believed where the rest of another answer follows it")
  func mixed() throws {
    let host = try Script([
      Self.request, Script.answer([0x31]), .send(Wire.continuation(3, [1, 2, 3]), after: .milliseconds(1)),
      .expect(Wire.cancel),
    ])
    #expect(throws: CTAPHIDError.malformed(.stray(sequence: 3), mayHaveBeenTaken: true)) {
      try host.cbor(repeatable: false, host.wait(.seconds(9)))
    }
  }

  @Test("at the deadline it is returned when CANCEL had no effect")
  func atTheDeadline() throws {
    let host = try Script([
      Self.request, .send(Wire.keepAlive(2)), Script.answer([0x27], after: .milliseconds(900)), .expect(Wire.cancel),
    ])
    let start = host.clock.now
    #expect(try host.cbor(repeatable: false, host.wait(.seconds(1))) == [0x27])
    #expect(host.clock.now.since(start) <= .milliseconds(1260))
  }

  @Test("at the deadline it was another request's where CANCEL ends ours")
  func atTheDeadlineBelied() throws {
    let host = try Script([
      Self.request, .send(Wire.keepAlive(2)), Script.answer([0x27], after: .milliseconds(900)), .expect(Wire.cancel),
      Script.answer([0x2d], after: .milliseconds(20)),
    ])
    #expect(throws: CTAPHIDError.timeout(.userPresence, mayHaveBeenTaken: false)) {
      try host.cbor(repeatable: false, host.wait(.seconds(1)))
    }
  }

  @Test(
    "a request that is sent once is not sent again, whatever an ERROR frame shows", arguments: [UInt8(3), 5, 6, 11])
  func sentOnce(code: UInt8) throws {
    let host = try Script(
      [Self.request, .send(Wire.error(code))] + Script.bringBack(1) + [Self.request, Script.answer([0])])
    let error = CTAPHIDError.errorFrame(CTAPHIDErrorCode(rawValue: code), mayHaveBeenTaken: false)
    #expect(throws: error) {
      try host.channel.exchange(.cbor, Script.request, repeatable: false, resends: false, host.wait(.seconds(9)))
    }
    // The channel is brought back before the next request.
    #expect(try host.cbor(repeatable: false, host.wait(.seconds(9))) == [0])
  }
}
