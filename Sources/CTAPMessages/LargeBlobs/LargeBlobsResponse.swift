public import CBOR

/// What authenticatorLargeBlobs returns (CTAP 2.3 §6.10).
public struct LargeBlobsResponse: Hashable, Sendable {
  /// The part that was read; nil after a write.
  public var config: [UInt8]?
  /// Members that are not known.
  public var additional: CBORMap

  /// Creates a response.
  public init(config: [UInt8]? = nil, additional: CBORMap = CBORMap()) {
    self.config = config
    self.additional = additional
  }
}

extension LargeBlobsResponse: CTAPMessage {
  /// What errors call this message.
  public static let messageName = "largeBlobs response"

  private enum Key {
    static let config = MemberKey(0x01, "config")
  }

  /// Reads a response.
  public init(cbor: CBORValue) throws(MessageError) {
    var reader = try MemberReader(cbor, Self.messageName)
    config = try reader.optional(Key.config, .bytes)
    additional = reader.additional
  }

  /// The response as CBOR.
  public func cbor() -> CBORValue {
    var writer = MemberWriter(additional)
    writer.set(Key.config, config.map(CBORValue.bytes))
    return writer.value
  }
}
