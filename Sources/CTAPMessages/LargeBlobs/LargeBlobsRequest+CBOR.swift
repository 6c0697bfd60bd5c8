public import CBOR

extension LargeBlobsRequest: CTAPMessage {
  /// What errors call this message.
  public static let messageName = "largeBlobs request"

  private enum Key {
    static let get = MemberKey(0x01, "get")
    static let set = MemberKey(0x02, "set")
    static let offset = MemberKey(0x03, "offset")
    static let length = MemberKey(0x04, "length")
    static let pinUvAuthParam = MemberKey(0x05, "pinUvAuthParam")
    static let pinUvAuthProtocol = MemberKey(0x06, "pinUvAuthProtocol")
  }

  /// Reads a request.
  public init(cbor: CBORValue) throws(MessageError) {
    var reader = try MemberReader(cbor, Self.messageName)
    get = try reader.optional(Key.get, .count)
    set = try reader.optional(Key.set, .bytes)
    offset = try reader.required(Key.offset, .count)
    length = try reader.optional(Key.length, .count)
    pinUvAuthParam = try reader.optional(Key.pinUvAuthParam, .bytes)
    pinUvAuthProtocol = try reader.optional(Key.pinUvAuthProtocol, .count)
    additional = reader.additional
  }

  /// The request as CBOR.
  public func cbor() -> CBORValue {
    var writer = MemberWriter(additional)
    writer.set(Key.get, get.map(CBORValue.int))
    writer.set(Key.set, set.map(CBORValue.bytes))
    writer.set(Key.offset, .int(offset))
    writer.set(Key.length, length.map(CBORValue.int))
    writer.set(Key.pinUvAuthParam, pinUvAuthParam.map(CBORValue.bytes))
    writer.set(Key.pinUvAuthProtocol, pinUvAuthProtocol.map(CBORValue.int))
    return writer.value
  }
}
