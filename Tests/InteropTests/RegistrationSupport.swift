import BridgeTestSupport
import CTAPHID
import CTAPMessages
import JSONText
import Octets
import Synchronization
import Testing
import ThalesExtensions
import Timing
import VirtualKey
import WebAuthnClient

/// A virtual key on a clock of its own, a person, and a client between them.
struct Desk {
  let clock: any MonotonicClock
  let source = VirtualKeySource()
  let person: Person
  var policy = AuthenticatorPolicy()
  var options = CeremonyOptions()
  /// What is wrong with every key, where something is.
  var oddity: Oddity?
  /// What is written to every key, where a test wants to see it.
  var wire: RulesWire?
  var extensions: [any ClientExtension] = StandardExtensions.all + ThalesClientExtensions.all

  init(_ person: Person = Person(), clock: any MonotonicClock = ManualClock()) {
    self.person = person
    self.clock = clock
  }

  /// Makes a key, plugged in unless it is to come later.
  @discardableResult
  func key(
    _ id: String = "virtual", _ configuration: VirtualKeyConfiguration = VirtualKeyConfiguration(),
    plugged: Bool = true, seed: UInt64 = 7
  ) throws -> VirtualKeyPort {
    let port = try VirtualKeyPort(configuration: configuration, clock: clock, random: SeededRandom(seed: seed))
    if plugged { source.plug(port, id: id) }
    return port
  }

  var keys: any KeySource {
    if let wire { return TappedSource(source: source, wire: wire) }
    return oddity.map { OddSource(source: source, clock: clock, oddity: $0) } ?? source
  }

  func register(_ request: String, origin: String = "https://example.org") async throws -> RegistrationResponse {
    let client = SecurityKeyClient(
      keySource: keys, interaction: person, extensions: extensions, policy: policy, clock: clock,
      random: SeededRandom(seed: 11))
    return try await client.register(optionsJSON: Array(request.utf8), origin: try Origin(origin), options: options)
  }

  /// The error that a registration ends with.
  func failure(_ request: String = request(), origin: String = "https://example.org") async throws -> WebAuthnError {
    do {
      _ = try await register(request, origin: origin)
    } catch let error as WebAuthnError {
      return error
    }
    Issue.record("the registration succeeded")
    throw WebAuthnError(.unknownError, .internalFault, "")
  }
}

/// Somebody at the desk, who does what a test says.
final class Person: UserInteraction {
  struct State: Sendable {
    var heard: [String] = []
    var pins: [String?] = []
    var questions: [PINRequest] = []
  }

  private let state: Mutex<State>
  let isAttended: Bool
  /// Told of each event, by its short name, on the thread that it comes from.
  let onEvent: @Sendable (String) -> Void
  let name: @Sendable (AuthenticatorInfo) async throws(UserCancelled) -> AuthenticatorDescriptor?
  let account: @Sendable (AccountRequest) async throws(UserCancelled) -> Account?

  init(
    attended: Bool = true, pins: [String?] = [], onEvent: @escaping @Sendable (String) -> Void = { _ in },
    name: @escaping @Sendable (AuthenticatorInfo) async throws(UserCancelled) -> AuthenticatorDescriptor? = { _ in
      AuthenticatorDescriptor(friendlyName: "Desk")
    },
    account: @escaping @Sendable (AccountRequest) async throws(UserCancelled) -> Account? = { $0.accounts.first }
  ) {
    isAttended = attended
    state = Mutex(State(pins: pins))
    self.onEvent = onEvent
    self.name = name
    self.account = account
  }

  /// What happened at the desk, in order.
  var heard: [String] { state.withLock { $0.heard } }
  var questions: [PINRequest] { state.withLock { $0.questions } }

  private func hear(_ text: String) {
    state.withLock { $0.heard.append(text) }
    onEvent(text)
  }

