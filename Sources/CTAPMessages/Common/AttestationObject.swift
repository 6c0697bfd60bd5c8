public import CBOR

/// Authenticator data with what vouches for it, in the form that WebAuthn gives to relying parties (L3 §6.5).
public struct AttestationObject: Hashable, Sendable {
  /// The format of the statement, such as `packed`.
  public var fmt: String
  /// The statement.
  public var attStmt: CBORMap
  /// What is vouched for.
  public var authData: AuthenticatorData

  /// Creates an attestation object.
  public init(fmt: String, attStmt: CBORMap, authData: AuthenticatorData) {
    self.fmt = fmt
    self.attStmt = attStmt
    self.authData = authData
  }

  /// Takes the three members over from the answer of a key; a statement that is absent becomes an empty one.
  public init(_ response: MakeCredentialResponse) {
    self.init(fmt: response.fmt, attStmt: response.attStmt ?? CBORMap(), authData: response.authData)
  }
}

extension AttestationObject: CTAPMessage {
  /// What errors call this message.
  public static let messageName = "attestation object"

  private enum Key {
    static let fmt = MemberKey("fmt")
    static let attStmt = MemberKey("attStmt")
    static let authData = MemberKey("authData")
  }

  /// Reads an attestation object; members besides the three are not kept.
  public init(cbor: CBORValue) throws(MessageError) {
    var reader = try MemberReader(cbor, Self.messageName)
    fmt = try reader.required(Key.fmt, .text)
    attStmt = try reader.required(Key.attStmt, .map)
    authData = try reader.required(Key.authData, .authenticatorData)
  }

  /// The attestation object as CBOR; in canonical form its members come as `fmt`, `attStmt`, `authData`.
  public func cbor() -> CBORValue {
    var writer = MemberWriter()
    writer.set(Key.fmt, .text(fmt))
    writer.set(Key.attStmt, .map(attStmt))
    writer.set(Key.authData, .bytes(authData.encoded()))
    return writer.value
  }
}
