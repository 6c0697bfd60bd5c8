import BridgeTestSupport
import CBOR
import CTAPHID
import CTAPMessages
import Octets
import Timing
import VirtualKey

@testable import WebAuthnClient

/// One key, on which registrations are carried out and watched.
struct RulesBench: Sendable {
  let port: VirtualKeyPort
  let wire = RulesWire()
  private let clock: any MonotonicClock
  private let source: TappedSource

  /// A bench for a key as it is configured, on a clock that stands still.
  init(_ configuration: VirtualKeyConfiguration) throws {
    let clock = ManualClock()
    port = try VirtualKeyPort(configuration: configuration, clock: clock, random: SeededRandom())
    self.clock = clock
    source = TappedSource(source: VirtualKeySource(port), wire: wire)
  }

  /// What came of a registration, by the names of the outcomes in the file of rules.
  struct Observation: Sendable {
    var outcome: [String: RuleValue] = [:]
    var exchange: [String] = []
    /// How many requests the key itself counted.
    var transactions = 0
    var credentialID: [UInt8]?
    var reason = ""
  }

  private struct User: UserInteraction {
    let pin: String?
    var isAttended: Bool { false }

    func requestPIN(_ request: PINRequest) async throws(UserCancelled) -> SecretBytes? {
      pin.map { SecretBytes(Array($0.utf8)) }
    }
  }

  /// Carries out a registration and looks at it from the key's side.
  func register(
    _ request: String, pin: String?, allowsEnterprise: Bool = false, u2f: U2FUse = .automatic,
    planner: KeyPlanner = KeyPlanner()
  ) async throws -> Observation {
    wire.clear()
    port.clearLog()
    var policy = AuthenticatorPolicy()
    if allowsEnterprise { policy.enterpriseAttestation = ["example.org": .platformManaged] }
    var client = SecurityKeyClient(
      keySource: source, interaction: User(pin: pin), policy: policy, clock: clock, random: SeededRandom(seed: 2))
    client.planner = planner
    var seen = Observation()
    do throws(WebAuthnError) {
      let response = try await client.register(
        optionsJSON: Array(request.utf8), origin: try Origin("https://example.org"),
        options: CeremonyOptions(key: .named("virtual"), u2f: u2f))
      seen.credentialID = response.credentialID
      seen.outcome["error"] = .text("none")
      seen.outcome["kind"] = .text("none")
      seen.outcome["format"] = .text(response.attestation.fmt)
      seen.outcome["verifiedFlag"] = .flag(
        response.attestation.authData.flags.contains(AuthenticatorData.Flags.userVerified))
      seen.outcome["algorithm"] = .number(response.publicKeyAlgorithm)
    } catch {
      seen.outcome["error"] = .text(error.name.rawValue)
      seen.outcome["kind"] = .text("\(error.kind)")
      seen.reason = error.reason
    }
    look(&seen)
    return seen
  }

  /// Reads from the wire what was asked of the key.
  private func look(_ seen: inout Observation) {
    let messages = wire.messages()
    seen.transactions = port.log.count { entry in
      // A command that the key does not know is a round trip too, although it takes none.
      if case .refused(.invalidCommand, _) = entry.event { true } else { entry.event.isTransaction }
    }
    seen.exchange = messages.map(\.name)
    let token = messages.last { $0.name.contains("oken") }?.parameters
    let permissions = [(1, "mc"), (2, "ga")].filter { (token?[9]?.intValue ?? 0) & $0.0 != 0 }.map(\.1)
    seen.outcome["permissions"] = .text(permissions.isEmpty ? "none" : permissions.joined(separator: " "))
    seen.outcome["tokenIsFor"] = .text(token?[10]?.textValue ?? "nobody")
    for option in ["rk", "uv", "pinUvAuthParam"] { seen.outcome[option] = .flag(false) }
    for number in ["pinUvAuthProtocol", "enterpriseAttestation"] { seen.outcome[number] = .number(0) }
    seen.outcome["attestationFormatsPreference"] = .text("none sent")
    guard let creation = messages.last(where: { $0.name == "makeCredential" })?.parameters else { return }
    seen.outcome["rk"] = .flag(creation[7]?.mapValue?["rk"]?.boolValue ?? false)
    seen.outcome["uv"] = .flag(creation[7]?.mapValue?["uv"]?.boolValue ?? false)
    seen.outcome["pinUvAuthParam"] = .flag(creation[8]?.bytesValue?.isEmpty == false)
    seen.outcome["pinUvAuthProtocol"] = .number(creation[9]?.intValue ?? 0)
    seen.outcome["enterpriseAttestation"] = .number(creation[0x0a]?.intValue ?? 0)
    let formats = creation[0x0b]?.arrayValue?.compactMap(\.textValue)
    seen.outcome["attestationFormatsPreference"] = .text(formats?.joined(separator: ", ") ?? "none sent")
  }
}
