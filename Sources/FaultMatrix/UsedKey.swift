internal import BridgeTestSupport
internal import CTAP2
internal import CTAPHID
internal import CTAPMessages
internal import FIDOCrypto
internal import FaultJudge
internal import Octets
internal import Timing
internal import VirtualKey

/// The state of a key that has been used once, so that its attestation exists before any run; and what it made then.
struct UsedKey: Sendable {
  let state: VirtualKeyState?
  /// The same key after it has been used over U2F alone, for which it has another attestation.
  let stateOverU2F: VirtualKeyState?
  let credentialID: [UInt8]
  /// A large blob that is to be written beside those of two credentials, which the key has.
  let largeBlob: Assignment.LargeBlobWrite

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
      for number: UInt8 in [1, 2] {
        guard let cipher = try? LargeBlobCipher(key: SecretBytes([UInt8](repeating: number, count: 32))) else {
          continue
        }
        _ = try? session.setLargeBlob([UInt8](repeating: number, count: 40), under: cipher, nil, wait)
      }
      session.close()
    }
    let arrays = port?.log.compactMap { if case .largeBlobsWritten(let array) = $0.event { array } else { nil } }
    // Nothing that compression could make much of, so that it takes several parts.
    let data = (0..<150).map { UInt8(truncatingIfNeeded: $0 * $0 * 7 + $0 / 3) }
    largeBlob = Assignment.LargeBlobWrite(
      before: arrays?.last ?? [], key: [UInt8](repeating: 3, count: 32), data: data)
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
