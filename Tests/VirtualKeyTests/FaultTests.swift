import BridgeTestSupport
import CTAPHID
import CTAPMessages
import Testing
import Timing

@testable import VirtualKey

@Suite("faults on purpose")
struct FaultTests {
  private func key(_ faults: [Fault], presence: PresencePolicy = .auto) throws -> TestKey {
    var configuration = VirtualKeyConfiguration()
    configuration.faults = FaultPlan(faults)
    configuration.presence = presence
    return try TestKey(configuration)
  }

  private let request = CTAPRequest.encode(.makeCredential, MakeCredentialRequest.sample())

  @Test("any status can be the answer, so many times, and the command is not carried out")
  func status() throws {
    let key = try key([
      .answer(0x01, .status(.channelBusy), times: 2), .answer(0x0b, .status(CTAPStatus(rawValue: 0xf3))),
    ])
    #expect(try key.makeStatus(.sample()) == .channelBusy)
    #expect(try key.status(.selection) == CTAPStatus(rawValue: 0xf3))
    #expect(try key.makeStatus(.sample()) == .channelBusy)
    #expect(key.credentialsMade.isEmpty)
    #expect(try key.makeStatus(.sample()) == .ok)
    for _ in 0..<5 { #expect(try key.status(.selection) == CTAPStatus(rawValue: 0xf3)) }
    #expect(try key.info().versions.count == 3)
  }

  @Test("any bytes can be the answer")
  func bytes() throws {
    let key = try key([.answer(0x04, .bytes([0x00, 0xff, 0xff]))])
    #expect(try key.message(.cbor, [0x04]) == [0x00, 0xff, 0xff])
  }

  @Test("a silent key sends nothing at all until INIT")
  func silence() throws {
    let key = try key([.answer(0x01, .silence, times: 1)])
    key.write(.cbor, request)
    #expect(key.read(patience: .seconds(120)) == nil)
    #expect(key.keepAlives.isEmpty)
    #expect(key.credentialsMade.isEmpty)
    key.write(.initialise, [1, 2, 3, 4, 5, 6, 7, 8])
    #expect(key.read()?.command == .initialise)
    #expect(try key.makeStatus(.sample()) == .ok)
  }

  @Test("a late answer comes with keep-alives, whatever is cancelled meanwhile")
  func late() throws {
    let key = try key([.answer(0x01, .late(.milliseconds(250)))])
    let start = key.clock.now
    key.write(.cbor, request)
    #expect(key.credentialsMade.count == 1)
    key.write(.cancel, [])
    let answer = try #require(key.read())
    #expect(try CTAPResponse.decode(answer.payload).status == .ok)
    #expect(key.clock.now == start + .milliseconds(250))
    #expect(key.keepAlives.map(\.status) == [1, 1])
  }

  @Test("a late answer after a touch, and INIT in the middle of it")
  func lateAfterTouch() throws {
    let key = try key([.answer(0x01, .late(.seconds(1)))], presence: .after(.seconds(1)))
    let start = key.clock.now
    #expect(try key.makeStatus(.sample()) == .ok)
    #expect(key.clock.now == start + .seconds(2))
    key.write(.cbor, request)
    #expect(key.read(patience: .milliseconds(1500)) == nil)
    key.write(.initialise, [1, 2, 3, 4, 5, 6, 7, 8])
    #expect(key.read()?.command == .initialise)
    #expect(key.read() == nil)
  }

  @Test("a lost answer leaves a credential behind")
  func lost() throws {
    let key = try key([.answer(0x01, .lost, times: 1)])
    key.write(.cbor, request)
    #expect(key.read() == nil)
    #expect(key.credentialsMade.count == 1)
  }

  @Test("a report is dropped, doubled or bent")
  func reports() throws {
    // Report 0 is the answer to INIT, the answer to PING is report 1.
    let dropped = try key([.report(1, .dropped)])
    dropped.write(.ping, [7])
    #expect(dropped.read(patience: .seconds(1)) == nil)
    #expect(try dropped.message(.ping, [8]) == [8])
    let doubled = try key([.report(1, .duplicated)])
    doubled.write(.ping, [7])
    #expect(doubled.read()?.payload == [7])
    #expect(doubled.read()?.payload == [7])
    #expect(doubled.read(patience: .seconds(1)) == nil)
    let bent = try key([.report(1, .flipped(bit: 57)), .report(2, .flipped(bit: 512))])
    #expect(try bent.message(.ping, [7]) == [5])
    #expect(try bent.message(.ping, [7]) == [7])
  }

  @Test("the key is pulled out after so many reports, and comes back with a power cycle")
  func unplug() throws {
    let sending = try key([.unplugAfterSending(3)])
    sending.write(.cbor, [0x04])
    var reports = 0
    while sending.key.nextReport(now: sending.clock.now) != nil { reports += 1 }
    #expect(reports == 2)
    #expect(sending.key.isUnplugged)
    #expect(sending.key.nextEvent == nil)
    #expect(sending.events.last == .unplugged)
    sending.write(.ping, [1])
    sending.key.touch(now: sending.clock.now)
    sending.key.unplug(now: sending.clock.now)
    #expect(sending.events.last == .unplugged)
    #expect(sending.read() == nil)
    try sending.powerCycle()
    #expect(try sending.info().versions.count == 3)

    let receiving = try key([.unplugAfterReceiving(2)])
    receiving.write(.cbor, request)
    #expect(receiving.key.isUnplugged)
    #expect(receiving.credentialsMade.isEmpty)
  }

  @Test("a key that ignores CANCEL goes on waiting")
  func ignoresCancel() throws {
    let key = try key([.ignoresCancel], presence: .after(.seconds(3)))
    key.write(.cbor, request)
    key.write(.cancel, [])
    let answer = try #require(key.read())
    #expect(try CTAPResponse.decode(answer.payload).status == .ok)
  }
}
