import BridgeTestSupport
import CTAPMessages
import Testing

@testable import VirtualKey

@Suite("clientPIN: tries")
struct PINTriesTests {
  private func retries(_ key: TestKey) throws -> ClientPINResponse {
    try key.answer(.clientPIN, ClientPINRequest(.getPINRetries))
  }

  @Test("three wrong PINs in a row ask for a power cycle, eight block for good", arguments: [1, 2])
  func wrongPINs(_ version: Int) throws {
    let key = try TestKey(.with(pin: "1234"))
    var left = 8
    for round in 0..<3 {
      let host = try PINHost(key, version: version)
      for attempt in 1...3 where left > 0 {
        left -= 1
        let expected: CTAPStatus = left == 0 ? .pinBlocked : attempt == 3 ? .pinAuthBlocked : .pinInvalid
        #expect(try host.status(host.token("0000")) == expected)
        #expect(try retries(key).pinRetries == left)
        try host.agree()
      }
      if round < 2 {
        #expect(try retries(key).powerCycleState == true)
        // Until the power cycle not even the right PIN is looked at.
        #expect(try host.status(host.token("1234")) == .pinAuthBlocked)
        #expect(try host.status(host.changePIN("1234", to: "5678")) == .pinAuthBlocked)
        try key.powerCycle()
        #expect(try retries(key).powerCycleState == false)
      }
    }
    #expect(key.pinTries == 8)
    try key.powerCycle()
    let host = try PINHost(key, version: version)
    for request in try [host.token("1234"), host.pinToken("1234"), host.changePIN("1234", to: "5678")] {
      #expect(try host.status(request) == .pinBlocked)
    }
    #expect(try retries(key).powerCycleState == false)
    // Only a reset helps.
    #expect(try key.status(.reset) == .ok)
    #expect(try retries(key).pinRetries == 8)
    #expect(try host.status(PINHost(key).setPIN("5678")) == .ok)
  }

  @Test("the right PIN fills the tries up and ends a row of wrong ones")
  func right() throws {
    let key = try TestKey(.with(pin: "1234"))
    for _ in 0..<3 {
      let host = try PINHost(key)
      for _ in 0..<2 {
        #expect(try host.status(host.token("0000")) == .pinInvalid)
        try host.agree()
      }
      #expect(try host.status(host.token("1234")) == .ok)
      #expect(try retries(key).pinRetries == 8)
    }
  }

  @Test("a wrong PIN draws a new key agreement")
  func regenerated() throws {
    let key = try TestKey(.with(pin: "1234"))
    let host = try PINHost(key)
    #expect(try host.status(host.token("0000")) == .pinInvalid)
    // With the old secret even the right PIN decrypts to something else.
    #expect(try host.status(host.token("1234")) == .pinInvalid)
    #expect(try key.pinStatus(host.changePIN("1234", to: "5678")) == .pinAuthInvalid)
    try host.agree()
    #expect(try host.status(host.token("1234")) == .ok)
  }

  @Test("a try is saved as spent before the PIN is compared")
  func savedFirst() throws {
    let store = WatchedStore()
    let key = try TestKey(.with(pin: "1234"), store: store)
    let host = try PINHost(key)
    #expect(try host.status(host.token("1234")) == .ok)
    #expect(store.saved.map(\.pinRetries) == [7, 8])
    #expect(try host.status(host.token("0000")) == .pinInvalid)
    #expect(store.saved.map(\.pinRetries) == [7, 8, 7])
  }

  @Test("where a try cannot be saved, nothing is compared")
  func cannotSave() throws {
    let store = WatchedStore()
    let key = try TestKey(.with(pin: "1234"), store: store)
    let host = try PINHost(key)
    store.failure = .stopped
    #expect(try host.status(host.token("1234")) == .other)
    #expect(key.pinTries == 0)
    store.failure = nil
    #expect(try retries(key).pinRetries == 8)
  }

  @Test("a hash that cannot be decrypted is a wrong PIN")
  func shortHash() throws {
    let key = try TestKey(.with(pin: "1234"))
    let host = try PINHost(key)
    var request = try host.token("1234")
    request.pinHashEnc = [1, 2, 3]
    #expect(try host.status(request) == .pinInvalid)
    #expect(try retries(key).pinRetries == 7)
  }

  @Test("CTAP 2.0 says how many tries are left, and nothing of power")
  func older() throws {
    let key = try TestKey(.ctap20(pin: "1234"))
    #expect(try retries(key) == ClientPINResponse(pinRetries: 8))
  }

  @Test("a PIN that must be changed gets no token, and the same one again will not do")
  func mustChange() throws {
    let key = try TestKey(.with(options: ["clientPin": true], pin: "1234") { $0.forcePINChange = true })
    #expect(try key.info().forcePINChange == true)
    let host = try PINHost(key)
    #expect(try host.status(host.pinToken("1234")) == .pinInvalid)
    #expect(try host.status(host.token("1234")) == .pinPolicyViolation)
    // Both knew the PIN: no try is lost.
    #expect(try retries(key).pinRetries == 8)
    #expect(try host.status(host.changePIN("1234", to: "1234")) == .pinPolicyViolation)
    #expect(try host.status(host.changePIN("1234", to: "5678")) == .ok)
    #expect(try key.info().forcePINChange == false)
    #expect(try host.status(host.token("5678")) == .ok)
  }
}
