import BridgeTestSupport
import CTAPHID
import CTAPMessages
import Testing
import Timing
import VirtualKey

/// A host of old: U2F messages and nothing else, sent until the key was touched.
struct U2FLine {
  private let channel: HostChannel
  private let clock: any MonotonicClock

  init(_ key: VirtualKeyPort, _ clock: any MonotonicClock) {
    channel = HostChannel(transport: key.transport(), clock: clock, random: SeededRandom(seed: 77))
    self.clock = clock
  }

  func register(
    application: [UInt8], challenge: [UInt8] = [UInt8](repeating: 5, count: 32)
  ) throws -> U2FRegisterResponse {
    let frame = U2FRegisterRequest(challengeParameter: challenge, applicationParameter: application).frame()
    let wait = Wait(deadline: clock.now + .seconds(60))
    try channel.open(wait)
    defer { channel.close() }
    while true {
      let answer = try U2FResponseFrame(channel.exchange(.msg, frame.encoded(), repeatable: false, wait))
      if answer.status == .noError { return try U2FRegisterResponse(answer.data) }
      try #require(answer.status == .conditionsNotSatisfied)
      clock.sleep(until: clock.now + .milliseconds(300))
    }
  }
}
