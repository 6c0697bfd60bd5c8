import BridgeTestSupport
import CBOR
import CTAPHID
import CTAPMessages
import Testing
import Timing
import VirtualKey
import WebAuthnClient

/// Keys that take other requests than the specification has them take.
struct OddKeyRequestTests {
  /// A desk with one key on a turned clock; two keys have a thread each, and need the machine's clock.
  private func desk(_ oddity: Oddity, clock: any MonotonicClock = ManualClock()) -> Desk {
    var desk = Desk(Person(pins: ["1234", "1234"]), clock: clock)
    desk.oddity = oddity
    desk.options.waitsForKey = false
    return desk
  }

  /// A key that answers a command with a status where its parameters are as `isRefused` says.
  private func refusing(
    _ commands: Set<CTAPCommand>, _ status: CTAPStatus, where isRefused: @escaping @Sendable (CBORMap) -> Bool
  ) -> Oddity {
    Oddity(onRequest: { message in
      guard let command = message.ctap, commands.contains(command),
        let map = try? CBORDecoder.decode(Array(message.payload.dropFirst())).mapValue, isRefused(map)
      else { return .taken }
      return .answer([status.rawValue])
    })
  }

  @Test("the key's agreement key may lack its algorithm", arguments: [[1], [2]])
  func agreementWithoutAlgorithm(_ protocols: [Int]) async throws {
    let desk = desk(
      .changing([.clientPIN]) { map in
        guard var key = map[1]?.mapValue else { return }
        key[3] = nil
        map[1] = .map(key)
      })
    try desk.key("virtual", .with(pin: "1234") { $0.pinUvAuthProtocols = protocols })
    let registration = try await desk.register(request(verification: "required"))
    #expect(registration.attestation.authData.flags.contains(.userVerified))
  }

  @Test(
    "an old key with a PIN ends a touch that only chooses with any of three statuses",
    arguments: [CTAPStatus.pinInvalid, .pinAuthInvalid, .puatRequired, .pinNotSet])
  func dummyTouch(_ status: CTAPStatus) async throws {
    let oddity = Oddity(onRequest: { message in
      guard message.ctap == .makeCredential,
        let map = try? CBORDecoder.decode(Array(message.payload.dropFirst())).mapValue, map[8]?.bytesValue == []
      else { return .taken }
      // The protocol is there, because some keys want it beside an empty parameter.
      return map[9] == nil
        ? .answer([CTAPStatus.missingParameter.rawValue]) : .answer([status.rawValue], after: .milliseconds(250))
    })
    let desk = desk(oddity, clock: SystemClock())
    let old: (inout GetInfoResponse) -> Void = {
      $0.versions = ["FIDO_2_0"]
      $0.pinUvAuthProtocols = [1]
    }
    try desk.key("virtual:1", .with(pin: "1234", old))
    try desk.key("virtual:2", .with(pin: "1234", old))
    let registration = try await desk.register(request(verification: "required"))
    #expect(registration.attestation.authData.flags.contains(.userVerified))
    #expect(desk.person.questions.count == 1)
  }

  @Test("a key that refuses the option uv where it is false never gets it")
  func verificationOption() async throws {
    let desk = desk(
      refusing([.makeCredential, .getAssertion], .invalidOption) { map in
        let options = map[7]?.mapValue ?? map[5]?.mapValue
        return options?["uv"] == false
      })
    try desk.key()
    let registration = try await desk.register(request())
    #expect(try await desk.authenticate(signIn([registration.credentialID])).verifies(with: registration))
  }

  @Test("a key that refuses transports beside an id never gets them")
  func transportsInDescriptors() async throws {
    let desk = desk(
      refusing([.makeCredential, .getAssertion], .invalidCBOR) { map in
        let lists = [map[5]?.arrayValue, map[3]?.arrayValue].compactMap { $0 }.joined()
        return lists.contains { $0.mapValue?["transports"] != nil }
      })
    try desk.key()
    let registration = try await desk.register(
      request(more: #""excludeCredentials":[{"type":"public-key","id":"AQIDBA","transports":["usb","nfc"]}]"#))
    #expect(try await desk.authenticate(signIn([registration.credentialID])).verifies(with: registration))
  }

  @Test("no ceremony winks, because some keys fail at the command after that")
  func winkUnused() async throws {
    let winks = OddCounter()
    let desk = desk(
      Oddity(onRequest: { message in
        if message.command == .wink { winks.count() }
        return .taken
      }), clock: SystemClock())
    try desk.key("virtual:1")
    try desk.key("virtual:2", .with(presence: .never))
    let registration = try await desk.register(request())
    _ = try await desk.authenticate(signIn([registration.credentialID]))
    #expect(winks.value == 0)
  }
}
