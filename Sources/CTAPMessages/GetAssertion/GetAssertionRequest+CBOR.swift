public import CBOR

extension GetAssertionRequest: CTAPMessage {
  /// What errors call this message.
  public static let messageName = "getAssertion request"

  private enum Key {
    static let rpID = MemberKey(0x01, "rpId")
    static let clientDataHash = MemberKey(0x02, "clientDataHash")
    static let allowList = MemberKey(0x03, "allowList")
    static let extensions = MemberKey(0x04, "extensions")
    static let options = MemberKey(0x05, "options")
    static let pinUvAuthParam = MemberKey(0x06, "pinUvAuthParam")
    static let pinUvAuthProtocol = MemberKey(0x07, "pinUvAuthProtocol")
  }

  /// Reads a request.
  public init(cbor: CBORValue) throws(MessageError) {
    var reader = try MemberReader(cbor, Self.messageName)
    rpID = try reader.required(Key.rpID, .text)
    clientDataHash = try reader.required(Key.clientDataHash, .bytes)
    allowList = try reader.optional(Key.allowList, .list(.message)) ?? []
    extensions = try reader.optional(Key.extensions, .map) ?? CBORMap()
    options = try reader.optional(Key.options, .message) ?? RequestOptions()
    pinUvAuthParam = try reader.optional(Key.pinUvAuthParam, .bytes)
    pinUvAuthProtocol = try reader.optional(Key.pinUvAuthProtocol, .count)
    additional = reader.additional
  }

  /// The request as CBOR.
  public func cbor() -> CBORValue {
    var writer = MemberWriter(additional)
    writer.set(Key.rpID, .text(rpID))
    writer.set(Key.clientDataHash, .bytes(clientDataHash))
    writer.set(Key.allowList, allowList.isEmpty ? nil : .list(allowList))
    writer.set(Key.extensions, extensions.isEmpty ? nil : .map(extensions))
    writer.set(Key.options, options.isEmpty ? nil : options.cbor())
    writer.set(Key.pinUvAuthParam, pinUvAuthParam.map(CBORValue.bytes))
    writer.set(Key.pinUvAuthProtocol, pinUvAuthProtocol.map(CBORValue.int))
    return writer.value
  }
}
