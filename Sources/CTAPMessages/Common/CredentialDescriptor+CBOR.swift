public import CBOR

extension CredentialDescriptor: CTAPMessage {
  /// What errors call this part.
  public static let messageName = "credential descriptor"

  private enum Key {
    static let id = MemberKey("id")
    static let type = MemberKey("type")
    static let transports = MemberKey("transports")
  }

  /// Reads a descriptor.
  public init(cbor: CBORValue) throws(MessageError) {
    var reader = try MemberReader(cbor, Self.messageName)
    id = try reader.required(Key.id, .bytes)
    type = try reader.required(Key.type, .text)
    transports = try reader.optional(Key.transports, .list(.text))
    additional = reader.additional
  }

  /// The descriptor as CBOR.
  public func cbor() -> CBORValue {
    var writer = MemberWriter(additional)
    writer.set(Key.id, .bytes(id))
    writer.set(Key.type, .text(type))
    writer.set(Key.transports, transports.map(CBORValue.texts))
    return writer.value
  }
}
