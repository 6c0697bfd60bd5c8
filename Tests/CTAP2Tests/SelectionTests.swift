import BridgeTestSupport
import CBOR
import CTAP2
import CTAPHID
import CTAPMessages
import Octets
import Testing
import Timing

@Suite("Waiting for a touch that chooses a key")
struct SelectionTests {
  @Test(
    "is the selection command on keys that have it", arguments: [["FIDO_2_0", "FIDO_2_1"], ["FIDO_2_2"], ["FIDO_2_3"]])
  func command(_ versions: [String]) throws {
    let key = FakeKey(versions: versions)
    key.answer = { $0.command == .selection ? .ok : nil }
    try key.session().select(key.wait())
    #expect(key.requests.map(\.bytes) == [[0x04], [0x0b]])
  }

  @Test(
    "is a makeCredential that can't succeed on older keys, with an empty proof and its protocol",
    arguments: [["FIDO_2_0"], ["U2F_V2", "FIDO_2_0"], ["FIDO_2_0", "FIDO_2_1_PRE"]])
  func dummy(_ versions: [String]) throws {
    let key = FakeKey(versions: versions)
    key.info.pinUvAuthProtocols = [1]
    key.answer = { $0.command == .makeCredential ? .status(.pinNotSet, after: .seconds(1), touch: true) : nil }
    try key.session().select(key.wait())
    let sent = try MakeCredentialRequest(cbor: try #require(key.requests.last?.parameters))
    #expect(sent.pinUvAuthParam == [])
    #expect(sent.pinUvAuthProtocol == 1)
    #expect(sent.clientDataHash.count == 32)
    #expect(sent.options.isEmpty)
    #expect(sent.excludeList.isEmpty)
  }

  @Test("takes each answer that old keys give to it", arguments: [CTAPStatus.pinNotSet, .pinInvalid, .pinAuthInvalid])
  func dummyAnswers(_ status: CTAPStatus) throws {
    let key = FakeKey(versions: ["FIDO_2_0"])
    key.answer = { $0.command == .makeCredential ? .status(status) : nil }
    try key.session().select(key.wait())
    #expect(key.commands == [.getInfo, .makeCredential])
  }

  @Test("takes PUAT_REQUIRED only from a key that asked for a touch before")
  func dummyRequired() throws {
    let key = FakeKey(versions: ["FIDO_2_0"])
    key.answer = { $0.command == .makeCredential ? .status(.puatRequired, after: .seconds(1), touch: true) : nil }
    try key.session().select(key.wait())
    key.answer = { $0.command == .makeCredential ? .status(.puatRequired) : nil }
    #expect(throws: CTAP2Error.status(.puatRequired, .makeCredential)) { try key.session().select(key.wait()) }
  }

  @Test("takes a success for a touch, but none for another RP ID")
  func dummySuccess() throws {
    let key = FakeKey(versions: ["FIDO_2_0"])
    key.answer = { request in
      guard request.command == .makeCredential, let parameters = request.parameters else { return nil }
      let creation = try MakeCredentialRequest(cbor: parameters)
      key.sendStale(CTAPResponse.encode(try Credentials.answer(to: creation, rpID: "example.net")))
      return .ok(try Credentials.answer(to: creation, rpID: creation.rp.id))
    }
    try key.session().select(key.wait())
    #expect(key.commands == [.getInfo, .makeCredential])
  }

  @Test("falls back where a key has the version and not the command")
  func fallback() throws {
    let key = FakeKey()
    key.answer = { $0.command == .makeCredential ? .status(.pinInvalid) : nil }
    try key.session().select(key.wait())
    #expect(key.commands == [.getInfo, .selection, .makeCredential])
  }

  @Test(
    "is sent again to a key that stopped waiting, whatever it calls that",
    arguments: [
      (CTAPStatus.userActionTimeout, Duration.seconds(30)), (.actionTimeout, .seconds(29)),
      (.operationDenied, .seconds(30)),
      (.userActionTimeout, .zero),
    ], [["FIDO_2_1"], ["FIDO_2_0"]])
  func keyTimeout(_ row: (CTAPStatus, Duration), _ versions: [String]) throws {
    let key = FakeKey(versions: versions)
    key.answer = { request in
      switch (request.command, key.requests.count) {
      case (.getInfo, _): nil
      case (_, ..<4): .status(row.0, after: row.1, touch: true)
      case (.selection, _): .ok
      default: .status(.pinNotSet)
      }
    }
    try key.session().select(key.wait(.seconds(300)))
    #expect(key.requests.count == 4)
  }

  @Test("ends where a person refuses at once")
  func refused() throws {
    let key = FakeKey()
    key.answer = { $0.command == .selection ? .status(.operationDenied, after: .seconds(2), touch: true) : nil }
    #expect(throws: CTAP2Error.status(.operationDenied, .selection)) { try key.session().select(key.wait()) }
  }

  @Test("ends at the deadline with CANCEL, or in the pause between two tries")
  func deadline() throws {
    let key = FakeKey()
    key.answer = { $0.command == .selection ? .work(status: .userPresenceNeeded) : nil }
    let error = #expect(throws: CTAP2Error.self) { try key.session().select(key.wait(.seconds(3))) }
    #expect(error == .hid(.timeout(.userPresence, mayHaveBeenTaken: false)))
    #expect(key.cancellations == 1)

    let hasty = FakeKey()
    hasty.answer = { $0.command == .selection ? .status(.userActionTimeout) : nil }
    let start = hasty.clock.now
    #expect { try hasty.session().select(hasty.wait(.seconds(3))) } throws: { ($0 as? CTAP2Error)?.isTimeout == true }
    #expect(hasty.clock.now.since(start) <= .milliseconds(3100))
    #expect(hasty.requests.count < 40)
  }

  @Test("ends when it is cancelled")
  func cancelled() throws {
    let key = FakeKey()
    let cancellation = Cancellation()
    key.answer = { request in
      guard request.command == .selection else { return nil }
      cancellation.cancel()
      return .work(status: .userPresenceNeeded)
    }
    let error = #expect(throws: CTAP2Error.self) { try key.session().select(key.wait(.seconds(30), cancellation)) }
    #expect(error?.isCancellation == true)
    #expect(key.cancellations == 1)
  }
}

@Suite("Asking for an assertion")
struct AssertionTests {
  static let published = "python-fido2-ctap2"

