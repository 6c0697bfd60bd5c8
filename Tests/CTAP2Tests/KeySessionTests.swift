import BridgeTestSupport
import CBOR
import CTAP2
import CTAPHID
import CTAPMessages
import JSONText
import Octets
import Testing
import Timing

@Suite("A session with a key")
struct KeySessionTests {
  @Test("asks what the key is with one byte, and reads a published answer")
  func getInfo() throws {
    let key = FakeKey()
    let published = try Vectors.json("python-fido2-ctap2").hex("getInfo")
    key.answer = { _ in .answer([0] + published) }
    let session = try key.session()
    let info = try session.getInfo(key.wait())
    #expect(key.requests.map(\.bytes) == [[0x04]])
    #expect(info.versions == ["U2F_V2", "FIDO_2_0"])
    #expect(info.maxMsgSize == 1200)
    #expect(info.options?["clientPin"] == false)
    #expect(session.capabilities == [.wink, .cbor])
    #expect(key.initialisations == 1)
  }

  @Test("keeps what getInfo says that is not known")
  func unknownMember() throws {
    let key = FakeKey()
    let published = try Vectors.json("python-fido2-ctap2").hex("getInfoWithUnknownMember")
    key.answer = { _ in .answer([0] + published) }
    #expect(try key.session().getInfo(key.wait()).additional[99] == 1234)
  }

  @Test(
    "passes over an answer that is no getInfo, and takes the one behind it",
    arguments: [
      [0x00], [0x00, 0xa0], [0x00, 0xa1, 0x01, 0x80], [0x00, 0xff], [0x00, 0xa1, 0x02, 0x41, 0x00],
    ] as [[UInt8]])
  func staleInfo(_ payload: [UInt8]) throws {
    let key = FakeKey()
    key.answer = { _ in
      key.sendStale(payload)
      return nil
    }
    #expect(try key.session().getInfo(key.wait()).versions == ["FIDO_2_0", "FIDO_2_1"])
    #expect(key.requests.count == 1)
  }

