public import CBOR

extension CredentialManagementRequest: CTAPMessage {
  /// What errors call this message.
  public static let messageName = "credentialManagement request"

  private enum Key {
    static let subCommand = MemberKey(0x01, "subCommand")
    static let subCommandParams = MemberKey(0x02, "subCommandParams")
    static let pinUvAuthProtocol = MemberKey(0x03, "pinUvAuthProtocol")
    static let pinUvAuthParam = MemberKey(0x04, "pinUvAuthParam")
  }

  /// Reads a request.
  public init(cbor: CBORValue) throws(MessageError) {
    var reader = try MemberReader(cbor, Self.messageName)
    subCommand = try reader.required(Key.subCommand, .code)
    subCommandParams = try reader.optional(Key.subCommandParams, .message)
    pinUvAuthProtocol = try reader.optional(Key.pinUvAuthProtocol, .count)
    pinUvAuthParam = try reader.optional(Key.pinUvAuthParam, .bytes)
    additional = reader.additional
  }

  /// The request as CBOR.
  public func cbor() -> CBORValue {
    var writer = MemberWriter(additional)
    writer.set(Key.subCommand, .int(subCommand.rawValue))
    writer.set(Key.subCommandParams, subCommandParams?.cbor())
    writer.set(Key.pinUvAuthProtocol, pinUvAuthProtocol.map(CBORValue.int))
    writer.set(Key.pinUvAuthParam, pinUvAuthParam.map(CBORValue.bytes))
    return writer.value
  }
}

extension CredentialManagementParameters: CTAPMessage {
  /// What errors call this part.
  public static let messageName = "credentialManagement parameters"

  private enum Key {
    static let rpIDHash = MemberKey(0x01, "rpIDHash")
    static let credentialID = MemberKey(0x02, "credentialId")
    static let user = MemberKey(0x03, "user")
  }

  /// Reads parameters.
  public init(cbor: CBORValue) throws(MessageError) {
    var reader = try MemberReader(cbor, Self.messageName)
    rpIDHash = try reader.optional(Key.rpIDHash, .bytes)
    credentialID = try reader.optional(Key.credentialID, .message)
    user = try reader.optional(Key.user, .message)
    additional = reader.additional
  }

  /// The parameters as CBOR.
  public func cbor() -> CBORValue {
    var writer = MemberWriter(additional)
    writer.set(Key.rpIDHash, rpIDHash.map(CBORValue.bytes))
    writer.set(Key.credentialID, credentialID?.cbor())
    writer.set(Key.user, user?.cbor())
    return writer.value
  }
}
