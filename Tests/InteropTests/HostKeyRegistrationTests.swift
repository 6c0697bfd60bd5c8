import Attestation
import BridgeTestSupport
import CTAP2
import CTAPHID
import CTAPMessages
import Octets
import Testing
import Timing
import VirtualKey

@Suite("The host session and the virtual key: registration")
struct HostKeyRegistrationTests {
  @Test("a credential without a PIN takes INIT, getInfo and makeCredential", arguments: [-7, -8, -35, -36, -257])
  func withoutPIN(_ algorithm: Int) throws {
    let desk = try HostAndKey().opened()
    _ = try desk.session.getInfo(desk.wait())
    let created = try desk.create(HostAndKey.request(algorithm: algorithm))
    #expect(created.attestation == .verified)
    #expect(created.response.authData.attestedCredential?.publicKey.alg == algorithm)
    #expect(desk.transactions == 3)
    #expect(desk.commands == [0x04, 0x01])
    #expect(desk.made == [created.id])
  }

  @Test(
    "each kind of attestation is found right",
    arguments: [
      (AttestationPolicy.packed, AttestationVerdict.verified), (.selfSigned, .verified), (.none, .nothingToCheck),
    ])
  func attestation(_ policy: AttestationPolicy, _ verdict: AttestationVerdict) throws {
    #expect(try HostAndKey(attestation: policy).opened().create().attestation == verdict)
  }

  @Test("a credential with a PIN takes three transactions more", arguments: [[1], [2], [2, 1]], [true, false])
  func withPIN(_ protocols: [Int], _ permissions: Bool) throws {
    let desk = try HostAndKey(pin: "1234") { info in
      info.pinUvAuthProtocols = protocols
      if !permissions {
        info.versions = ["FIDO_2_0"]
        info.options?["pinUvAuthToken"] = nil
      }
    }.opened()
    _ = try desk.session.getInfo(desk.wait())
    #expect(try desk.session.pinRetries(desk.wait()).count == 8)
    let created = try desk.create(token: try desk.token("1234"))
    #expect(created.response.authData.flags.contains([.userPresent, .userVerified]))
    #expect(desk.transactions == 6)
    #expect(desk.pinTries == 1)
  }

  @Test("a credential for the key's own verification, by a token and by the option")
  func withVerification() throws {
    let desk = try HostAndKey { $0.options?["uv"] = true }.opened()
    let token = try desk.session.token(
      builtInUserVerification: .makeCredential, rpID: HostAndKey.rpID, desk.wait())
    #expect(try desk.create(token: token).response.authData.flags.contains(.userVerified))
    #expect(desk.transactions == 5)
    #expect(try desk.create(HostAndKey.request(uv: true)).response.authData.flags.contains(.userVerified))
  }

  @Test("verification that fails is counted down, then blocked, and the key's PIN still works")
  func verificationFails() throws {
    let desk = try HostAndKey(pin: "1234", verification: .fails) { $0.options?["uv"] = true }.opened()
    var seen: [VerificationFailure] = []
    for _ in 0..<12 where seen.last != .uvBlocked {
      do {
        _ = try desk.session.token(builtInUserVerification: .makeCredential, rpID: HostAndKey.rpID, desk.wait())
      } catch CTAP2Error.verification(let failure) {
        seen.append(failure)
      }
    }
    #expect(seen.last == .uvBlocked)
    #expect(seen.count > 1)
    _ = try desk.create(token: try desk.token("1234"))
  }

  static func ids(_ count: Int) -> [[UInt8]] {
    (0..<count).map { [UInt8($0)] + [UInt8](repeating: 0xee, count: 63) }
  }

  struct List: Sendable {
    let count: Int
    let limit: Int?
    let size: Int?
    let probes: Int
  }

