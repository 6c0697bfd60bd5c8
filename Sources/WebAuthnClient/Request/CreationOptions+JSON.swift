internal import CTAPMessages
internal import JSONText

extension CreationOptions {
  /// Reads `PublicKeyCredentialCreationOptionsJSON`, bare or in one of the envelopes that servers use (WebAuthn L3 §5.1.9).
  /// - Throws: An error whose reason names the member by its path, what was found and what was expected.
  public init(parsing bytes: [UInt8]) throws(WebAuthnError) {
    try self.init(OptionsEnvelope.options(in: bytes))
  }

  init(_ json: JSONValue) throws(WebAuthnError) {
    let object = try json.asObject()
    let relyingParty = try object.required("rp", "an object").asObject()
    relyingPartyID = try relyingParty.optionalString("id")
    relyingPartyName = try relyingParty.string("name")
    let user = try object.required("user", "an object").asObject()
    userID = try user.bytes("id")
    guard (1...64).contains(userID.count) else {
      throw WebAuthnError(
        .typeError, .badRequest, "\(user.object.path).id has \(userID.count) bytes; expected 1 to 64.")
    }
    userName = try user.string("name")
    userDisplayName = try user.string("displayName")
    challenge = try object.bytes("challenge")
    algorithms = try Self.algorithms(object.elements("pubKeyCredParams"))
    timeout = try object.timeout()
    excludedCredentials = try object.descriptors("excludeCredentials")
    let selection = try object.optional("authenticatorSelection")?.asObject()
    attachment = try selection?.enumeration("authenticatorAttachment", AuthenticatorAttachment.self)
    let required = try selection?.optionalBool("requireResidentKey") ?? false
    residentKey =
      try selection?.enumeration("residentKey", ResidentKeyRequirement.self) ?? (required ? .required : .discouraged)
    userVerification =
      try selection?.enumeration("userVerification", UserVerificationRequirement.self) ?? .preferred
    hints = try object.hints()
    attestation = try object.enumeration("attestation", AttestationPreference.self) ?? .none
    attestationFormats = []
    for format in try object.optionalElements("attestationFormats") { attestationFormats.append(try format.asString()) }
    // An attestation that nobody wants to see need not be made (WebAuthn L3 §5.1.3).
    if attestation == .none { attestationFormats = ["none"] }
    extensions = try object.extensions()
  }

  /// Entries of an unknown type are skipped; an empty list stands for ES256 and RS256.
  private static func algorithms(_ elements: [JSONValue]) throws(WebAuthnError) -> [Int] {
    if elements.isEmpty { return [-7, -257] }
    var algorithms: [Int] = []
    for element in elements {
      let entry = try element.asObject()
      let type = try entry.string("type")
      let value = try entry.required("alg", "an integer")
      guard let number = value.integerValue else { throw value.wrong(expected: "an integer") }
      if type == "public-key" && !algorithms.contains(number) { algorithms.append(number) }
    }
    guard !algorithms.isEmpty else {
      throw WebAuthnError(
        .notSupportedError, .badRequest,
        "pubKeyCredParams has no entry of a type that is known; expected at least one of type \"public-key\".")
    }
    return algorithms
  }
}
