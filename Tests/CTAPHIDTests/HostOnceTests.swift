import BridgeTestSupport
import CTAPHID
import Testing
import Timing

@Suite("A request that is sent once")
struct HostOnceTests {
  typealias Script = ScriptedHost

  private static func send(_ host: Script, _ payload: [UInt8] = Script.long, _ limit: Duration = .seconds(5)) throws
    -> [UInt8]
  {
    try host.channel.exchange(.cbor, payload, repeatable: false, resends: false, host.wait(limit))
  }

  @Test(
    "is sent again where the key refused its first report, and is not sent the rest before that",
    arguments: [CTAPHIDErrorCode.channelBusy, .invalidSequence, .messageTimeout, .invalidChannel])
  func refusedEarly(_ code: CTAPHIDErrorCode) throws {
    let host = try Script(
      [Script.longReports[0], .send(Wire.error(code.rawValue))] + Script.bringBack(1) + Script.longReports
        + [Script.answer([0])])
    #expect(try Self.send(host) == [0])
  }

  @Test("is not sent again where the key refused it when it had all of it", arguments: [6, 4, 5, 3, 11] as [UInt8])
  func refusedLate(_ code: UInt8) throws {
    let host = try Script(Script.longReports + [.send(Wire.error(code))])
    #expect {
      try Self.send(host)
    } throws: { error in
      if case .errorFrame(let found, _) = error as? CTAPHIDError { found.rawValue == code } else { false }
    }
  }

  @Test("of one report is whole when it leaves, and is not sent again")
  func short() throws {
    let host = try Script([.expect(Script.requestReport), .send(Wire.error(6))])
    #expect(throws: CTAPHIDError.errorFrame(.channelBusy, mayHaveBeenTaken: false)) {
      try Self.send(host, Script.request)
    }
  }

  @Test("is not stopped by what is no refusal of it, nor answered by what comes before it is whole", arguments: 0..<4)
  func others(_ index: Int) throws {
    let reports = [
      Wire.error(6, on: 0x0909_0909), Wire.keepAlive(1), Wire.initial(0x10, [0x2e]), Wire.continuation(0, [1, 2, 3]),
    ]
    let host = try Script(
      [Script.longReports[0], .send(reports[index])] + Script.longReports.dropFirst() + [Script.answer([0])])
    #expect(try Self.send(host) == [0])
  }

  @Test("was not taken by a key that refuses its first report until the time is up")
  func busyForEver() throws {
    // Here INIT is refused as well.
    let inits = (1...3).flatMap { index -> [ScriptedTransport.Step] in
      [.expect(Wire.initRequest(Script.nonces[index], on: Wire.own)), .send(Wire.error(6))]
    }
    let host = try Script([Script.longReports[0], .send(Wire.error(6))] + inits)
    #expect(throws: CTAPHIDError.timeout(.busy, mayHaveBeenTaken: false)) {
      try Self.send(host, Script.long, .milliseconds(350))
    }
  }

  @Test("that was refused is over for certain where the code says that a second one would fare no better")
  func hopeless() throws {
    let host = try Script([Script.longReports[0], .send(Wire.error(0x7f))])
    #expect(throws: CTAPHIDError.errorFrame(.other, mayHaveBeenTaken: false)) { try Self.send(host) }
  }
}
