public import CTAPHID
public import FIDOCrypto
public import Octets
public import Timing

/// Registers credentials on security keys and signs in with them: a WebAuthn client without a browser.
///
/// A client has no state; its ceremonies may run one after another or side by side on different keys.
public struct SecurityKeyClient: Sendable {
  let keySource: any KeySource
  let interaction: any UserInteraction
  let extensions: [any ClientExtension]
  let policy: AuthenticatorPolicy
  let clock: any MonotonicClock
  let random: any RandomSource
  /// How registrations are planned; tests take rules out of it.
  var planner = KeyPlanner()

  /// Creates a client.
  ///
  /// - Parameters:
  ///   - keySource: where keys come from.
  ///   - interaction: who is told and asked; nobody by default.
  ///   - extensions: the extensions, whose outputs come in this order; the standard ones by default.
  ///   - policy: what is known and allowed about models of keys.
  ///   - clock: the time.
  ///   - random: the source of randomness for channels and key agreement.
  public init(
    keySource: any KeySource, interaction: any UserInteraction = NoInteraction(),
    extensions: [any ClientExtension] = StandardExtensions.all,
    policy: AuthenticatorPolicy = AuthenticatorPolicy(), clock: any MonotonicClock = SystemClock(),
    random: any RandomSource = SystemRandom()
  ) {
    self.keySource = keySource
    self.interaction = interaction
    self.extensions = extensions
    self.policy = policy
    self.clock = clock
    self.random = random
  }

  /// Registers a credential for a request in JSON (WebAuthn L3 §5.1.3, §5.1.9).
  ///
  /// - Parameters:
  ///   - optionsJSON: `PublicKeyCredentialCreationOptionsJSON` in UTF-8, bare or in an envelope.
  ///   - origin: where the request comes from, which the caller vouches for.
  ///   - options: how the ceremony is to run.
  /// - Throws: An error with its WebAuthn name and a reason for people; see `WebAuthnError.Kind`. Cancelling the task
  ///   cancels on every key.
  public func register(
    optionsJSON: [UInt8], origin: Origin, options: CeremonyOptions = CeremonyOptions()
  ) async throws(WebAuthnError) -> RegistrationResponse {
    try await register(CreationOptions(parsing: optionsJSON), origin: origin, options: options)
  }

  /// Registers a credential for a request that has been read (WebAuthn L3 §5.1.3).
  ///
  /// - Parameters:
  ///   - creation: the request.
  ///   - origin: where the request comes from, which the caller vouches for.
  ///   - options: how the ceremony is to run.
  /// - Throws: As `register(optionsJSON:origin:options:)`.
  public func register(
    _ creation: CreationOptions, origin: Origin, options: CeremonyOptions = CeremonyOptions()
  ) async throws(WebAuthnError) -> RegistrationResponse {
    let cancellation = CeremonyCancellation()
    let call = CeremonyCall(origin: origin, options: options, cancellation: cancellation)
    let ceremony = try RegistrationCeremony(creation, call, client: self)
    return try await cancellable(cancellation) { () throws(WebAuthnError) in try await ceremony.run() }
  }

  /// Signs in for a request in JSON (WebAuthn L3 §5.1.4, §5.1.10).
  ///
  /// - Parameters:
  ///   - optionsJSON: `PublicKeyCredentialRequestOptionsJSON` in UTF-8, bare or in an envelope.
  ///   - origin: where the request comes from, which the caller vouches for.
  ///   - options: how the ceremony is to run.
  /// - Throws: An error with its WebAuthn name and a reason for people; see `WebAuthnError.Kind`. Cancelling the task
  ///   cancels on every key. Whatever went wrong, trying again does no harm, but for `changeUncertain`: then a large blob
  ///   may have been written.
  public func authenticate(
    optionsJSON: [UInt8], origin: Origin, options: CeremonyOptions = CeremonyOptions()
  ) async throws(WebAuthnError) -> AuthenticationResponse {
    try await authenticate(AuthenticationOptions(parsing: optionsJSON), origin: origin, options: options)
  }

  /// Signs in for a request that has been read (WebAuthn L3 §5.1.4).
  ///
  /// - Parameters:
  ///   - request: the request.
  ///   - origin: where the request comes from, which the caller vouches for.
  ///   - options: how the ceremony is to run.
  /// - Throws: As `authenticate(optionsJSON:origin:options:)`.
  public func authenticate(
    _ request: AuthenticationOptions, origin: Origin, options: CeremonyOptions = CeremonyOptions()
  ) async throws(WebAuthnError) -> AuthenticationResponse {
    let cancellation = CeremonyCancellation()
    let call = CeremonyCall(origin: origin, options: options, cancellation: cancellation)
    let ceremony = try AuthenticationCeremony(request, call, client: self)
    return try await cancellable(cancellation) { () throws(WebAuthnError) in try await ceremony.run() }
  }

  func cancellable<Response: Sendable>(
    _ cancellation: CeremonyCancellation, _ run: () async throws(WebAuthnError) -> Response
  ) async throws(WebAuthnError) -> Response {
    let result = await withTaskCancellationHandler {
      do throws(WebAuthnError) {
        return Result<Response, WebAuthnError>.success(try await run())
      } catch {
        return .failure(error)
      }
    } onCancel: {
      cancellation.cancel()
    }
    return try result.get()
  }
}