  @Test("sends the request with its proof, and returns the answer")
  func assertion() throws {
    let key = FakeKey()
    key.answer = { $0.command == .getAssertion ? .ok(try Credentials.assertion(id: [5])) : nil }
    let request = GetAssertionRequest(
      rpID: Credentials.rpID, clientDataHash: Credentials.hash, allowList: [CredentialDescriptor(id: [5])],
      options: RequestOptions(rk: true, up: true, uv: true))
    let token = try PINKey.token(.one)
    let answer = try key.session().getAssertion(request, token: token, key.wait())
    #expect(answer.credential?.id == [5])
    let sent = try GetAssertionRequest(cbor: try #require(key.requests.last?.parameters))
    #expect(sent.options == RequestOptions(up: true))
    #expect(sent.pinUvAuthParam == token.authenticate(Credentials.hash))
    #expect(sent.pinUvAuthProtocol == 1)
  }

  @Test(
    "passes over answers for another RP ID or credential, and those that name none of several",
    arguments: [
      (["a"], "example.net", "a"), (["a"], Credentials.rpID, "b"), (["a", "b"], Credentials.rpID, nil),
      ([], Credentials.rpID, nil),
    ] as [([String], String, String?)])
  func misfits(_ list: [String], _ rpID: String, _ id: String?) throws {
    let key = FakeKey()
    let right = Array((list.first ?? "c").utf8)
    key.answer = { request in
      guard request.command == .getAssertion else { return nil }
      key.sendStale(CTAPResponse.encode(try Credentials.assertion(id: id.map { Array($0.utf8) }, rpID: rpID)))
      return .ok(try Credentials.assertion(id: right))
    }
    let request = GetAssertionRequest(
      rpID: Credentials.rpID, clientDataHash: Credentials.hash,
      allowList: list.map { CredentialDescriptor(id: Array($0.utf8)) })
    #expect(try key.session().getAssertion(request, token: nil, key.wait()).credential?.id == right)
    #expect(key.commands == [.getAssertion])
  }

  @Test("takes an answer that names no credential where only one was asked for")
  func unnamed() throws {
    let key = FakeKey()
    key.answer = { _ in .ok(try Credentials.assertion(id: nil)) }
    let request = GetAssertionRequest(
      rpID: Credentials.rpID, clientDataHash: Credentials.hash, allowList: [CredentialDescriptor(id: [1])])
    #expect(try key.session().getAssertion(request, token: nil, key.wait()).credential == nil)
  }

  @Test("fetches the next one with one byte, and never twice")
  func next() throws {
    let key = FakeKey()
    key.answer = { _ in .ok(try Credentials.assertion(id: [key.requests.count == 1 ? 1 : 2])) }
    let session = try key.session()
    #expect(try session.getNextAssertion(rpID: Credentials.rpID, key.wait()).credential?.id == [1])
    #expect(key.requests.map(\.bytes) == [[0x08]])
    #expect(throws: CTAP2Error.misfit("it is for another RP ID", .getNextAssertion)) {
      try session.getNextAssertion(rpID: "example.net", key.wait())
    }
    #expect(key.requests.count == 2)
  }
}
