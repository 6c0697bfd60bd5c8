import BridgeTestSupport
import CTAPHID
import CTAPMessages
import Synchronization
import Testing
import Timing

@testable import VirtualKey

@Suite("U2F: touches that are polled for")
struct U2FTouchTests {
  /// Registers again and again, and returns how many requests that took; nil where none of them succeeded.
  private func poll(_ key: TestKey, every pause: Duration = .milliseconds(200), atMost limit: Int = 100) throws -> Int?
  {
    for count in 1...limit {
      switch try key.register().status {
      case .noError: return count
      case .conditionsNotSatisfied: key.clock.advance(by: pause)
      default: return nil
      }
    }
    return nil
  }

  @Test("a request without a touch is answered at once, and asks once however often it is repeated")
  func polling() throws {
    let key = try TestKey(.with(presence: .after(.seconds(1))))
    #expect(try poll(key) == 6)
    #expect(key.events.count { $0 == .touchAsked(.makeCredential) } == 1)
    #expect(key.touches == 1)
    #expect(key.keepAlives.isEmpty)
    #expect(!key.key.isWaitingForTouch)
  }

  @Test("each touch is good for one request")
  func consumed() throws {
    let key = try TestKey(.with(presence: .after(.seconds(1))))
    _ = try poll(key)
    #expect(try key.register().status == .conditionsNotSatisfied)
    #expect(try poll(key) == 6)
    #expect(key.touches == 2)
  }

  @Test("touch() counts while the key asks and is remembered for the next poll")
  func touch() throws {
    let key = try TestKey(.with(presence: .never))
    key.key.touch(now: key.clock.now)
    #expect(key.events.last == .idleTouch)
    #expect(try key.register().status == .conditionsNotSatisfied)
    #expect(key.key.isWaitingForTouch)
    key.key.touch(now: key.clock.now)
    #expect(!key.key.isWaitingForTouch)
    key.key.touch(now: key.clock.now)
    #expect(key.events.last == .idleTouch)
    key.clock.advance(by: .seconds(9))
    #expect(try key.register().status == .noError)
    #expect(key.touches == 1)
  }

  @Test("a key that is not polled for ten seconds stops asking, and forgets a touch")
  func patience() throws {
    let key = try TestKey(.with(presence: .never))
    _ = try key.register()
    key.clock.advance(by: .seconds(10))
    key.key.touch(now: key.clock.now)
    #expect(key.events.last == .idleTouch)
    #expect(try key.register().status == .conditionsNotSatisfied)
    key.key.touch(now: key.clock.now)
    key.clock.advance(by: .seconds(10))
    #expect(try key.register().status == .conditionsNotSatisfied)
    #expect(key.touches == 0)
    #expect(key.events.count { $0 == .touchAsked(.makeCredential) } == 3)
  }

  @Test("a touch counts for the channel and the command that asked for it, and not after a power cycle")
  func bound() throws {
    let key = try TestKey(.with(presence: .never))
    _ = try key.register()
    key.key.touch(now: key.clock.now)
    let handle = try key.registered().keyHandle
    _ = try key.register()
    key.key.touch(now: key.clock.now)
    #expect(try key.authenticate(handle).status == .conditionsNotSatisfied)
    key.key.touch(now: key.clock.now)
    try key.initialise()
    #expect(try key.authenticate(handle).status == .conditionsNotSatisfied)
    key.key.touch(now: key.clock.now)
    try key.powerCycle()
    #expect(try key.authenticate(handle).status == .conditionsNotSatisfied)
  }

  @Test("a person is asked once, and a touch that is declined never comes")
  func asked() throws {
    let asked = Mutex<[TouchRequest]>([])
    let key = try TestKey(.with(presence: .ask { request in asked.withLock { $0.append(request) } }))
    _ = try poll(key, atMost: 5)
    #expect(asked.withLock { $0.map(\.command) } == [.makeCredential])
    asked.withLock { $0[0].approve() }
    #expect(try poll(key) == 1)
    _ = try key.register()
    asked.withLock { $0[1].decline() }
    #expect(try poll(key) == nil)
    #expect(asked.withLock { $0.count } == 2)
    #expect(key.touches == 1)
  }

  @Test("a wrong request is refused without asking, and a check leaves a touch where it is")
  func noTouch() throws {
    let key = try TestKey(.with(presence: .never))
    _ = try key.register()
    key.key.touch(now: key.clock.now)
    #expect(try key.authenticate([1, 2, 3]).status == .wrongData)
    #expect(try key.authenticate([1, 2, 3], .checkOnly).status == .wrongData)
    #expect(try key.u2f(.version).status == .noError)
    #expect(try key.register().status == .noError)
    #expect(key.events.count { $0 == .touchAsked(.getAssertion) } == 0)
  }

  @Test("a touch is of no use to CTAP2, which asks for its own")
  func apart() throws {
    let key = try TestKey(.with(presence: .never))
    _ = try key.register()
    key.key.touch(now: key.clock.now)
    #expect(try key.makeStatus(.sample()) == .userActionTimeout)
  }
}
