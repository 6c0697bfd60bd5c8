internal import CTAP2
internal import CTAPHID
internal import CTAPMessages
internal import FaultJudge
internal import WebAuthnClient

extension Bench {
  /// Registers with the client.
  func register(_ optionsJSON: String, origin: String) async -> HostReport.Outcome {
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

  /// Signs in with the client.
  func authenticate(_ optionsJSON: String, origin: String) async -> HostReport.Outcome {
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

  /// Looks after the key with the client.
  func manage(
    _ work: (ManagedKey) async throws(WebAuthnError) -> HostReport.Outcome
  ) async -> HostReport.Outcome {
    do throws(WebAuthnError) {
      return try await client.manage(options: CeremonyOptions(timeout: timeout), work)
    } catch {
      return .failure(HostReport.Failure(error))
    }
  }

  private var client: SecurityKeyClient {
    SecurityKeyClient(keySource: source, interaction: person, clock: clock, random: random)
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
      credentialID: error.credentialID, saysChangeUncertain: error.kind == .changeUncertain,
      isUnnamed: error.kind == .internalFault || error.name == .unknownError)
  }
}
