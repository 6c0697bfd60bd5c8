import BridgeTestSupport
import CTAPHID
import CTAPMessages
import FIDOCrypto
import Testing
import Timing

@testable import CTAP2

@Suite("U2F")
struct U2FTests {
  private static let request = MakeCredentialRequest(
    clientDataHash: [UInt8](repeating: 1, count: 32), rp: RelyingPartyEntity(id: "example.org", name: "Example"),
    user: UserEntity(id: [1], name: "alice"), pubKeyCredParams: [CredentialParameters(algorithm: -7)])

  /// A key without CTAP2 whose answers to U2F a test decides.
  private func key(
    capabilities: DeviceCapabilities = [.wink], _ answer: @escaping ([UInt8]) -> DeviceTransport.Reaction
  ) -> FakeKey {
    let key = FakeKey(capabilities: capabilities)
    key.answerBelow = { command, payload in command == .msg ? answer(payload) : .refuse(.invalidCommand) }
    return key
  }

  private static let version = Array("U2F_V2".utf8) + [0x90, 0x00]

  @Test("is what a key speaks that claims no CTAP2, knows no getInfo and tells its version")
  func abilities() throws {
    let old = key { _ in .answer(Self.version) }
    let session = try old.session()
    let info = try session.abilities(old.wait())
    #expect(info.versions == ["U2F_V2"])
    #expect(info.aaguid == .zero)
    #expect(session.speaksOnlyU2F)
    #expect(throws: CTAP2Error.notCTAP2) { try session.getInfo(old.wait()) }
  }

  @Test("is never asked for where the key claims CTAP2, or no U2F", arguments: [DeviceCapabilities.cbor, .noMSG])
  func notAsked(_ capabilities: DeviceCapabilities) throws {
    var isAsked = false
    let other = key(capabilities: capabilities) { _ in
      isAsked = true
      return .answer(Self.version)
    }
    other.answer = { _ in .refuse(.invalidCommand) }
    #expect(throws: CTAP2Error.self) { try other.session().abilities(other.wait()) }
    #expect(!isAsked)
  }

  @Test("of another version is not used", arguments: ["U2F_V1", "", "U2F_V22"])
  func otherVersion(_ version: String) throws {
    let old = key { _ in .answer(Array(version.utf8) + [0x90, 0x00]) }
    #expect(throws: CTAP2Error.notCTAP2) { try old.session().abilities(old.wait()) }
  }

  @Test("has no discoverable credentials, no verification and no other algorithm, and is not asked for them")
  func refusals() throws {
    var isAsked = false
    let old = key { _ in
      isAsked = true
      return .answer([0x69, 0x85])
    }
    let session = try old.session()
    for edit: (inout MakeCredentialRequest) -> Void in [
      { $0.options.rk = true }, { $0.options.uv = true },
      { $0.pubKeyCredParams = [CredentialParameters(algorithm: -8)] },
    ] {
      var request = Self.request
      edit(&request)
      #expect {
        try session.createU2FCredential(request, excludedUnder: nil, old.wait())
      } throws: { error in
        if case .notOffered? = error as? CTAP2Error { true } else { false }
      }
    }
    #expect(!isAsked)
  }

  @Test("asks again four times a second while there is no touch, tells of it once, and ends with the deadline")
  func pace() throws {
    var count = 0
    let old = key { _ in
      count += 1
      return .answer([0x69, 0x85])
    }
    let session = try old.session()
    let told = Seen()
    var wait = old.wait(.seconds(10))
    wait.onKeepAlive = { told.add($0) }
    #expect(throws: CTAP2Error.hid(.timeout(.userPresence, mayHaveBeenTaken: false))) {
      try session.createU2FCredential(Self.request, excludedUnder: nil, wait)
    }
    #expect((35...41).contains(count))
    #expect(told.all == [.userPresenceNeeded])
  }

  @Test("a registration that gets no answer says that a credential may exist, and is not sent again")
  func lost() throws {
    var count = 0
    let old = key { _ in
      count += 1
      return .work(status: .processing)
    }
    let session = try old.session()
    let error = #expect(throws: CTAP2Error.self) {
      try session.createU2FCredential(Self.request, excludedUnder: nil, old.wait(.seconds(3)))
    }
    #expect(count == 1)
    guard case .credentialMayExist(let creation, _)? = error else { return #expect(Bool(false), "\(error as Any)") }
    #expect(creation.isU2F)
    #expect("\(creation.rpID)" == "example.org")
    #expect(error?.description.contains("can't be listed or removed") == true)
  }

  @Test("without a touch is asked for once and not again, where the request is silent")
  func silent() throws {
    var controls: [UInt8] = []
    let old = key { payload in
      controls.append(payload[2])
      return payload[2] == 0x07
        ? .answer([0x69, 0x85]) : .answer([0, 0, 0, 0, 5, 0x30, 0x06, 2, 1, 1, 2, 1, 1, 0x90, 0x00])
    }
    let session = try old.session()
    let request = GetAssertionRequest(
      rpID: "example.org", clientDataHash: [UInt8](repeating: 1, count: 32),
      allowList: [CredentialDescriptor(id: [1, 2, 3])], options: RequestOptions(up: false))
    let response = try session.u2fAssertion(request, appID: nil, old.wait())
    #expect(controls == [0x07, 0x08])
    #expect(response.authData.flags == [])
    #expect(response.authData.signCount == 5)
  }

  @Test("looks through the whole list under the RP ID before the AppID, and passes over what cannot be a key handle")
  func order() throws {
    var asked: [(application: [UInt8], id: [UInt8])] = []
    let old = key { payload in
      let request = try? U2FAuthenticateRequest(U2FCommandFrame(payload))
      asked.append((request?.applicationParameter ?? [], request?.keyHandle ?? []))
      return .answer([0x6a, 0x80])
    }
    let session = try old.session()
    let list = [[1], [UInt8](repeating: 2, count: 256), [], [3]].map { CredentialDescriptor(id: $0) }
    #expect(try session.u2fHeldCredential(of: list, applications: ["example.org", "https://a"], old.wait()) == nil)
    #expect(asked.map(\.id) == [[1], [3], [1], [3]])
    let hashes = ["example.org", "https://a"].map { Digest.sha256(Array($0.utf8)) }
    #expect(asked.map(\.application) == [hashes[0], hashes[0], hashes[1], hashes[1]])
  }
}
