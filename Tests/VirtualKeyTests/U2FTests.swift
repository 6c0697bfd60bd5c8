import BridgeTestSupport
import CBOR
import CTAPHID
import CTAPMessages
import FIDOCrypto
import Testing

@testable import VirtualKey

@Suite("U2F")
struct U2FTests {
  // The examples of FIDO U2F Raw Message Formats 1.2 §8, whose private keys are published with them.
  static let challenge = hex("4142d21c00d94ffb9d504ada8f99b721f4b191ae4e37ca0140f696b6983cfacb")
  static let application = hex("f0e6a6a97042a4f1f1c87f5f7d44315b2d852c2df5c7991cc66241bf7072d1c4")
  static let handle =
    hex(
      "2a552dfdb7477ed65fd84133f86196010b2215b57da75d315b7b9e8fe2e3925a"
        + "6019551bab61d16591659cbaf00b4950f7abfe6660e2e006f76868b772d70c25")
  static let signChallenge = hex("ccd6ee2e47baef244d49a222db496bad0ef5b6f93aa7cc4d30c4821b3b9dbc57")
  static let signApplication = hex("4b0be934baebb5d12d26011b69227fa5e86df94e7d94aa2949a89f2d493992ca")

  @Test("the published registration request gets an answer that the published way of checking accepts")
  func publishedRegistration() throws {
    let key = try TestKey()
    let answer = try U2FResponseFrame(
      key.message(.msg, [0, 1, 0, 0, 0, 0, 0x40] + Self.challenge + Self.application + [0, 0]))
    #expect(answer.status == .noError)
    let response = try U2FRegisterResponse(answer.data)
    #expect(response.encoded() == answer.data)
    #expect(try response.isAttested(application: Self.application, challenge: Self.challenge))
    #expect(try !response.isAttested(application: Self.signApplication, challenge: Self.challenge))
    #expect(key.events.contains(.u2fRegistered(application: Self.application, id: response.keyHandle)))
  }

  @Test("with the published credential, the published sign-in request gets the published bytes and such a signature")
  func publishedAuthentication() throws {
    let secret = hex("ffa1e110dde5a2f8d93c4df71e2d4337b7bf5ddb60c75dc2b6b81433b54dd3c0")
    let point = hex(
      "d368f1b665bade3c33a20f1e429c7750d5033660c019119d29aa4ba7abc04aa7"
        + "c80a46bbe11ca8cb5674d74f31f8a903f6bad105fb6ab74aefef4db8b0025e1d")
    var state = VirtualKeyState(masterSecret: [UInt8](repeating: 1, count: 32))
    state.credentials = [
      StoredCredential(
        id: Self.handle, rpID: "", application: Self.signApplication, userID: [],
        key: CredentialKey(algorithm: -7, bytes: secret), protection: 1, secret: [UInt8](repeating: 2, count: 32),
        isResident: false)
    ]
    let store = MemoryStore()
    store.save(state)
    let key = try TestKey(store: store)
    let request = Self.signChallenge + Self.signApplication + [0x40] + Self.handle
    let answer = try U2FResponseFrame(key.message(.msg, [0, 2, 3, 0, 0, 0, 0x81] + request + [0, 0]))
    #expect(answer.status == .noError)
    #expect(answer.data.prefix(5) == [1, 0, 0, 0, 1])
    let signed = Self.signApplication + [1, 0, 0, 0, 1] + Self.signChallenge
    let publicKey = PublicKey.elliptic(.p256, x: Array(point[..<32]), y: Array(point[32...]))
    let published = hex(
      "304402204b5f0cd17534cedd8c34ee09570ef542a353df4436030ce43d406de870b84778"
        + "0220267bb998fac9b7266eb60e7cb0b5eabdfd5ba9614f53c7b22272ec10047a923f")
    for signature in [published, Array(answer.data.dropFirst(5))] {
      #expect(try publicKey.verifies(signature, of: signed, algorithm: .es256))
    }
  }

  @Test("all forms of a frame are read, short and extended, with and without an expected length")
  func forms() throws {
    let key = try TestKey()
    let handle = try key.registered().keyHandle
    let data = testHash + testApplication + [UInt8(handle.count)] + handle
    let count = UInt8(data.count)
    for frame in [[count] + data, [count] + data + [0], [0, 0, count] + data, [0, 0, count] + data + [0, 0]] {
      #expect(try U2FResponseFrame(key.message(.msg, [0, 2, 8, 0] + frame)).status == .noError)
    }
    for frame: [UInt8] in [[], [0], [0, 0, 0], [0, 0, 0, 0, 0]] {
      let answer = try U2FResponseFrame(key.message(.msg, [0, 3, 0, 0] + frame))
      #expect(answer == U2FResponseFrame(data: Array("U2F_V2".utf8)))
    }
  }

