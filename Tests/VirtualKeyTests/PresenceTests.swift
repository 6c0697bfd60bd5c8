import BridgeTestSupport
import CTAPHID
import CTAPMessages
import Synchronization
import Testing
import Timing

@testable import VirtualKey

@Suite("presence")
struct PresenceTests {
  private let request = CTAPRequest.encode(.makeCredential, MakeCredentialRequest.sample())

  private func status(_ answer: (command: CTAPHIDCommand, payload: [UInt8])?) throws -> CTAPStatus {
    try CTAPResponse.decode(try #require(answer).payload).status
  }

  @Test("under auto the answer comes without a keep-alive")
  func auto() throws {
    let key = try TestKey()
    let start = key.clock.now
    #expect(try key.make(.sample()).fmt == "packed")
    #expect(key.keepAlives.isEmpty)
    #expect(key.clock.now == start)
    #expect(key.events.contains(.touchAsked(.makeCredential)))
  }

  @Test("after a delay the touch comes, with a keep-alive at once and every 100 ms")
  func after() throws {
    let key = try TestKey(.with(presence: .after(.milliseconds(350))))
    let start = key.clock.now
    #expect(try key.make(.sample()).fmt == "packed")
    #expect(key.clock.now == start + .milliseconds(350))
    #expect(key.keepAlives.map(\.status) == [2, 2, 2, 2])
    #expect(key.keepAlives.map(\.at) == [0, 100, 200, 300].map { start + .milliseconds($0) })
  }

  @Test(
    "without a touch the command ends after the key's patience, with the status of its firmware",
    arguments: [
      (CTAPStatus.userActionTimeout, 30), (.operationDenied, 29), (.actionTimeout, 30),
    ])
  func timeout(_ status: CTAPStatus, _ seconds: Int) throws {
    var configuration = VirtualKeyConfiguration.with(presence: .never)
    configuration.touchTimeout = TouchTimeout(after: .seconds(seconds), status: status)
    let key = try TestKey(configuration)
    let start = key.clock.now
    for command in [CTAPCommand.makeCredential, .selection] {
      let before = key.clock.now
      let message: (any CTAPMessage)? = command == .makeCredential ? MakeCredentialRequest.sample() : nil
      #expect(try key.status(command, message) == status)
      #expect(key.clock.now == before + .seconds(seconds))
    }
    #expect(key.clock.now > start)
    #expect(key.events.count { $0 == .touchTimedOut } == 2)
    #expect(key.credentialsMade.isEmpty)
  }

  @Test("touch() counts under every policy but while the key asks for nothing")
  func touch() throws {
    let key = try TestKey(.with(presence: .never))
    key.key.touch(now: key.clock.now)
    #expect(key.events.last == .idleTouch)
    key.write(.cbor, request)
    #expect(key.key.isWaitingForTouch)
    key.key.touch(now: key.clock.now)
    #expect(!key.key.isWaitingForTouch)
    #expect(try status(key.read()) == .ok)
  }

  @Test("somebody asked decides, at once or later")
  func ask() throws {
    let asked = Mutex<[TouchRequest]>([])
    let key = try TestKey(.with(presence: .ask { request in asked.withLock { $0.append(request) } }))
    key.write(.cbor, request)
    #expect(key.read(patience: .seconds(5)) == nil)
    let requests = asked.withLock { $0 }
    let first = try #require(requests.first)
    #expect(first.command == .makeCredential)
    #expect(first.rpID == "example.org")
    first.approve()
    first.decline()
    let before = key.clock.now
    #expect(try status(key.read()) == .ok)
    #expect(key.clock.now == before)

    let declining = try TestKey(.with(presence: .ask { $0.decline() }))
    #expect(try declining.status(.selection) == .operationDenied)
    #expect(declining.events.contains(.touchDeclined))
    let approving = try TestKey(.with(presence: .ask { $0.approve() }))
    #expect(try approving.status(.selection) == .ok)
  }

  @Test("a decision is looked for every 10 ms")
  func pace() throws {
    let key = try TestKey(.with(presence: .ask { _ in }))
    key.write(.cbor, request)
    while key.key.nextReport(now: key.clock.now) != nil {}
    #expect(key.key.nextEvent == key.clock.now + .milliseconds(10))
  }

  @Test("CANCEL ends the wait, a second one and one out of the blue mean nothing")
  func cancel() throws {
    let key = try TestKey(.with(presence: .never))
    key.write(.cancel, [])
    #expect(key.read(patience: .seconds(1)) == nil)
    key.write(.cbor, request)
    #expect(key.read(patience: .seconds(1)) == nil)
    key.write(.cancel, [])
    #expect(try status(key.read()) == .keepAliveCancel)
    #expect(key.events.contains(.cancelled(0x01)))
    key.write(.cancel, [])
    #expect(key.read(patience: .seconds(1)) == nil)
    key.key.touch(now: key.clock.now)
    #expect(key.credentialsMade.isEmpty)
    // CANCEL of another channel is not heard.
    key.write(.cbor, request)
    key.write(.cancel, [], on: ChannelID(rawValue: key.channel.rawValue &+ 1))
    #expect(key.key.isWaitingForTouch)
  }

  @Test("INIT on the own channel ends the wait without an answer")
  func initialise() throws {
    let key = try TestKey(.with(presence: .never))
    key.write(.cbor, request)
    #expect(key.read(patience: .seconds(1)) == nil)
    key.write(.initialise, [8, 7, 6, 5, 4, 3, 2, 1])
    #expect(key.read()?.command == .initialise)
    #expect(!key.key.isWaitingForTouch)
    #expect(key.read(patience: .seconds(60)) == nil)
    #expect(try key.info().versions.contains("FIDO_2_1"))
  }

  @Test("another channel is told that the key is busy while it waits")
  func busy() throws {
    let key = try TestKey(.with(presence: .never))
    let first = key.channel
    try key.initialise()
    key.write(.cbor, request)
    key.write(.ping, [1], on: first)
    #expect(key.read()?.payload == [CTAPHIDErrorCode.channelBusy.rawValue])
    #expect(key.events.contains(.refused(.channelBusy, first)))
  }

  @Test("the touch that comes late is for nobody, the one that comes just in time counts")
  func race() throws {
    let late = try TestKey(.with(presence: .after(.seconds(31))))
    #expect(try late.status(.selection) == .userActionTimeout)
    let inTime = try TestKey(.with(presence: .after(.seconds(30))))
    #expect(try inTime.status(.selection) == .ok)
    // A host that looks at neither in time finds the one that came first.
    let slow = try TestKey(.with(presence: .after(.seconds(1))))
    slow.write(.cbor, [0x0b])
    slow.clock.advance(by: .seconds(100))
    #expect(try status(slow.read()) == .ok)
  }

  @Test("an excluded credential is told of even where nobody touches, at the end of the wait")
  func excluded() throws {
    let store = MemoryStore()
    let made = try TestKey(store: store).make(.sample())
    let key = try TestKey(.with(presence: .never), store: store)
    var request = MakeCredentialRequest.sample()
    request.excludeList = [CredentialDescriptor(id: made.id)]
    let start = key.clock.now
    #expect(try key.makeStatus(request) == .credentialExcluded)
    #expect(key.clock.now == start + .seconds(30))
  }

  @Test("a key that goes while it waits leaves nothing in memory")
  func noLeak() throws {
    weak var store: MemoryStore?
    do {
      let kept = MemoryStore()
      let key = try TestKey(.with(presence: .never), store: kept)
      key.write(.cbor, request)
      #expect(key.key.isWaitingForTouch)
      store = kept
    }
    #expect(store == nil)
  }
}
