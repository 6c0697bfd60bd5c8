import CTAP2
import CTAPHID
import CTAPMessages
import FIDOCrypto
import Octets
import Testing

@Suite("The words of an error")
struct ErrorTextTests {
  @Test(
    "say what happened and what to do",
    arguments: [
      (.hid(.transport(.unplugged, mayHaveBeenTaken: false)), "was unplugged. Plug it in"),
      (.hid(.transport(.busy("ssh-sk"), mayHaveBeenTaken: false)), "Another program is using the key (ssh-sk)"),
      (.hid(.transport(.permissionDenied("/dev/hidraw3"), mayHaveBeenTaken: false)), "permission to use /dev/hidraw3"),
      (.hid(.transport(.notFound("/dev/hidraw3"), mayHaveBeenTaken: false)), "no key at /dev/hidraw3"),
      (.hid(.transport(.cancelled, mayHaveBeenTaken: false)), "cancelled"),
      (.hid(.transport(.closed, mayHaveBeenTaken: false)), "could not be reached"),
      (.hid(.cancelled(mayHaveBeenTaken: false)), "cancelled"),
      (.hid(.timeout(.userPresence, mayHaveBeenTaken: false)), "not touched in time"),
      (.hid(.timeout(.busy, mayHaveBeenTaken: false)), "Another program kept the key busy"),
      (.hid(.timeout(.answer, mayHaveBeenTaken: false)), "not done in time"),
      (.hid(.silent(after: .seconds(5), mayHaveBeenTaken: true)), "stopped answering. Unplug it"),
      (.hid(.errorFrame(.other, mayHaveBeenTaken: true)), "ERR_OTHER"),
      (.hid(.malformed(.interrupted, mayHaveBeenTaken: true)), "something broken"),
      (.hid(.answerRefused("odd", answer: [])), "does not fit: odd"),
      (.hid(.messageTooLong(size: 8000, limit: 7609)), "8000 bytes"),
      (.hid(.notOpen), "not open"),
      (.notCTAP2, "only U2F"),
      (.status(.keyStoreFull, .makeCredential), "0x28"),
      (.pin(.containsNUL), "NUL"),
      (.misfit("it is for another RP ID", .makeCredential), "makeCredential does not fit: it is for another RP ID"),
      (.notOffered("a wink"), "does not offer a wink"),
      (.requestTooLarge(size: 700, limit: 510), "700 bytes, and this key takes at most 510"),
      (.largeBlobsFull(size: 1100, limit: 1024), "take 1100 bytes, and it has room for 1024"),
      (.largeBlobUnfit("it is damaged"), "cannot be used: it is damaged"),
      (.listTooSlow(looked: 3, of: 9), "3 of 9 credentials"),
      (.crypto(.unsupported("x")), "Not supported: x"),
      (.verification(.pinInvalid(PINRetries(count: 5, needsPowerCycle: true))), "Unplug the key and plug it in before"),
      (.verification(.pinInvalid(PINRetries(count: 1))), "1 try is left"),
      (.verification(.pinInvalid(PINRetries(count: 7, needsPowerCycle: false))), "7 tries are left"),
      (.verification(.pinInvalid(nil)), "The PIN is wrong."),
      (.verification(.pinAuthBlocked), "Unplug the key, plug it in"),
      (.verification(.pinBlocked), "Only a reset"),
      (.verification(.pinNotSet), "has no PIN"),
      (.verification(.pinMustChange), "PIN changed"),
      (.verification(.pinPolicyViolation), "Choose another"),
      (.verification(.uvInvalid(retries: 2)), "2 tries are left"),
      (.verification(.uvInvalid(retries: nil)), "did not recognise you."),
      (.verification(.uvBlocked), "Use its PIN"),
    ] as [(CTAP2Error, String)])
  func words(_ error: CTAP2Error, _ part: String) {
    #expect(error.description.contains(part), "\(error.description)")
    #expect(!error.mayHaveCreated)
  }

  @Test("of a lost answer name the RP ID, and how to look where it matters")
  func lostAnswer() throws {
    let discoverable = try Self.lost(rk: true)
    #expect(discoverable.description.contains("example.org"))
    #expect(discoverable.description.contains("List the key's credentials"))
    #expect(discoverable.mayHaveCreated)
    let plain = try Self.lost(rk: nil)
    #expect(plain.description.contains("can't be used by anyone"))
  }

  /// The error where a key is unplugged in the middle of makeCredential.
  static func lost(rk: Bool?) throws -> CTAP2Error {
    let key = FakeKey()
    key.answer = { request in
      if request.command == .makeCredential { key.readFailure = .unplugged }
      return nil
    }
    let session = try key.session()
    let request = Credentials.request(options: RequestOptions(rk: rk))
    return try #require(
      #expect(throws: CTAP2Error.self) { try session.makeCredential(request, token: nil, key.wait()) })
  }

  @Test("of a credential that came too late give its id")
  func late() throws {
    let response = try Credentials.answer(to: Credentials.request())
    let error = CTAP2Error.createdLate(response, cause: .hid(.cancelled(mayHaveBeenTaken: true)))
    #expect(error.description.contains("was cancelled"))
    #expect(error.description.contains(Base64URL.encode(Credentials.id)))
    #expect(error.isCancellation)
    #expect(!error.isTimeout)
    #expect(!error.isUnplugged)
  }

  @Test(
    "go with the status byte that the key sent",
    arguments: [
      (VerificationFailure.pinInvalid(nil), CTAPStatus.pinInvalid), (.pinAuthBlocked, .pinAuthBlocked),
      (.pinBlocked, .pinBlocked), (.pinNotSet, .pinNotSet), (.pinMustChange, .pinPolicyViolation),
      (.pinPolicyViolation, .pinPolicyViolation), (.uvInvalid(retries: nil), .uvInvalid), (.uvBlocked, .uvBlocked),
    ])
  func status(_ failure: VerificationFailure, _ status: CTAPStatus) {
    #expect(failure.status == status)
    #expect(CTAP2Error.verification(failure).status == status)
    #expect(CTAP2Error.status(status, .clientPIN).status == status)
    #expect(CTAP2Error.notCTAP2.status == nil)
  }
}
