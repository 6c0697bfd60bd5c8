public import CBOR

extension ClientPINResponse: CTAPMessage {
  /// What errors call this message.
  public static let messageName = "clientPIN response"

  private enum Key {
    static let keyAgreement = MemberKey(0x01, "keyAgreement")
    static let pinUvAuthToken = MemberKey(0x02, "pinUvAuthToken")
    static let pinRetries = MemberKey(0x03, "pinRetries")
    static let powerCycleState = MemberKey(0x04, "powerCycleState")
    static let uvRetries = MemberKey(0x05, "uvRetries")
  }

  /// Reads a response.
  public init(cbor: CBORValue) throws(MessageError) {
    var reader = try MemberReader(cbor, Self.messageName)
    keyAgreement = try reader.optional(Key.keyAgreement, .message)
    pinUvAuthToken = try reader.optional(Key.pinUvAuthToken, .bytes)
    pinRetries = try reader.optional(Key.pinRetries, .count)
    powerCycleState = try reader.optional(Key.powerCycleState, .bool)
    uvRetries = try reader.optional(Key.uvRetries, .count)
    additional = reader.additional
  }

  /// The response as CBOR.
  public func cbor() -> CBORValue {
    var writer = MemberWriter(additional)
    writer.set(Key.keyAgreement, keyAgreement?.cbor())
    writer.set(Key.pinUvAuthToken, pinUvAuthToken.map(CBORValue.bytes))
    writer.set(Key.pinRetries, pinRetries.map(CBORValue.int))
    writer.set(Key.powerCycleState, powerCycleState.map(CBORValue.bool))
    writer.set(Key.uvRetries, uvRetries.map(CBORValue.int))
    return writer.value
  }
}
