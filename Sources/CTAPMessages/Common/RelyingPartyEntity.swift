public import CBOR

/// A relying party: `PublicKeyCredentialRpEntity` (WebAuthn L3 §5.4.2).
public struct RelyingPartyEntity: Hashable, Sendable {
  /// The RP ID, any text as far as a key is concerned.
  public var id: String
  /// A name for people; keys may cut it or drop it.
  public var name: String?
  /// Members that are not known, such as the `icon` of older specifications.
  public var additional: CBORMap

  /// Creates an entity.
  public init(id: String, name: String? = nil, additional: CBORMap = CBORMap()) {
    self.id = id
    self.name = name
    self.additional = additional
  }
}

extension RelyingPartyEntity: CTAPMessage {
  /// What errors call this part.
  public static let messageName = "relying party"

  private enum Key {
    static let id = MemberKey("id")
    static let name = MemberKey("name")
  }

  /// Reads an entity.
  public init(cbor: CBORValue) throws(MessageError) {
    var reader = try MemberReader(cbor, Self.messageName)
    id = try reader.required(Key.id, .text)
    name = try reader.optional(Key.name, .text)
    additional = reader.additional
  }

  /// The entity as CBOR.
  public func cbor() -> CBORValue {
    var writer = MemberWriter(additional)
    writer.set(Key.id, .text(id))
    writer.set(Key.name, name.map(CBORValue.text))
    return writer.value
  }
}
