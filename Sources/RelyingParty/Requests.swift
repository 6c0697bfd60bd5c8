internal import JSONText

/// What a relying party asked for at a registration, as far as its response must fit.
public struct RegistrationRequest: Hashable, Sendable {
  /// The challenge.
  public var challenge: [UInt8]
  /// The RP ID, where the request names it.
  public var relyingPartyID: String?
  /// The user handle.
  public var userID: [UInt8]
  /// The COSE numbers of the algorithms that are offered.
  public var algorithms: [Int]
  /// Whether the user must be verified.
  public var requiresUserVerification: Bool

  /// Creates a request.
  public init(
    challenge: [UInt8], relyingPartyID: String?, userID: [UInt8], algorithms: [Int], requiresUserVerification: Bool
  ) {
    self.challenge = challenge
    self.relyingPartyID = relyingPartyID
    self.userID = userID
    self.algorithms = algorithms
    self.requiresUserVerification = requiresUserVerification
  }

  /// Reads `PublicKeyCredentialCreationOptionsJSON`, bare or inside `publicKey` or `fido2`.
  public init(parsing bytes: [UInt8]) throws(UnreadableInput) {
    let options = try JSONValue.options(bytes)
    challenge = try options.octets("challenge")
    relyingPartyID = try options.required("rp").optionalText("id")
    userID = try options.required("user").octets("id")
    var offered: [Int] = []
    for entry in try options.list("pubKeyCredParams") {
      guard entry["type"]?.stringValue == "public-key", let number = entry["alg"]?.integerValue else { continue }
      offered.append(number)
    }
    // An empty list stands for ES256 and RS256 (WebAuthn L3 §5.1.3).
    algorithms = offered.isEmpty ? [-7, -257] : offered
    let selection = options.optional("authenticatorSelection")
    requiresUserVerification = try selection?.optionalText("userVerification") == "required"
  }
}

/// What a relying party asked for at a sign-in, as far as its response must fit.
public struct AuthenticationRequest: Hashable, Sendable {
  /// The challenge.
  public var challenge: [UInt8]
  /// The RP ID, where the request names it.
  public var relyingPartyID: String?
  /// The identifiers of the credentials that may sign; empty where any may.
  public var allowedCredentials: [[UInt8]]
  /// Whether the user must be verified.
  public var requiresUserVerification: Bool
  /// The `appid` extension's input, for credentials from before WebAuthn.
  public var applicationID: String?

  /// Creates a request.
  public init(
    challenge: [UInt8], relyingPartyID: String?, allowedCredentials: [[UInt8]] = [], requiresUserVerification: Bool,
    applicationID: String? = nil
  ) {
    self.challenge = challenge
    self.relyingPartyID = relyingPartyID
    self.allowedCredentials = allowedCredentials
    self.requiresUserVerification = requiresUserVerification
    self.applicationID = applicationID
  }

  /// Reads `PublicKeyCredentialRequestOptionsJSON`, bare or inside `publicKey` or `fido2`.
  public init(parsing bytes: [UInt8]) throws(UnreadableInput) {
    let options = try JSONValue.options(bytes)
    challenge = try options.octets("challenge")
    relyingPartyID = try options.optionalText("rpId")
    allowedCredentials = []
    for entry in try options.list("allowCredentials") { allowedCredentials.append(try entry.octets("id")) }
    requiresUserVerification = try options.optionalText("userVerification") == "required"
    applicationID = try options.optional("extensions")?.optionalText("appid")
  }
}

extension JSONValue {
  /// The options inside the wrappings that servers use.
  fileprivate static func options(_ bytes: [UInt8]) throws(UnreadableInput) -> JSONValue {
    var level = try object(bytes, "The request")
    for _ in 0..<2 where level["challenge"] == nil {
      guard let inner = level.optional("publicKey") ?? level.optional("fido2") else { break }
      level = inner
    }
    return level
  }
}
