internal import BridgeTestSupport
internal import CTAP2
internal import CTAPHID
internal import CTAPMessages
internal import FIDOCrypto
internal import FaultJudge
internal import Timing
internal import VirtualKey

/// A key that has three discoverable credentials: two at the bank and one at a shop.
struct Accounts: Sendable {
  let state: VirtualKeyState?
  /// The bank's, the newest last.
  let bank: [KnownCredential]

  /// The name of the account at the bank that the person means; it is the older one, which keys name last.
  static let chosenName = "carol"

  static let shared = Accounts()

  private init() {
    let clock = ManualClock()
    let store = MemoryStore(UsedKey.shared.state)
    var made: [KnownCredential] = []
    if let port = try? VirtualKeyPort(store: store, clock: clock, random: SeededRandom(seed: 31)) {
      let session = KeySession(transport: port.transport(), clock: clock, random: SeededRandom(seed: 32))
      let wait = Wait(deadline: clock.now + .seconds(5))
      try? session.open(wait)
      for (number, (site, name)) in [
        ("shop.example", "carol at the shop"), (Wishes.rpID, Self.chosenName), (Wishes.rpID, "dave"),
      ].enumerated() {
        let user = UserEntity(id: [40, UInt8(number)], name: name, displayName: name)
        let request = MakeCredentialRequest(
          clientDataHash: Digest.sha256([UInt8(number)]), rp: RelyingPartyEntity(id: site, name: "A site"), user: user,
          pubKeyCredParams: [CredentialParameters(algorithm: -7)], options: RequestOptions(rk: true))
        let answer = try? session.makeCredential(request, token: nil, wait)
        guard let credential = answer?.authData.attestedCredential, site == Wishes.rpID else { continue }
        if let known = KnownCredential(credential, userHandle: user.id) { made.append(known) }
      }
      session.close()
    }
    state = store.load()
    bank = made
  }

  /// The one that is meant.
  var chosen: [UInt8] { bank.first?.id ?? [] }
}