  func notify(_ event: CeremonyEvent) {
    switch event {
    case .keyFound(let info): hear("found \(info.key.id)")
    case .keySkipped(let key, let reason): hear("skipped \(key.id): \(reason)")
    case .keyRemoved(let key): hear("removed \(key.id)")
    case .waitingForKey: hear("waiting")
    case .touchToSelect(let keys): hear("touch one of " + keys.map(\.id).sorted().joined(separator: ","))
    case .keySelected(let info): hear("selected \(info.key.id)")
    case .touchNeeded(let info): hear("touch \(info.key.id)")
    case .verificationNeeded: hear("verify")
    case .working: break
    case .fingerNeeded: hear("finger")
    case .fingerSampled(_, let status, let left): hear("sample \(status.rawValue), \(left) left")
    case .replugNeeded(let info, _): hear("replug \(info.key.id)")
    case .progress(_, let done, let total): hear("\(done) of \(total)")
    case .warning(let text): hear("warning: \(text)")
    }
  }

  func requestPIN(_ request: PINRequest) async throws(UserCancelled) -> SecretBytes? {
    hear("PIN")
    let answer = state.withLock { state -> String?? in
      state.questions.append(request)
      return state.pins.isEmpty ? .none : .some(state.pins.removeFirst())
    }
    guard let answer else { throw UserCancelled() }
    return answer.map { SecretBytes(Array($0.utf8)) }
  }

  func retrieveAuthenticatorDescription(
    _ authenticator: AuthenticatorInfo
  ) async throws(UserCancelled) -> AuthenticatorDescriptor? {
    hear("name")
    return try await name(authenticator)
  }

  func chooseAccount(_ request: AccountRequest) async throws(UserCancelled) -> Account? {
    hear("account")
    return try await account(request)
  }
}

/// A request that is complete and small.
func request(
  params: String = #"[{"type":"public-key","alg":-7}]"#, residentKey: String = "discouraged",
  verification: String = "discouraged", attestation: String = "direct", extensions: String = "{}", more: String = ""
) -> String {
  #"""
  {"rp":{"id":"example.org","name":"Example"},"user":{"id":"AQIDBA","name":"alice","displayName":"Alice"},
  "challenge":"AAECAwQFBgcICQoLDA0ODw","pubKeyCredParams":\#(params),
  "authenticatorSelection":{"residentKey":"\#(residentKey)","userVerification":"\#(verification)"},
  "attestation":"\#(attestation)","extensions":\#(extensions)\#(more.isEmpty ? "" : ",")\#(more)}
  """#
}

extension VirtualKeyConfiguration {
  /// A key with changes to what it says of itself.
  static func with(
    pin: String? = nil, presence: PresencePolicy = .auto, faults: [Fault] = [], backup: BackupPolicy = .none,
    _ edit: (inout GetInfoResponse) -> Void = { _ in }
  ) -> VirtualKeyConfiguration {
    var profile = VirtualKeyProfile.standard
    edit(&profile.info)
    return VirtualKeyConfiguration(
      profile: profile, presence: presence, backup: backup, pin: pin.map { SecretBytes(Array($0.utf8)) },
      faults: FaultPlan(faults))
  }
}

extension VirtualKeyPort {
  /// The CTAP commands that the key was given.
  var commands: [CTAPCommand?] {
    log.compactMap { if case .command(let byte, _, _) = $0.event { CTAPCommand(rawValue: byte) } else { nil } }
  }

  var transactions: Int { log.filter(\.event.isTransaction).count }

  /// The identifiers of the credentials that the key made.
  var credentials: [[UInt8]] {
    log.compactMap { if case .credentialMade(_, let id, _) = $0.event { id } else { nil } }
  }

  func count(_ isCounted: (VirtualKeyEvent) -> Bool) -> Int { log.filter { isCounted($0.event) }.count }
}

extension RegistrationResponse {
  /// The response as a relying party reads it.
  var parsed: JSONValue {
    get throws { try JSONDocument(parsing: json()).root }
  }

  /// `clientExtensionResults` as text.
  var results: String {
    get throws { String(decoding: try #require(try parsed["clientExtensionResults"]).source, as: UTF8.self) }
  }
}
