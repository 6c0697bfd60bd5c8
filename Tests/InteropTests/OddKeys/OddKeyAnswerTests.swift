import BridgeTestSupport
import CBOR
import CTAPHID
import CTAPMessages
import FIDOCrypto
import Octets
import Testing
import Timing
import VirtualKey
import WebAuthnClient

/// Keys whose answers are not written as the specification has them, and are understood all the same.
struct OddKeyAnswerTests {
  /// A desk with one key on a turned clock; two keys have a thread each, and need the machine's clock.
  private func desk(
    _ oddity: Oddity, _ person: Person = Person(pins: ["1234", "1234"]), clock: any MonotonicClock = ManualClock()
  ) -> Desk {
    var desk = Desk(person, clock: clock)
    desk.oddity = oddity
    desk.options.waitsForKey = false
    return desk
  }

  @Test(
    "maps that are not sorted and numbers that are too long are read, with a PIN under either protocol",
    arguments: [[1], [2], [2, 1]])
  func sloppy(_ protocols: [Int]) async throws {
    let desk = desk(.rewriting { SloppyCBOR.encode(.map($0)) })
    try desk.key("virtual", .with(pin: "1234") { $0.pinUvAuthProtocols = protocols })
    let registration = try await desk.register(
      request(residentKey: "required", verification: "required", extensions: #"{"credProps":true}"#))
    #expect(try registration.results.contains(#""rk":true"#))
    let response = try await desk.authenticate(signIn(verification: "required"))
    #expect(try response.verifies(with: registration))
    #expect(response.userHandle == [1, 2, 3, 4])
  }

  @Test("a key with sloppy CBOR has its exclude list looked through like any other")
  func sloppyExcludeList() async throws {
    let desk = desk(.rewriting { SloppyCBOR.encode(.map($0)) })
    try desk.key("virtual", .with { $0.maxCredentialCountInList = 1 })
    let registration = try await desk.register(request())
    let ids = [[UInt8](repeating: 9, count: 32), registration.credentialID]
    let list = ids.map { #"{"type":"public-key","id":"\#(Base64URL.encode($0))"}"# }.joined(separator: ",")
    let error = try await desk.failure(request(more: #""excludeCredentials":[\#(list)]"#))
    #expect(error.name == .invalidStateError)
  }

  @Test("a COSE key that is not sorted is kept as it was signed, and read")
  func sloppyCOSEKey() async throws {
    let desk = desk(
      .changing([.makeCredential]) { map in
        guard let data = map[2]?.bytesValue, let (start, end, key) = Self.publicKey(in: data) else { return }
        map[2] = .bytes(data[..<start] + SloppyCBOR.encode(key) + data[end...])
      })
    try desk.key("virtual", VirtualKeyConfiguration(attestation: .none))
    let registration = try await desk.register(request(attestation: "none"))
    let data = registration.attestation.authData.encoded()
    let (start, end, key) = try #require(Self.publicKey(in: data))
    let asWritten = CBORValue.map(CBORMap((key.mapValue?.entries ?? []).reversed()))
    #expect(Array(data[start..<end]) == SloppyCBOR.encode(asWritten))
    #expect(Array(data[start..<end]) != key.encoded())
    let response = try await desk.authenticate(signIn([registration.credentialID]))
    #expect(try response.verifies(with: registration))
  }

  /// Where the COSE key stands in authenticator data, and the key.
  private static func publicKey(in data: [UInt8]) -> (Int, Int, CBORValue)? {
    guard data.count > 55 else { return nil }
    let start = 55 + Int(data[53]) << 8 + Int(data[54])
    guard let item = try? CBORDecoder.decodePrefix(data, from: start) else { return nil }
    return (start, item.end, item.value)
  }

  @Test("names that a key cut in the middle of a character are repaired, and shown")
  func truncatedNames() async throws {
    let person = Person(pins: ["1234", "1234", "1234"], account: { $0.accounts.first { $0.name == "zo" } })
    let desk = desk(
      .rewriting([.getAssertion, .getNextAssertion]) { map in
        // The name is "zoe" with a diaeresis of two bytes; the key keeps the first of them.
        let name = Array("zoë".utf8)
        let bytes = CBORValue.map(map).encoded()
        guard let at = bytes.indices.first(where: { bytes[$0...].starts(with: [0x64] + name) }) else { return bytes }
        return bytes[..<at] + [0x63] + name.dropLast() + bytes[(at + 5)...]
      }, person)
    try desk.key("virtual", .with(pin: "1234"))
    let zoe = try await desk.register(request(account: "zoë", id: [1]))
    _ = try await desk.register(request(account: "max", id: [2]))
    let response = try await desk.authenticate(signIn(verification: "required"))
    #expect(try response.verifies(with: zoe))
  }

  @Test("members that nobody knows are passed over in every answer")
  func unknownMembers() async throws {
    let desk = desk(
      .changing { map in
        map[0x55] = ["odd": [true, .null, .undefined]]
        map["text"] = .bytes([1])
      })
    try desk.key("virtual", .with(pin: "1234"))
    let registration = try await desk.register(request(residentKey: "required", verification: "required"))
    #expect(try await desk.authenticate(signIn(verification: "required")).verifies(with: registration))
  }

  @Test("an extension output that nobody asked for stays in the authenticator data, and reaches no result")
  func unknownExtensionOutput() async throws {
    let output: CBORValue = ["vendorThing": ["level": 3]]
    let desk = desk(
      .changing([.makeCredential]) { map in
        guard var data = map[2]?.bytesValue else { return }
        data[32] |= 0x80
        map[2] = .bytes(data + output.encoded())
      })
    try desk.key("virtual", VirtualKeyConfiguration(attestation: .none))
    let registration = try await desk.register(request(attestation: "none"))
    #expect(registration.attestation.authData.encoded().suffix(output.encoded().count).elementsEqual(output.encoded()))
    #expect(try registration.results == "{}")
  }

  @Test("an empty answer is one status byte or an empty map", arguments: [[0], [0, 0xa0]])
  func emptyAnswers(_ answer: [UInt8]) async throws {
    let oddity = Oddity(onAnswer: { request, bytes in request.ctap == .selection ? answer : bytes })
    let desk = desk(oddity, clock: SystemClock())
    try desk.key("virtual:1")
    try desk.key("virtual:2", .with(presence: .never))
    #expect(try await desk.register(request()).publicKeyAlgorithm == -7)
    #expect(desk.person.heard.contains("touch one of virtual:1,virtual:2"))
  }

  @Test("a key without a list of algorithms is asked with all that the relying party wants")
  func noAlgorithms() async throws {
    let desk = desk(Oddity())
    try desk.key("virtual", .with { $0.algorithms = nil })
    let params = #"[{"type":"public-key","alg":-49999},{"type":"public-key","alg":-7}]"#
    #expect(try await desk.register(request(params: params)).publicKeyAlgorithm == -7)
  }

  @Test("a key that says nothing of what it can do in its INIT reply is asked all the same")
  func noCapabilities() async throws {
    let desk = desk(
      Oddity(onAnswer: { request, bytes in request.command == .initialise ? bytes.dropLast() + [0] : bytes }))
    try desk.key()
    let registration = try await desk.register(request())
    #expect(try await desk.authenticate(signIn([registration.credentialID])).verifies(with: registration))
  }

  @Test("a request that is larger than the key takes ends before the key has it, with both sizes")
  func messageTooLarge() async throws {
    let desk = desk(Oddity())
    let key = try desk.key("virtual", .with { $0.maxMsgSize = 120 })
    let error = try await desk.failure()
    #expect(error.name == .notAllowedError)
    #expect(error.reason.contains("120"))
    #expect(!key.commands.contains(.makeCredential))
  }
}
