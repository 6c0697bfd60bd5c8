public import CBOR

extension MakeCredentialResponse: CTAPMessage {
  /// What errors call this message.
  public static let messageName = "makeCredential response"

  private enum Key {
    static let fmt = MemberKey(0x01, "fmt")
    static let authData = MemberKey(0x02, "authData")
    static let attStmt = MemberKey(0x03, "attStmt")
    static let epAtt = MemberKey(0x04, "epAtt")
    static let largeBlobKey = MemberKey(0x05, "largeBlobKey")
    static let unsignedExtensionOutputs = MemberKey(0x06, "unsignedExtensionOutputs")
  }

  /// Reads a response.
  public init(cbor: CBORValue) throws(MessageError) {
    var reader = try MemberReader(cbor, Self.messageName)
    fmt = try reader.required(Key.fmt, .text)
    authData = try reader.required(Key.authData, .authenticatorData)
    attStmt = try reader.optional(Key.attStmt, .map)
    epAtt = try reader.optional(Key.epAtt, .bool)
    largeBlobKey = try reader.optional(Key.largeBlobKey, .bytes)
    unsignedExtensionOutputs = try reader.optional(Key.unsignedExtensionOutputs, .map)
    additional = reader.additional
  }

  /// The response as CBOR.
  public func cbor() -> CBORValue {
    var writer = MemberWriter(additional)
    writer.set(Key.fmt, .text(fmt))
    writer.set(Key.authData, .bytes(authData.encoded()))
    writer.set(Key.attStmt, attStmt.map(CBORValue.map))
    writer.set(Key.epAtt, epAtt.map(CBORValue.bool))
    writer.set(Key.largeBlobKey, largeBlobKey.map(CBORValue.bytes))
    writer.set(Key.unsignedExtensionOutputs, unsignedExtensionOutputs.map(CBORValue.map))
    return writer.value
  }
}
