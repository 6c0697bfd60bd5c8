import BridgeTestSupport
import CTAPHID
import CTAPMessages
import FIDOCrypto
import Octets
import Synchronization
import Testing
import Timing
import VirtualKey
import WebAuthnClient

/// U2F keys whose messages are not as the specification has them, as firmware in the field does it.
struct OddU2FKeyTests {
  private func desk(_ oddity: Oddity, presence: PresencePolicy = .auto) throws -> (desk: Desk, key: VirtualKeyPort) {
    var desk = Desk()
    desk.oddity = oddity
    desk.options.waitsForKey = false
    desk.options.timeout = .seconds(60)
    return (desk, try desk.key("virtual", VirtualKeyConfiguration(profile: .u2f, presence: presence)))
  }

  private func everything(_ oddity: Oddity, presence: PresencePolicy = .after(.seconds(1))) async throws {
    let (desk, key) = try desk(oddity, presence: presence)
    let registration = try await desk.register(request())
    #expect(registration.attestation.fmt == "fido-u2f")
    #expect(key.u2fMade.count == 1)
    let list = signIn([[UInt8](repeating: 9, count: 64), registration.credentialID])
    #expect(try await desk.authenticate(list).verifies(with: registration))
  }

  struct Rewriting: CustomTestStringConvertible, Sendable {
    let name: String
    let rewrite: @Sendable ([UInt8]) -> [UInt8]
    var testDescription: String { name }
  }

  private static let lengths = [
    Rewriting(name: "the rest of the report") { $0 + [UInt8](repeating: 0, count: 57 - $0.count % 57) },
    Rewriting(name: "one byte too many") { $0 + [0] },
    Rewriting(name: "many reports too many") { $0 + [UInt8](repeating: 0, count: 590) },
    Rewriting(name: "bytes between the signature and the status") { bytes in
      bytes.count > 12 ? bytes.dropLast(2) + [1, 2, 3] + bytes.suffix(2) : bytes
    },
  ]

  @Test("a reply whose length field counts more than the reply is read all the same", arguments: lengths)
  func lengthField(_ odd: Rewriting) async throws {
    try await everything(
      Oddity(onAnswer: { request, bytes in request.command == .msg ? odd.rewrite(bytes) : bytes }))
  }

  @Test("a reply whose length field counts too little is no answer, and says that a credential may exist")
  func lengthTooShort() async throws {
    let (desk, key) = try desk(
      Oddity(onAnswer: { request, bytes in
        request.command == .msg && bytes.count > 100 ? Array(bytes.dropLast(20)) : bytes
      }))
    let error = try await desk.failure()
    #expect(error.kind == .credentialExists)
    #expect(error.reason.contains("can't be listed or removed there"), "\(error)")
    #expect(key.u2fMade.count == 1)
  }

  @Test("a key that takes requests with lengths of one byte alone is spoken to in that form")
  func shortForm() async throws {
    try await everything(
      Oddity(onRequest: { message in
        guard message.command == .msg, message.payload.count > 7, message.payload[4] == 0 else { return .taken }
        return .answer([0x67, 0x00])
      }))
  }

  @Test(
    "a credential that is not the key's is refused by any of the statuses that keys use for it",
    arguments: [[0x6a, 0x80], [0x67, 0x00], [0x69, 0x84], [0x6a, 0x88]] as [[UInt8]])
  func unknownCredential(_ status: [UInt8]) async throws {
    try await everything(
      Oddity(onAnswer: { request, bytes in
        request.command == .msg && bytes.elementsEqual([0x6a, 0x80]) ? status : bytes
      }))
  }

  @Test("a key that signs where it was only to say whether it knows a credential knows it")
  func checkOnlySigns() async throws {
    try await everything(
      Oddity(onAnswer: { request, bytes in
        guard request.command == .msg, request.payload[2] == 0x07, bytes.elementsEqual([0x69, 0x85]) else {
          return bytes
        }
        return [0, 0, 0, 0, 1, 0x30, 0x06, 2, 1, 1, 2, 1, 1, 0x90, 0x00]
      }))
  }

  @Test("a key that holds a request back until it was touched, with keep-alives, is waited for")
  func holdsBack() async throws {
    let asked = Mutex(0)
    try await everything(
      Oddity(onRequest: { message in
        guard message.command == .msg, message.payload[1] == 1,
          asked.withLock({
            $0 += 1; return $0
          }) == 1
        else {
          return .taken
        }
        return .answer([0x69, 0x85], after: .seconds(8))
      }), presence: .auto)
  }

  @Test("a key that claims nothing and has nothing to say to getInfo is asked for U2F", arguments: [true, false])
  func noWordOnGetInfo(_ isSilent: Bool) async throws {
    try await everything(
      Oddity(onRequest: { message in
        guard message.command == .cbor else { return .taken }
        return isSilent ? .ignored : .error(.other)
      }), presence: .auto)
  }

  @Test("a key that claims CTAP2 and fails at getInfo is never taken for a U2F one")
  func claimsCTAP2() async throws {
    let (desk, key) = try desk(
      Oddity(onAnswer: { request, bytes in
        request.command == .initialise ? bytes.dropLast() + [bytes.last.map { $0 | 0x04 } ?? 0] : bytes
      }))
    #expect(try await desk.failure().reason.contains("ERR_INVALID_CMD"))
    #expect(key.count { if case .u2fCommand = $0 { true } else { false } } == 0)
  }

  @Test("a key that speaks neither is named for what it is")
  func neither() async throws {
    let (desk, _) = try desk(Oddity(onRequest: { $0.command == .msg ? .answer([0x6d, 0x00]) : .taken }))
    #expect(try await desk.failure().reason.contains("FIDO2 is needed"))
  }

  @Test(
    "a status that ends a registration is told in words, and nothing was made",
    arguments: [
      ([0x69, 0x86], "refuses U2F"), ([0x6f, 0x00], "0x6F00"), ([0x6e, 0x00], "does not know this command"),
      ([0x6a, 0x80], "does not belong"), ([0x12, 0x34], "0x1234"),
    ] as [([UInt8], String)])
  func refused(_ status: [UInt8], _ words: String) async throws {
    let (desk, key) = try desk(
      Oddity(onRequest: { message in
        message.command == .msg && message.payload[1] == 1 ? .answer(status) : .taken
      }))
    let error = try await desk.failure()
    #expect(error.kind == .keyRefused)
    #expect(error.reason.contains(words), "\(error)")
    #expect(key.u2fMade.isEmpty)
  }

  @Test("a signature over something else is found before the registration is called a success")
  func wrongSignature() async throws {
    let (desk, key) = try desk(
      Oddity(onAnswer: { request, bytes in
        guard request.command == .msg, bytes.count > 100 else { return bytes }
        var bytes = bytes
        // The last byte of the signature, before the status.
        bytes[bytes.count - 3] ^= 1
        return bytes
      }))
    let error = try await desk.failure()
    #expect(error.kind == .credentialExists)
    #expect(error.credentialID == key.u2fMade.first)
    #expect(error.reason.contains("it can't be removed there"), "\(error)")
  }
}
