public import CBOR

extension ClientPINRequest: CTAPMessage {
  /// What errors call this message.
  public static let messageName = "clientPIN request"

  private enum Key {
    static let pinUvAuthProtocol = MemberKey(0x01, "pinUvAuthProtocol")
    static let subCommand = MemberKey(0x02, "subCommand")
    static let keyAgreement = MemberKey(0x03, "keyAgreement")
    static let pinUvAuthParam = MemberKey(0x04, "pinUvAuthParam")
    static let newPinEnc = MemberKey(0x05, "newPinEnc")
    static let pinHashEnc = MemberKey(0x06, "pinHashEnc")
    static let permissions = MemberKey(0x09, "permissions")
    static let rpID = MemberKey(0x0a, "rpId")
  }

  /// Reads a request.
  public init(cbor: CBORValue) throws(MessageError) {
    var reader = try MemberReader(cbor, Self.messageName)
    pinUvAuthProtocol = try reader.optional(Key.pinUvAuthProtocol, .count)
    subCommand = try reader.required(Key.subCommand, .code)
    keyAgreement = try reader.optional(Key.keyAgreement, .message)
    pinUvAuthParam = try reader.optional(Key.pinUvAuthParam, .bytes)
    newPinEnc = try reader.optional(Key.newPinEnc, .bytes)
    pinHashEnc = try reader.optional(Key.pinHashEnc, .bytes)
    permissions = try reader.optional(Key.permissions, .code)
    rpID = try reader.optional(Key.rpID, .text)
    additional = reader.additional
  }

  /// The request as CBOR.
  public func cbor() -> CBORValue {
    var writer = MemberWriter(additional)
    writer.set(Key.pinUvAuthProtocol, pinUvAuthProtocol.map(CBORValue.int))
    writer.set(Key.subCommand, .int(subCommand.rawValue))
    writer.set(Key.keyAgreement, keyAgreement?.cbor())
    writer.set(Key.pinUvAuthParam, pinUvAuthParam.map(CBORValue.bytes))
    writer.set(Key.newPinEnc, newPinEnc.map(CBORValue.bytes))
    writer.set(Key.pinHashEnc, pinHashEnc.map(CBORValue.bytes))
    writer.set(Key.permissions, permissions.map { .int($0.rawValue) })
    writer.set(Key.rpID, rpID.map(CBORValue.text))
    return writer.value
  }
}
