public import CBOR

/// A user account: `PublicKeyCredentialUserEntity` (WebAuthn L3 §5.4.3).
public struct UserEntity: Hashable, Sendable {
  /// The user handle, 1 to 64 bytes that say nothing about the person.
  public var id: [UInt8]
  /// The account's name, such as an address; keys return it only where the person was verified.
  public var name: String?
  /// The person's name, as the person chose it.
  public var displayName: String?
  /// Members that are not known, such as the `icon` of older specifications.
  public var additional: CBORMap

  /// Creates an entity.
  public init(
    id: [UInt8], name: String? = nil, displayName: String? = nil, additional: CBORMap = CBORMap()
  ) {
    self.id = id
    self.name = name
    self.displayName = displayName
    self.additional = additional
  }
}

extension UserEntity: CTAPMessage {
  /// What errors call this part.
  public static let messageName = "user"

  private enum Key {
    static let id = MemberKey("id")
    static let name = MemberKey("name")
    static let displayName = MemberKey("displayName")
  }

  /// Reads an entity.
  public init(cbor: CBORValue) throws(MessageError) {
    var reader = try MemberReader(cbor, Self.messageName)
    id = try reader.required(Key.id, .bytes)
    name = try reader.optional(Key.name, .text)
    displayName = try reader.optional(Key.displayName, .text)
    additional = reader.additional
  }

  /// The entity as CBOR.
  public func cbor() -> CBORValue {
    var writer = MemberWriter(additional)
    writer.set(Key.id, .bytes(id))
    writer.set(Key.name, name.map(CBORValue.text))
    writer.set(Key.displayName, displayName.map(CBORValue.text))
    return writer.value
  }
}
