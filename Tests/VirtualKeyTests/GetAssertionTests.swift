import BridgeTestSupport
import CBOR
import CTAPHID
import CTAPMessages
import Testing

@testable import VirtualKey

@Suite("getAssertion and getNextAssertion")
struct GetAssertionTests {
  @Test("resident credentials answer the newest first, one by one, each with its user")
  func discoverable() throws {
    let key = try TestKey()
    let made = try (1...3).map { try key.make(.sample(user: [UInt8($0)], rk: true)) }
    _ = try key.make(.sample(rpID: "example.com", user: [9], rk: true))
    _ = try key.make(.sample(user: [8]))
    let first = try key.get(.sample())
    #expect(first.numberOfCredentials == 3)
    #expect(first.user == UserEntity(id: [3]))
    #expect(try first.verifies(with: made[2]))
    let touches = key.touches
    for index in [1, 0] {
      let next: GetAssertionResponse = try key.answer(.getNextAssertion)
      #expect(next.numberOfCredentials == nil)
      #expect(next.user == UserEntity(id: [UInt8(index + 1)]))
      #expect(next.authData.flags == [.userPresent])
      #expect(try next.verifies(with: made[index]))
    }
    #expect(key.touches == touches)
    #expect(try key.status(.getNextAssertion) == .notAllowed)
  }

  @Test("one resident credential gives its user id and no number")
  func single() throws {
    let key = try TestKey()
    let made = try key.make(.sample(rk: true))
    let response = try key.get(.sample())
    #expect(response.numberOfCredentials == nil)
    #expect(response.user == UserEntity(id: [1]))
    #expect(try response.verifies(with: made))
    #expect(try key.status(.getNextAssertion) == .notAllowed)
  }

  @Test("of a list the first credential that is there answers alone")
  func allowList() throws {
    let key = try TestKey()
    let made = try key.make(.sample())
    let resident = try key.make(.sample(rk: true))
    let response = try key.get(.sample(allow: [[7, 7], made.id, resident.id]))
    #expect(response.credential?.id == made.id)
    #expect(response.user == nil)
    #expect(response.numberOfCredentials == nil)
    #expect(try key.get(.sample(allow: [resident.id, made.id])).user?.id == [1])
    #expect(try key.getStatus(.sample(allow: [[7, 7]])) == .noCredentials)
    #expect(try key.getStatus(.sample(rpID: "example.com")) == .noCredentials)
  }

  @Test("with up false there is no touch and no flag")
  func silent() throws {
    let key = try TestKey(.with(presence: .never))
    key.write(.cbor, CTAPRequest.encode(.makeCredential, MakeCredentialRequest.sample()))
    key.key.touch(now: key.clock.now)
    let payload = try #require(key.read()?.payload)
    let made = try MakeCredentialResponse(cborOrEmpty: try CTAPResponse.decode(payload).value)
    var request = GetAssertionRequest.sample(allow: [made.id])
    request.options.up = false
    let response = try key.get(request)
    #expect(response.authData.flags == [])
    #expect(try response.verifies(with: made))
    #expect(response.authData.signCount == 2)
  }

  @Test(
    "a request that breaks a rule gets the rule's status",
    arguments: [
      Spoiled("hash of 33 bytes", .invalidLength) { $0.clientDataHash.append(0) },
      Spoiled("rk", .unsupportedOption) { $0.options.rk = false },
      Spoiled("uv without a sensor", .invalidOption) { $0.options.uv = true },
      Spoiled("no protocol", .missingParameter) { $0.pinUvAuthParam = [1] },
      Spoiled("protocol 0", .invalidParameter) { ($0.pinUvAuthParam, $0.pinUvAuthProtocol) = ([1], 0) },
      Spoiled("a token where nothing is set", .pinNotSet) { ($0.pinUvAuthParam, $0.pinUvAuthProtocol) = ([1], 1) },
      Spoiled("65 ids", .limitExceeded) { $0.allowList = (0..<65).map { CredentialDescriptor(id: [$0]) } },
    ] as [Spoiled<GetAssertionRequest>])
  func rules(_ spoiled: Spoiled<GetAssertionRequest>) throws {
    let key = try TestKey()
    _ = try key.make(.sample(rk: true))
    var request = GetAssertionRequest.sample()
    spoiled.change(&request)
    #expect(try key.getStatus(request) == spoiled.status)
  }

  @Test("the next assertion is for 30 s after the last one, and not after other work")
  func patience() throws {
    let key = try TestKey()
    for user in 1...4 { _ = try key.make(.sample(user: [UInt8(user)], rk: true)) }
    _ = try key.get(.sample())
    key.clock.advance(by: .seconds(29))
    #expect(try key.status(.getNextAssertion) == .ok)
    key.clock.advance(by: .seconds(29))
    // Looking at the key disturbs nothing.
    _ = try key.info()
    #expect(try key.status(.getNextAssertion) == .ok)
    key.clock.advance(by: .seconds(30))
    #expect(try key.status(.getNextAssertion) == .notAllowed)

    _ = try key.get(.sample())
    _ = try key.make(.sample())
    #expect(try key.status(.getNextAssertion) == .notAllowed)
    _ = try key.get(.sample())
    try key.powerCycle()
    #expect(try key.status(.getNextAssertion) == .notAllowed)
  }

  @Test("the next assertion is for the channel that began")
  func channels() throws {
    let key = try TestKey()
    for user in 1...2 { _ = try key.make(.sample(user: [UInt8(user)], rk: true)) }
    _ = try key.get(.sample())
    try key.initialise()
    #expect(try key.status(.getNextAssertion) == .notAllowed)
  }

  @Test("names come after verification, and where there is a choice")
  func names() throws {
    let key = try TestKey(.with(pin: "1234"))
    let host = try PINHost(key)
    for user in 1...2 {
      try host.obtain(host.token("1234"))
      _ = try key.make(host.signed(.sample(user: [UInt8(user)], rk: true)))
    }
    #expect(try key.get(.sample()).user == UserEntity(id: [2]))
    try host.obtain(host.token("1234"))
    let verified = try key.get(host.signed(.sample()))
    #expect(verified.authData.flags == [.userPresent, .userVerified])
    #expect(verified.user == UserEntity(id: [2], name: "user2", displayName: "User 2"))
    let next: GetAssertionResponse = try key.answer(.getNextAssertion)
    #expect(next.user == UserEntity(id: [1], name: "user1", displayName: "User 1"))
    #expect(next.authData.flags == [.userPresent, .userVerified])
    try host.obtain(host.token("1234"))
    let one = try #require(verified.credential?.id)
    #expect(try key.get(host.signed(.sample(allow: [one]))).user == UserEntity(id: [2]))
  }

  @Test("the counter is saved before an answer leaves, and goes on in the next life")
  func counter() throws {
    let key = try TestKey()
    let made = try key.make(.sample())
    #expect(try key.store.load()?.signatureCounter == 1)
    key.write(.cbor, CTAPRequest.encode(.getAssertion, GetAssertionRequest.sample(allow: [made.id])))
    #expect(try key.store.load()?.signatureCounter == 2)
    let later = try TestKey(store: key.store)
    #expect(try later.get(.sample(allow: [made.id])).authData.signCount == 3)
  }
}
