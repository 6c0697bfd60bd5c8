internal import BridgeTestSupport
internal import CTAP2
internal import CTAPHID
internal import CTAPMessages
internal import FIDOCrypto
internal import Timing
internal import VirtualKey

/// The state of a key that has been used once, so that its attestation exists before any run; and what it made then.
struct UsedKey: Sendable {
  let state: VirtualKeyState?
  /// The same key after it has been used over U2F alone, for which it has another attestation.
  let stateOverU2F: VirtualKeyState?
  let credentialID: [UInt8]

  static let shared = UsedKey()

  private init() {
    let clock = ManualClock()
    let store = MemoryStore()
    let port = try? VirtualKeyPort(store: store, clock: clock, random: SeededRandom(seed: 7))
    var id: [UInt8]?
    if let port {
      let session = KeySession(transport: port.transport(), clock: clock, random: SeededRandom(seed: 8))
      let wait = Wait(deadline: clock.now + .seconds(5))
      let request = MakeCredentialRequest(
        clientDataHash: Digest.sha256([1]), rp: RelyingPartyEntity(id: Wishes.rpID, name: "Bank"),
        user: UserEntity(id: [9], name: "bob"), pubKeyCredParams: [CredentialParameters(algorithm: -7)])
      try? session.open(wait)
      id = (try? session.makeCredential(request, token: nil, wait))?.authData.attestedCredential?.credentialID
      session.close()
    }
    state = store.load()
    stateOverU2F = Self.usedOverU2F(state)
    credentialID = id ?? []
  }

  private static func usedOverU2F(_ state: VirtualKeyState?) -> VirtualKeyState? {
    let clock = ManualClock()
    let store = MemoryStore(state)
    let port = try? VirtualKeyPort(
      configuration: VirtualKeyConfiguration(profile: .u2f), store: store, clock: clock, random: SeededRandom(seed: 9))
    guard let port else { return nil }
    let session = KeySession(transport: port.transport(), clock: clock, random: SeededRandom(seed: 10))
    defer { session.close() }
    let wait = Wait(deadline: clock.now + .seconds(5))
    let request = MakeCredentialRequest(
      clientDataHash: Digest.sha256([2]), rp: RelyingPartyEntity(id: Wishes.rpID, name: "Bank"),
      user: UserEntity(id: [9], name: "bob"), pubKeyCredParams: [CredentialParameters(algorithm: -7)])
    try? session.open(wait)
    _ = try? session.createU2FCredential(request, excludedUnder: nil, wait)
    return store.load()
  }
}