  @Test("ends with the reason where no answer fits, and asks no more than a few times")
  func misfit() throws {
    let key = FakeKey()
    key.answer = { _ in .answer([0x00, 0xa1, 0x01, 0x80]) }
    let session = try key.session()
    let start = key.clock.now
    #expect { try session.getInfo(key.wait()) } throws: { error in
      guard case .misfit(let reason, .getInfo)? = error as? CTAP2Error else { return false }
      return reason.contains("aaguid")
    }
    #expect(key.requests.count <= 4)
    #expect(key.clock.now.since(start) < .seconds(20))
  }

  @Test("never takes trouble at getInfo for a key without CTAP2", arguments: [DeviceCapabilities.cbor, []])
  func troubleAtInfo(_ capabilities: DeviceCapabilities) throws {
    let key = FakeKey(capabilities: [.cbor])
    key.answer = { _ in .status(.other) }
    #expect(throws: CTAP2Error.status(.other, .getInfo)) { try key.session().getInfo(key.wait()) }
    key.answer = { _ in .refuse(.invalidCommand) }
    #expect(throws: CTAP2Error.hid(.errorFrame(.invalidCommand, mayHaveBeenTaken: false))) {
      try key.session().getInfo(key.wait())
    }
  }

  @Test("says so where a key that claims no CTAP2 knows no getInfo")
  func onlyU2F() throws {
    let key = FakeKey(capabilities: [.wink])
    #expect(throws: CTAP2Error.notCTAP2) { try key.session().getInfo(key.wait()) }
  }

  @Test("asks a key again that says it is busy, and gives up in the end")
  func busyStatus() throws {
    let key = FakeKey()
    key.answer = { _ in key.requests.count < 4 ? .status(.channelBusy) : nil }
    _ = try key.session().getInfo(key.wait())
    #expect(key.requests.count == 4)

    let stubborn = FakeKey()
    stubborn.answer = { _ in .status(.channelBusy) }
    #expect(throws: CTAP2Error.status(.channelBusy, .getInfo)) { try stubborn.session().getInfo(stubborn.wait()) }
    #expect(throws: CTAP2Error.hid(.timeout(.busy, mayHaveBeenTaken: false))) {
      try stubborn.session().getInfo(stubborn.wait(.milliseconds(250)))
    }
    let cancellation = Cancellation()
    stubborn.answer = { _ in
      cancellation.cancel()
      return .status(.timeout)
    }
    #expect { try stubborn.session().getInfo(stubborn.wait(.seconds(5), cancellation)) } throws: { error in
      (error as? CTAP2Error)?.isCancellation == true
    }
  }

  @Test("reports an unplugged key as such")
  func unplugged() throws {
    let key = FakeKey()
    let session = try key.session()
    key.answer = { _ in
      key.readFailure = .unplugged
      return nil
    }
    #expect { try session.getInfo(key.wait()) } throws: { ($0 as? CTAP2Error)?.isUnplugged == true }
  }

  @Test("does nothing with a key that is not open or was closed")
  func closed() throws {
    let key = FakeKey()
    let session = KeySession(transport: key, clock: key.clock, random: FixedRandom([[1]]))
    #expect(throws: CTAP2Error.hid(.notOpen)) { try session.getInfo(key.wait()) }
    try session.open(key.wait())
    _ = try session.getInfo(key.wait())
    session.close()
    #expect(throws: CTAP2Error.hid(.notOpen)) { try session.getInfo(key.wait()) }
  }

  @Test("reports what stops it from opening")
  func openFails() throws {
    let key = FakeKey()
    let cancellation = Cancellation()
    cancellation.cancel()
    let session = KeySession(transport: key, clock: key.clock, random: FixedRandom([[1]]))
    #expect { try session.open(key.wait(.seconds(1), cancellation)) } throws: {
      ($0 as? CTAP2Error)?.isCancellation == true
    }
  }

  @Test("refuses a request that is larger than the key takes before it sends anything")
  func tooLarge() throws {
    let key = FakeKey()
    key.info.maxMsgSize = 100
    let session = try key.session()
    _ = try session.getInfo(key.wait())
    let request = Credentials.request()
    let size = CTAPRequest.encode(.makeCredential, request.cbor()).count
    #expect(throws: CTAP2Error.requestTooLarge(size: size, limit: 100)) {
      try session.makeCredential(request, token: nil, key.wait())
    }
    #expect(key.commands == [.getInfo])
  }

  @Test(
    "gives each of the 256 status bytes its own error and words",
    arguments: [CTAPCommand.getInfo, .makeCredential, .getAssertion, .getNextAssertion, .selection, .reset, .clientPIN])
  func statusBytes(_ command: CTAPCommand) throws {
    let key = FakeKey()
    let session = try key.session()
    _ = try session.getInfo(key.wait())
    var seen: Set<CTAP2Error> = []
    for byte in UInt8(1)...255 {
      key.answer = { request in request.command == command ? .answer([byte]) : nil }
      do {
        try Self.send(command, session, key.wait(.seconds(30)))
        // A selection made of another command, or a search that found nothing.
        #expect(command == .selection, "status \(byte) is no error")
      } catch let error as CTAP2Error {
        #expect(!error.description.isEmpty)
        #expect(error.mayHaveCreated == (command == .makeCredential && byte == 0x2d))
        if byte != 0x2d { seen.insert(error) }
        if let status = error.status, status.rawValue != byte { #expect(command == .selection) }
      }
    }
    // Of selection the time-outs end as one error.
    #expect(seen.count >= (command == .selection ? 249 : 254))
  }

  static func send(_ command: CTAPCommand, _ session: KeySession, _ wait: Wait) throws {
    switch command {
    case .makeCredential: _ = try session.makeCredential(Credentials.request(), token: nil, wait)
    case .getAssertion:
      let request = GetAssertionRequest(rpID: Credentials.rpID, clientDataHash: Credentials.hash)
      _ = try session.getAssertion(request, token: nil, wait)
    case .getNextAssertion: _ = try session.getNextAssertion(rpID: Credentials.rpID, wait)
    case .selection: try session.select(wait)
    case .reset: try session.reset(wait)
    case .clientPIN: _ = try session.pinRetries(wait)
    default: _ = try session.getInfo(wait)
    }
  }
}