  @Test(
    "what is no request of U2F gets its status and asks for no touch",
    arguments: [
      ("00", U2FStatus.wrongLength), ("000300", .wrongLength), ("01030000", .claNotSupported),
      ("80010000", .claNotSupported), ("00040000", .insNotSupported), ("0003000001ff", .wrongLength),
      ("00010000", .wrongLength), ("0001000001ff", .wrongLength), ("00010000ffff", .wrongLength),
      ("0002030001ff", .wrongLength), ("0002070041" + String(repeating: "00", count: 65), .wrongData),
      ("0002070041" + String(repeating: "00", count: 64) + "01", .wrongLength),
      ("0002070042" + String(repeating: "00", count: 66), .wrongLength),
    ])
  func refused(_ request: String, _ status: U2FStatus) throws {
    let key = try TestKey()
    let answer = try U2FResponseFrame(key.message(.msg, hex(request)))
    #expect(answer == U2FResponseFrame(status: status))
    #expect(key.touches == 0)
  }

  @Test("a credential of U2F signs through U2F after a touch, and the counter goes up")
  func signIn() throws {
    let key = try TestKey()
    let made = try key.registered()
    for counter: UInt32 in 1...3 {
      let answer = try key.authenticate(made.keyHandle)
      let response = try U2FAuthenticateResponse(answer.data)
      #expect(response.userPresence == 1)
      #expect(response.counter == counter)
      #expect(try made.signed(answer))
    }
    #expect(key.touches == 4)
    #expect(try key.store.load()?.signatureCounter == 3)
  }

  @Test("check-only tells a known credential from others, without a touch or a signature")
  func checkOnly() throws {
    let key = try TestKey()
    let handle = try key.registered().keyHandle
    let touches = key.touches
    #expect(try key.authenticate(handle, .checkOnly).status == .conditionsNotSatisfied)
    #expect(try key.authenticate(handle, .checkOnly, application: Self.application).status == .wrongData)
    #expect(try key.authenticate(Self.handle, .checkOnly).status == .wrongData)
    #expect(try key.authenticate([], .checkOnly).status == .wrongData)
    #expect(try TestKey(seed: 8).authenticate(handle, .checkOnly).status == .wrongData)
    #expect(key.touches == touches)
    #expect(try key.store.load()?.signatureCounter == 0)
  }

  @Test("without enforcement there is a signature that says that nobody was there")
  func withoutPresence() throws {
    let key = try TestKey(.with(presence: .never))
    _ = try key.register()
    key.key.touch(now: key.clock.now)
    let made = try key.registered()
    let answer = try key.authenticate(made.keyHandle, .dontEnforceUserPresenceAndSign)
    #expect(answer.data.first == 0)
    #expect(try made.signed(answer))
    #expect(key.touches == 1)
    let signed = VirtualKeyEvent.u2fSigned(
      application: testApplication, id: made.keyHandle, counter: 1, present: false)
    #expect(key.events.contains(signed))
  }

  @Test("a control that is not known is wrong data", arguments: [0, 1, 2, 4, 0x83] as [UInt8])
  func unknownControl(_ number: UInt8) throws {
    let key = try TestKey()
    let handle = try key.registered().keyHandle
    let answer = try key.authenticate(handle, U2FAuthenticateRequest.Control(rawValue: number))
    #expect(answer == U2FResponseFrame(status: .wrongData))
  }

