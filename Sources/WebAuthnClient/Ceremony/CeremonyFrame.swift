internal import Timing

/// What a ceremony of either kind begins with.
struct CeremonyFrame: Sendable {
  let client: SecurityKeyClient
  let options: CeremonyOptions
  let limit: CeremonyLimit
  let relyingPartyID: String
  let origin: Origin
  let clientData: ClientData

  /// Settles what the two kinds have in common.
  ///
  /// - Parameters:
  ///   - kind: the kind.
  ///   - client: who carries it out.
  ///   - call: the caller's part: where the request comes from, how it is to run, what ends it.
  ///   - relyingPartyID: the RP ID of the request, if it has one.
  ///   - challenge: the challenge of the request.
  ///   - timeout: the time that the request asks for.
  /// - Throws: `SecurityError` where the origin may not use the RP ID.
  init(
    _ kind: ClientData.Ceremony, of client: SecurityKeyClient, _ call: CeremonyCall, relyingPartyID: String?,
    challenge: [UInt8], timeout: Duration?
  ) throws(WebAuthnError) {
    self.client = client
    options = call.options
    origin = call.origin
    self.relyingPartyID = try RelyingPartyID.resolve(relyingPartyID, origin: call.origin)
    let timeout = call.options.timeout ?? CeremonyTimeout.clamped(timeout)
    limit = CeremonyLimit(
      clock: client.clock, deadline: client.clock.now + timeout, cancellation: call.cancellation,
      kind: kind == .create ? .registration : .signIn)
    clientData = ClientData(ceremony: kind, challenge: challenge, origin: call.origin.serialized)
  }

  /// Where the extensions read their parts of the request.
  var door: ExtensionDoor { ExtensionDoor(client.extensions, strict: options.strictExtensions) }

  /// Tells the user something that does not end the ceremony.
  func warn(_ warning: String) { client.interaction.notify(.warning(warning)) }
}

/// What the caller of a ceremony gives beside the request.
struct CeremonyCall: Sendable {
  let origin: Origin
  let options: CeremonyOptions
  let cancellation: CeremonyCancellation
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
