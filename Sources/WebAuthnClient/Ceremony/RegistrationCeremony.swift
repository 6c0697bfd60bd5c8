internal import CTAPHID
internal import FIDOCrypto
internal import JSONText
internal import Octets
internal import Timing

/// One registration, from the request that was read to the response (WebAuthn L3 §5.1.3).
///
/// Check the request; choose the key; let the extensions prepare, which asks for the name; ask for the PIN; get the token;
/// makeCredential at once; check the answer; compute the extension results. Nothing that waits for a person comes
/// between a token and its use.
struct RegistrationCeremony: Sendable {
  let client: SecurityKeyClient
  let request: RegistrationRequest
  let options: CeremonyOptions
  let limit: CeremonyLimit
  let wishes: KeyWishes
  let clientData: ClientData
  var works: [any RegistrationExtension]

  var user: any UserInteraction { client.interaction }

  init(
    client: SecurityKeyClient, creation: CreationOptions, origin: Origin, options: CeremonyOptions,
    cancellation: CeremonyCancellation
  ) throws(WebAuthnError) {
    self.client = client
    self.options = options
    let relyingPartyID = try RelyingPartyID.resolve(creation.relyingPartyID, origin: origin)
    request = RegistrationRequest(
      options: creation, relyingPartyID: relyingPartyID, origin: origin, policy: client.policy)
    let timeout = options.timeout ?? CeremonyTimeout.clamped(creation.timeout)
    limit = CeremonyLimit(
      clock: client.clock, deadline: client.clock.now + timeout, cancellation: cancellation)
    wishes = KeyWishes(creation, relyingPartyID: relyingPartyID, policy: client.policy)
    clientData = ClientData(ceremony: .create, challenge: creation.challenge, origin: origin.serialized)
    works = try ExtensionDoor(client.extensions, strict: options.strictExtensions)
      .open(request) { [user = client.interaction] warning in user.notify(.warning(warning)) }
  }

  /// Runs the ceremony.
  func run() async throws(WebAuthnError) -> RegistrationResponse {
    try checkThatAnyKeyCouldServe()
    let finder = KeyFinder(ceremony: self)
    let result: Result<RegistrationResponse, WebAuthnError>
    do throws(WebAuthnError) {
      let candidate = try await finder.find()
      user.notify(.keySelected(candidate.authenticator))
      result = await register(on: candidate)
      await candidate.handle.close()
    } catch {
      result = .failure(error)
    }
    await finder.finish()
    return try result.get()
  }

  private func register(on candidate: KeyCandidate) async -> Result<RegistrationResponse, WebAuthnError> {
    do throws(WebAuthnError) {
      let works = try await prepared(for: candidate.authenticator)
      var maker = CredentialMaker(ceremony: self, candidate: candidate, works: works)
      let creation = try await maker.make()
      return .success(try ResponseBuilder(ceremony: self, candidate: candidate, works: works).response(creation))
    } catch {
      return .failure(error)
    }
  }

  /// Ends at once where waiting for a key would be in vain.
  private func checkThatAnyKeyCouldServe() throws(WebAuthnError) {
    if !wishes.allowsSecurityKeys {
      throw WebAuthnError(
        .notAllowedError, .noSuitableKey,
        "The request wants an authenticator that is built into the device; a security key is not one.")
    }
    for work in works {
      if let objection = work.objectionToEveryKey() {
        throw WebAuthnError(.notAllowedError, .noSuitableKey, objection)
      }
    }
  }

  private func prepared(
    for authenticator: AuthenticatorInfo
  ) async throws(WebAuthnError) -> [any RegistrationExtension] {
    var prepared: [any RegistrationExtension] = []
    let user = user
    for work in works {
      prepared.append(
        try await limit.run { () async throws(WebAuthnError) in
          var work = work
          try await work.prepare(for: authenticator, asking: user)
          return work
        })
    }
    return prepared
  }
}

/// The time for a ceremony (WebAuthn L3 §5.1.3 and §16, recommended range).
enum CeremonyTimeout {
  static let range = Duration.seconds(300)...Duration.seconds(600)
  static let standard = Duration.seconds(300)

  /// The request's time moved into the range; the standard where it has none.
  static func clamped(_ requested: Duration?) -> Duration {
    guard let requested else { return standard }
    return min(max(requested, range.lowerBound), range.upperBound)
  }
}