  @Test("a credential of U2F works through CTAP2, with its application as the RP ID's hash", arguments: [16, 32, 128])
  func throughCTAP2(_ longest: Int) throws {
    let key = try TestKey(.with { $0.maxCredentialIdLength = longest })
    let made = try key.registered()
    #expect(made.keyHandle.count <= longest)
    let response = try key.get(.sample(allow: [made.keyHandle]))
    #expect(response.authData.rpIDHash == testApplication)
    #expect(response.user == nil)
    #expect(
      try made.cryptoKey.verifies(
        response.signature, of: response.authData.encoded() + testHash, algorithm: .es256))
    #expect(try key.getStatus(.sample(rpID: "example.com", allow: [made.keyHandle])) == .noCredentials)
    #expect(try key.getStatus(.sample()) == .noCredentials)
    var again = MakeCredentialRequest.sample()
    again.excludeList = [CredentialDescriptor(id: made.keyHandle)]
    #expect(try key.makeStatus(again) == .credentialExcluded)
  }

  @Test("a credential of CTAP2 works through U2F, resident or not, unless it demands verification or another algorithm")
  func fromCTAP2() throws {
    let key = try TestKey()
    for isResident in [false, true] {
      for level in 1...3 {
        var request = MakeCredentialRequest.sample(rk: isResident)
        request.extensions = ["credProtect": .int(level)]
        let made = try key.make(request)
        let answer = try key.authenticate(made.id)
        guard level < 3 else {
          #expect(answer == U2FResponseFrame(status: .wrongData))
          continue
        }
        let signature = try U2FAuthenticateResponse(answer.data).signature
        let signed = testApplication + answer.data.prefix(5) + testHash
        #expect(try made.coseKey?.cryptoKey().verifies(signature, of: signed, algorithm: .es256) == true)
        #expect(try key.authenticate(made.id, application: Self.application).status == .wrongData)
      }
    }
    let other = try key.make(.sample(algorithms: [-8]))
    #expect(try key.authenticate(other.id).status == .wrongData)
  }

  @Test(
    "the certificate is the one of CTAP2's attestation, whatever the attestation policy",
    arguments: AttestationPolicy.allCases)
  func certificate(_ policy: AttestationPolicy) throws {
    var configuration = VirtualKeyConfiguration()
    configuration.attestation = policy
    let key = try TestKey(configuration)
    let made = try key.registered()
    #expect(try made.isAttested())
    #expect(try key.registered().attestationCertificate == made.attestationCertificate)
    #expect(try key.store.load()?.attestation?.certificate == made.attestationCertificate)
    let certificate = try Certificate(der: made.attestationCertificate)
    #expect(certificate.extensionValue(oid: Certificate.aaguidExtension) != nil)
  }

  @Test("a reset ends the credentials of U2F")
  func reset() throws {
    let key = try TestKey()
    let made = try key.registered()
    #expect(try key.status(.reset) == .ok)
    #expect(try key.authenticate(made.keyHandle, .checkOnly).status == .wrongData)
  }

  @Test("alwaysUv forbids U2F and takes it from the versions", arguments: [true, false])
  func alwaysUV(_ hasPIN: Bool) throws {
    let key = try TestKey(.with(options: ["alwaysUv": true], pin: hasPIN ? "1234" : nil))
    #expect(try key.register() == U2FResponseFrame(status: .commandNotAllowed))
    #expect(try key.authenticate(Self.handle).status == .commandNotAllowed)
    #expect(try key.u2f(.version).status == .commandNotAllowed)
    #expect(try key.info().versions == ["FIDO_2_0", "FIDO_2_1"])
    #expect(key.touches == 0)
  }

  @Test("a PIN does not stop U2F, which knows none")
  func withPIN() throws {
    let key = try TestKey(.with(pin: "1234"))
    let made = try key.registered()
    #expect(try made.signed(key.authenticate(made.keyHandle)))
  }

  @Test("a key whose profile has no U2F says so and refuses MSG")
  func without() throws {
    let key = try TestKey(.with { $0.versions = ["FIDO_2_0", "FIDO_2_1"] })
    #expect(try key.initReply().capabilities == [.wink, .cbor, .noMSG])
    key.write(.msg, [0, 3, 0, 0])
    #expect(key.read()?.payload == [CTAPHIDErrorCode.invalidCommand.rawValue])
    #expect(key.events.last == .refused(.invalidCommand, key.channel))
  }

  @Test("a U2F key has no CTAP2, says so, and its certificate names no AAGUID")
  func only() throws {
    let key = try TestKey(VirtualKeyConfiguration(profile: .u2f))
    #expect(try key.initReply().capabilities == .wink)
    key.write(.cbor, [0x04])
    #expect(key.read()?.payload == [CTAPHIDErrorCode.invalidCommand.rawValue])
    let made = try key.registered()
    #expect(try made.isAttested())
    #expect(try made.signed(key.authenticate(made.keyHandle)))
    let certificate = try Certificate(der: made.attestationCertificate)
    #expect(certificate.extensionValue(oid: Certificate.aaguidExtension) == nil)
  }

  @Test("a store that fails fails the request, and nothing was made")
  func failingStore() throws {
    let store = WatchedStore()
    let key = try TestKey(store: store)
    store.failure = .stopped
    #expect(try key.register() == U2FResponseFrame(status: .other))
    store.failure = nil
    let made = try key.registered()
    store.failure = .stopped
    #expect(try key.authenticate(made.keyHandle) == U2FResponseFrame(status: .other))
    store.failure = nil
    #expect(try U2FAuthenticateResponse(key.authenticate(made.keyHandle).data).counter == 1)
  }

  @Test("whatever bytes come, there is a status, and nothing is signed that was not asked for")
  func anyBytes() throws {
    let key = try TestKey()
    let made = try key.registered()
    let request = [0, 2, 3, 0, 0, 0, 0x81] + testHash + testApplication + [0x40] + made.keyHandle + [0, 0]
    for index in request.indices {
      let cut = try U2FResponseFrame(key.message(.msg, Array(request[..<max(index, 1)])))
      // Without the expected length of the answer it is the same request.
      #expect((cut.status == .noError) == (index == request.count - 2), "\(index)")
      for mask in [0x01, 0x80, 0xff] as [UInt8] {
        var changed = request
        changed[index] ^= mask
        let answer = try U2FResponseFrame(key.message(.msg, changed))
        // Of the bytes that count, only the second parameter, the challenge and the expected length may be any.
        let isFree = index == 3 || (7..<39).contains(index) || index >= request.count - 2
        if !isFree { #expect(answer.status != .noError || answer.data == Array("U2F_V2".utf8), "\(index)") }
      }
    }
  }

  @Test("a U2F request ends what getAssertion left for getNextAssertion")
  func forgets() throws {
    let key = try TestKey()
    for user: UInt8 in 1...2 { _ = try key.make(.sample(user: [user], rk: true)) }
    #expect(try key.get(.sample()).numberOfCredentials == 2)
    _ = try key.u2f(.version)
    #expect(try key.status(.getNextAssertion) == .notAllowed)
  }
}
