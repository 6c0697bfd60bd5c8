internal import CTAP2
internal import CTAPHID
internal import CTAPMessages
internal import FaultJudge
internal import Octets
internal import Timing
internal import VirtualKey
internal import WebAuthnClient

/// Something that a host does with a key, to be done under every fault.
///
/// A new one is one entry in `Ceremony.all`.
struct Ceremony: Sendable {
  /// The name in the counts.
  let name: String
  /// The key: its profile, PIN and habits.
  let key: VirtualKeyConfiguration
  /// What the host is told to do.
  let task: Assignment.Task
  /// What the person types where a PIN is asked for.
  var pin = Keys.thePIN
  /// How long it has.
  var timeout = Duration.seconds(15)
  /// Does it.
  let run: @Sendable (Bench) async -> HostReport.Outcome
}

/// What a ceremony finds on the bench: one key, a clock, and a person.
struct Bench: Sendable {
  let source: any KeySource
  let key: KeyDescription
  let clock: any MonotonicClock
  let random: any RandomSource
  let person: Person
  let timeout: Duration

  /// When the ceremony has to be over.
  var deadline: Instant { clock.now + timeout }

  /// Runs something on the key without a client.
  func session(_ body: (KeySession, Wait) throws(CTAP2Error) -> HostReport.Outcome) -> HostReport.Outcome {
    let wait = Wait(deadline: deadline)
    let transport: any ReportTransport
    do {
      transport = try source.transport(to: key)
    } catch {
      return .failure(HostReport.Failure(CTAP2Error.hid(.transport(error, mayHaveBeenTaken: false))))
    }
    let session = KeySession(transport: transport, clock: clock, random: random)
    defer { session.close() }
    do throws(CTAP2Error) {
      try session.open(wait)
      return try body(session, wait)
    } catch {
      return .failure(HostReport.Failure(error))
    }
  }

  /// Registers with the client.
  func register(_ optionsJSON: String, origin: String) async -> HostReport.Outcome {
    let client = SecurityKeyClient(keySource: source, interaction: person, clock: clock, random: random)
    do throws(WebAuthnError) {
      let response = try await client.register(
        optionsJSON: Array(optionsJSON.utf8), origin: Origin(origin), options: CeremonyOptions(timeout: timeout))
      return .registration(
        HostReport.Response(
          credentialID: response.credentialID, clientDataJSON: response.clientDataJSON,
          attestationObject: response.attestationObject, transports: response.transports))
    } catch {
      return .failure(HostReport.Failure(error))
    }
  }
}

extension Bench {
  /// Signs in with the client.
  func authenticate(_ optionsJSON: String, origin: String) async -> HostReport.Outcome {
    let client = SecurityKeyClient(keySource: source, interaction: person, clock: clock, random: random)
    do throws(WebAuthnError) {
      let response = try await client.authenticate(
        optionsJSON: Array(optionsJSON.utf8), origin: Origin(origin), options: CeremonyOptions(timeout: timeout))
      return .assertion(
        HostReport.Assertion(
          credentialID: response.credentialID, clientDataJSON: response.clientDataJSON,
          authenticatorData: response.authenticatorData.encoded(), signature: response.signature,
          userHandle: response.userHandle))
    } catch {
      return .failure(HostReport.Failure(error))
    }
  }
}

extension CTAP2Error {
  /// The id of a credential that it reports.
  fileprivate var credentialID: [UInt8]? {
    switch self {
    case .createdLate(let response, _), .credentialInvalid(let response, _):
      response.authData.attestedCredential?.credentialID
    default: nil
    }
  }
}

extension HostReport.Failure {
  /// The failure of a command on a session.
  init(_ error: CTAP2Error) {
    let kind =
      if error.mayHaveCreated { "credentialExists" } else if error.isTimeout { "timedOut" } else {
        error.status.map(\.name) ?? "communication"
      }
    self.init(
      kind: kind, text: "\(error)", saysCredentialExists: error.mayHaveCreated, credentialID: error.credentialID)
  }

  /// The failure of a client's ceremony.
  init(_ error: WebAuthnError) {
    self.init(
      kind: "\(error.kind)", text: error.reason, saysCredentialExists: error.kind == .credentialExists,
      credentialID: error.credentialID, isUnnamed: error.kind == .internalFault || error.name == .unknownError)
  }
}