  /// With 64-byte ids a descriptor has 86 bytes, and a probe for `example.org` 58 beside them.
  static let lists = [
    List(count: 0, limit: 8, size: 1024, probes: 0), List(count: 1, limit: 8, size: 1024, probes: 0),
    List(count: 8, limit: 8, size: 1300, probes: 0), List(count: 8, limit: 8, size: 800, probes: 1),
    List(count: 40, limit: 8, size: 1300, probes: 5), List(count: 40, limit: 40, size: 1300, probes: 3),
    List(count: 40, limit: 40, size: 7609, probes: 0), List(count: 3, limit: nil, size: 1300, probes: 3),
  ]

  @Test(
    "an exclude list that fits adds no transaction, and a longer one as few as it can", arguments: lists, [false, true])
  func excludeLists(_ list: List, _ withPIN: Bool) throws {
    let desk = try HostAndKey(pin: withPIN ? "1234" : nil) { info in
      info.maxCredentialCountInList = list.limit
      info.maxMsgSize = list.size
    }.opened()
    let request = HostAndKey.request(exclude: Self.ids(list.count))
    let info = try desk.session.getInfo(desk.wait())
    let needsPreflight = KeySession.needsPreflight(info, request, withToken: withPIN)
    var token: PINUVAuthToken?
    if withPIN {
      _ = try desk.session.pinRetries(desk.wait())
      token = try desk.token("1234", needsPreflight ? [.makeCredential, .getAssertion] : .makeCredential)
    }
    #expect(try desk.create(request, token: token).attestation == .verified)
    #expect(needsPreflight == (list.probes > 0))
    // A token makes each probe 37 bytes longer, which here changes no number.
    #expect(desk.transactions == (withPIN ? 6 : 3) + list.probes)
    #expect(desk.made.count == 1)
    #expect(desk.pinTries == (withPIN ? 1 : 0))
  }

  @Test(
    "a credential that the key has is found wherever it is in the list, and told after a touch", arguments: [1, 8, 40])
  func excluded(_ count: Int) throws {
    for position in [0, count / 2, count - 1] {
      let desk = try HostAndKey(presence: .after(.seconds(3))) { info in
        info.maxCredentialCountInList = 8
        info.maxMsgSize = 1300
      }.opened()
      var list = Self.ids(count)
      list[position] = try desk.create().id
      let start = desk.clock.now
      #expect(throws: CTAP2Error.status(.credentialExcluded, .makeCredential)) {
        try desk.create(HostAndKey.request(exclude: list))
      }
      #expect(desk.clock.now.since(start) >= .seconds(3))
      #expect(desk.made.count == 1)
    }
  }

  @Test("another RP's credential in the list is not this RP's")
  func otherRP() throws {
    let desk = try HostAndKey().opened()
    var other = HostAndKey.request()
    other.rp.id = "example.net"
    let id = try desk.create(other).id
    _ = try desk.create(HostAndKey.request(exclude: [id]))
    #expect(desk.made.count == 2)
  }

  @Test("a credential signs in, alone and with others, and the next ones are fetched")
  func signIn() throws {
    let desk = try HostAndKey(pin: "1234").opened()
    var ids: [[UInt8]] = []
    for user in UInt8(1)...3 {
      var request = HostAndKey.request(rk: true)
      request.user = UserEntity(id: [user], name: "user \(user)")
      ids.append(try desk.create(request, token: try desk.token("1234")).id)
    }
    let token = try desk.token("1234", .getAssertion)
    let request = GetAssertionRequest(rpID: HostAndKey.rpID, clientDataHash: HostAndKey.hash)
    let first = try desk.session.getAssertion(request, token: token, desk.wait())
    #expect(first.numberOfCredentials == 3)
    var found = [first.credential?.id]
    for _ in 0..<2 {
      found.append(try desk.session.getNextAssertion(rpID: HostAndKey.rpID, desk.wait()).credential?.id)
    }
    #expect(Set(found) == Set(ids.map { $0 }))
    #expect(throws: CTAP2Error.status(.notAllowed, .getNextAssertion)) {
      try desk.session.getNextAssertion(rpID: HostAndKey.rpID, desk.wait())
    }
    var named = request
    named.allowList = [CredentialDescriptor(id: ids[1])]
    #expect(try desk.session.getAssertion(named, token: nil, desk.wait()).credential?.id == ids[1])
  }
}
