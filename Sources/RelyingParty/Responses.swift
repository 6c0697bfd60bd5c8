internal import JSONText

/// A registration's response, as far as it is looked at: bytes, not yet believed.
public struct ReceivedRegistration: Hashable, Sendable {
  /// `type`.
  public var type: String
  /// `id` and `rawId`, decoded.
  public var identifiers: [[UInt8]]
  /// `response.clientDataJSON`.
  public var clientDataJSON: [UInt8]
  /// `response.attestationObject`.
  public var attestationObject: [UInt8]
  /// `response.authenticatorData`, a copy.
  public var authenticatorData: [UInt8]?
  /// `response.publicKey`, a copy in another form.
  public var publicKey: [UInt8]?
  /// `response.publicKeyAlgorithm`, a copy.
  public var publicKeyAlgorithm: Int?
  /// The names in `clientExtensionResults`.
  public var extensions: [String]

  /// Creates a response without the copies and without extension results.
  public init(credentialID: [UInt8], clientDataJSON: [UInt8], attestationObject: [UInt8]) {
    type = "public-key"
    identifiers = [credentialID]
    self.clientDataJSON = clientDataJSON
    self.attestationObject = attestationObject
    extensions = []
  }

  /// Reads `RegistrationResponseJSON`.
  public init(parsing bytes: [UInt8]) throws(UnreadableInput) {
    try self.init(try JSONValue.object(bytes, "The response"))
  }

  init(_ json: JSONValue) throws(UnreadableInput) {
    type = try json.text("type")
    identifiers = [try json.octets("id")]
    if let raw = try json.optionalOctets("rawId") { identifiers.append(raw) }
    let response = try json.required("response")
    clientDataJSON = try response.octets("clientDataJSON")
    attestationObject = try response.octets("attestationObject")
    authenticatorData = try response.optionalOctets("authenticatorData")
    publicKey = try response.optionalOctets("publicKey")
    publicKeyAlgorithm = response.optional("publicKeyAlgorithm")?.integerValue
    extensions = json["clientExtensionResults"]?.members?.map(\.name) ?? []
  }
}

/// A sign-in's response, as far as it is looked at: bytes, not yet believed.
public struct ReceivedAuthentication: Hashable, Sendable {
  /// `type`.
  public var type: String
  /// `id` and `rawId`, decoded.
  public var identifiers: [[UInt8]]
  /// `response.clientDataJSON`.
  public var clientDataJSON: [UInt8]
  /// `response.authenticatorData`.
  public var authenticatorData: [UInt8]
  /// `response.signature`.
  public var signature: [UInt8]
  /// `response.userHandle`.
  public var userHandle: [UInt8]?
  /// Whether the `appid` extension's input was used in place of the RP ID.
  public var usedApplicationID: Bool
  /// The names in `clientExtensionResults`.
  public var extensions: [String]

  /// Creates a response without extension results.
  public init(
    credentialID: [UInt8], clientDataJSON: [UInt8], authenticatorData: [UInt8], signature: [UInt8],
    userHandle: [UInt8]? = nil
  ) {
    type = "public-key"
    identifiers = [credentialID]
    self.clientDataJSON = clientDataJSON
    self.authenticatorData = authenticatorData
    self.signature = signature
    self.userHandle = userHandle
    usedApplicationID = false
    extensions = []
  }

  /// Reads `AuthenticationResponseJSON`.
  public init(parsing bytes: [UInt8]) throws(UnreadableInput) {
    let json = try JSONValue.object(bytes, "The response")
    type = try json.text("type")
    identifiers = [try json.octets("id")]
    if let raw = try json.optionalOctets("rawId") { identifiers.append(raw) }
    let response = try json.required("response")
    clientDataJSON = try response.octets("clientDataJSON")
    authenticatorData = try response.octets("authenticatorData")
    signature = try response.octets("signature")
    userHandle = try response.optionalOctets("userHandle")
    usedApplicationID = json["clientExtensionResults"]?["appid"]?.boolValue == true
    extensions = json["clientExtensionResults"]?.members?.map(\.name) ?? []
  }
}
