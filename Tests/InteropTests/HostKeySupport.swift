import BridgeTestSupport
import CTAP2
import CTAPHID
import CTAPMessages
import FIDOCrypto
import Octets
import Timing
import VirtualKey

/// The host session with a virtual key at the other end of it, both on a clock that waits turn.
struct HostAndKey {
  static let rpID = "example.org"
  static let hash = Digest.sha256(Array("client data".utf8))

  let clock = ManualClock()
  let port: VirtualKeyPort
  let session: KeySession

  init(
    presence: PresencePolicy = .auto, pin: String? = nil, verification: VerificationPolicy = .succeeds,
    attestation: AttestationPolicy = .packed, faults: [Fault] = [], timeout: TouchTimeout = TouchTimeout(),
    _ change: (inout GetInfoResponse) -> Void = { _ in }
  ) throws {
    var configuration = VirtualKeyConfiguration(
      presence: presence, verification: verification, attestation: attestation,
      pin: pin.map { SecretBytes(Array($0.utf8)) }, faults: FaultPlan(faults))
    configuration.touchTimeout = timeout
    if pin != nil { configuration.profile.info.options?["clientPin"] = true }
    change(&configuration.profile.info)
    port = try VirtualKeyPort(configuration: configuration, clock: clock, random: SeededRandom(seed: 5))
    session = KeySession(transport: port.transport(), clock: clock, random: SeededRandom(seed: 6))
  }

  /// The same, with the session opened.
  func opened() throws -> HostAndKey {
    try session.open(wait())
    return self
  }

  func wait(_ duration: Duration = .seconds(60), _ cancellation: Cancellation = Cancellation()) -> Wait {
    Wait(deadline: clock.now + duration, cancellation: cancellation)
  }

  static func request(
    exclude: [[UInt8]] = [], rk: Bool? = nil, uv: Bool? = nil, algorithm: Int = -7
  ) -> MakeCredentialRequest {
    MakeCredentialRequest(
      clientDataHash: hash, rp: RelyingPartyEntity(id: rpID, name: "Example"),
      user: UserEntity(id: [1, 2, 3], name: "alice", displayName: "Alice"),
      pubKeyCredParams: [CredentialParameters(algorithm: algorithm)],
      excludeList: exclude.map { CredentialDescriptor(id: $0, transports: ["usb"]) },
      options: RequestOptions(rk: rk, uv: uv))
  }

  func create(
    _ request: MakeCredentialRequest = request(), token: PINUVAuthToken? = nil
  ) throws -> CreatedCredential {
    try session.createCredential(request, token: token, wait())
  }

  func token(_ pin: String, _ permissions: PINUVAuthPermissions = .makeCredential) throws -> PINUVAuthToken {
    try session.token(
      pin: SecretBytes(Array(pin.utf8)), permissions: permissions, rpID: Self.rpID, wait())
  }

  /// What the key counted as round trips.
  var transactions: Int { port.log.count { $0.event.isTransaction } }

  /// The command bytes that the key took, in order.
  var commands: [UInt8] {
    port.log.compactMap { if case .command(let command, _, _) = $0.event { command } else { nil } }
  }

  /// The credentials that the key made.
  var made: [[UInt8]] {
    port.log.compactMap { if case .credentialMade(_, let id, _) = $0.event { id } else { nil } }
  }

  /// How often a PIN was compared.
  var pinTries: Int {
    port.log.count { if case .pinTry = $0.event { true } else { false } }
  }
}

extension CreatedCredential {
  var id: [UInt8] { response.authData.attestedCredential?.credentialID ?? [] }
}
