public import CBOR

/// A kind of credential that is wanted or offered: `PublicKeyCredentialParameters` (WebAuthn L3 §5.3).
public struct CredentialParameters: Hashable, Sendable {
  /// The one credential type that WebAuthn knows.
  public static let publicKey = "public-key"

  /// The type, `public-key` where it is one that WebAuthn knows.
  public var type: String
  /// The COSE number of the signature algorithm, such as -7 for ES256.
  public var algorithm: Int
  /// Members that are not known.
  public var additional: CBORMap

  /// Creates parameters for an algorithm.
  public init(
    type: String = CredentialParameters.publicKey, algorithm: Int, additional: CBORMap = CBORMap()
  ) {
    self.type = type
    self.algorithm = algorithm
    self.additional = additional
  }
}

extension CredentialParameters: CTAPMessage {
  /// What errors call this part.
  public static let messageName = "credential parameters"

  private enum Key {
    static let algorithm = MemberKey("alg")
    static let type = MemberKey("type")
  }

  /// Reads parameters.
  public init(cbor: CBORValue) throws(MessageError) {
    var reader = try MemberReader(cbor, Self.messageName)
    algorithm = try reader.required(Key.algorithm, .integer)
    type = try reader.required(Key.type, .text)
    additional = reader.additional
  }

  /// The parameters as CBOR.
  public func cbor() -> CBORValue {
    var writer = MemberWriter(additional)
    writer.set(Key.algorithm, .int(algorithm))
    writer.set(Key.type, .text(type))
    return writer.value
  }
}
