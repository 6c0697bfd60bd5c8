public import CTAPMessages
public import JSONText

/// What a relying party asks of an authentication: `PublicKeyCredentialRequestOptions` (WebAuthn L3 §5.5).
public struct AuthenticationOptions: Sendable {
  /// `challenge`, decoded.
  public var challenge: [UInt8]
  /// `timeout`, as it was asked for.
  public var timeout: Duration?
  /// `rpId`; the origin's domain where it is absent.
  public var relyingPartyID: String?
  /// `allowCredentials` whose type is known; nil where the list is absent or empty, so that any discoverable credential
  /// may answer, and empty where the list names none that could.
  public var allowedCredentials: [CredentialDescriptor]?
  /// `userVerification`.
  public var userVerification: UserVerificationRequirement
  /// The known values of `hints`, in order, each once.
  public var hints: [CredentialHint]
  /// `extensions`, an object where present.
  public var extensions: JSONValue?
}

extension AuthenticationOptions {
  /// Reads `PublicKeyCredentialRequestOptionsJSON`, bare or in one of the envelopes that servers use (WebAuthn L3 §5.1.10).
  /// - Throws: An error whose reason names the member by its path, what was found and what was expected.
  public init(parsing bytes: [UInt8]) throws(WebAuthnError) {
    try self.init(OptionsEnvelope.options(in: bytes))
  }

  init(_ json: JSONValue) throws(WebAuthnError) {
    let object = try json.asObject()
    challenge = try object.bytes("challenge")
    timeout = try object.timeout()
    relyingPartyID = try object.optionalString("rpId")
    let allowed = try object.descriptors("allowCredentials")
    allowedCredentials = try object.optionalElements("allowCredentials").isEmpty ? nil : allowed
    userVerification = try object.enumeration("userVerification", UserVerificationRequirement.self) ?? .preferred
    hints = try object.hints()
    extensions = try object.extensions()
  }
}
