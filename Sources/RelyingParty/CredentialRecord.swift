internal import CBOR
public import CTAPMessages
internal import JSONText
internal import Octets

/// What a server keeps of a credential (WebAuthn L3 §4, credential record).
public struct CredentialRecord: Hashable, Sendable {
  /// The identifier.
  public var id: [UInt8]
  /// The public key, as COSE.
  public var publicKey: COSEKey
  /// The signature counter when it was last seen.
  public var signCount: UInt32
  /// Whether the credential can be backed up.
  public var backupEligible: Bool
  /// Whether it was backed up when it was last seen.
  public var backedUp: Bool
  /// The user handle, where it is known.
  public var userHandle: [UInt8]?
  /// Whether the registration that it comes from was verified.
  public var isVerified: Bool

  /// Takes over what authenticator data says; nil where it holds no credential.
  init?(_ data: AuthenticatorData, userHandle: [UInt8]?, isVerified: Bool) {
    guard let credential = data.attestedCredential else { return nil }
    id = credential.credentialID
    publicKey = credential.publicKey
    signCount = data.signCount
    backupEligible = data.flags.contains(.backupEligible)
    backedUp = data.flags.contains(.backedUp)
    self.userHandle = userHandle
    self.isVerified = isVerified
  }

  /// Reads a credential from a registration's response, which is believed, or from the JSON of a verification.
  public init(parsing bytes: [UInt8]) throws(UnreadableInput) {
    let json = try JSONValue.object(bytes, "The credential")
    if let kept = json.optional("credential") {
      try self.init(kept: kept)
    } else if let response = json.optional("response"), response["attestationObject"] != nil {
      try self.init(believing: try ReceivedRegistration(json))
    } else {
      throw UnreadableInput("The credential", "is neither a registration's response nor a verification's JSON")
    }
  }

  /// Takes a response's word, without any check.
  init(believing response: ReceivedRegistration) throws(UnreadableInput) {
    guard let object = try? AttestationObject(cbor: CBORDecoder.decode(response.attestationObject)),
      let record = CredentialRecord(object.authData, userHandle: nil, isVerified: false)
    else { throw UnreadableInput("The credential's attestation object", "holds no credential that can be read") }
    self = record
  }

  private init(kept json: JSONValue) throws(UnreadableInput) {
    id = try json.octets("id")
    guard let key = try? COSEKey(cbor: CBORDecoder.decode(try json.octets("publicKey"))) else {
      throw UnreadableInput("credential.publicKey", "is not a COSE key")
    }
    publicKey = key
    guard let count = json["signCount"]?.integerValue.flatMap(UInt32.init(exactly:)) else {
      throw UnreadableInput("credential.signCount", "is not a counter")
    }
    signCount = count
    guard let eligible = json["backupEligible"]?.boolValue, let backedUp = json["backedUp"]?.boolValue else {
      throw UnreadableInput("credential.backupEligible or backedUp", "is neither true nor false")
    }
    (backupEligible, self.backedUp) = (eligible, backedUp)
    userHandle = try json.optionalOctets("userHandle")
    isVerified = json["registrationVerified"]?.boolValue ?? false
  }

  /// The record as JSON, bytes in base64url, the public key as COSE.
  var json: JSONOutput {
    func text(_ bytes: [UInt8]) -> JSONOutput { .string(Base64URL.encode(bytes)) }
    var members: [(String, JSONOutput)] = [
      ("id", text(id)), ("publicKey", text(publicKey.encoded())), ("algorithm", .int(publicKey.alg ?? 0)),
      ("signCount", .int(Int(signCount))), ("backupEligible", .bool(backupEligible)), ("backedUp", .bool(backedUp)),
      ("registrationVerified", .bool(isVerified)),
    ]
    if let userHandle { members.append(("userHandle", text(userHandle))) }
    return .object(members)
  }
}
