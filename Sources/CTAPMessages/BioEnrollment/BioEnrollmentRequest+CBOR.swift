public import CBOR

extension BioEnrollmentRequest: CTAPMessage {
  /// What errors call this message.
  public static let messageName = "bioEnrollment request"

  private enum Key {
    static let modality = MemberKey(0x01, "modality")
    static let subCommand = MemberKey(0x02, "subCommand")
    static let subCommandParams = MemberKey(0x03, "subCommandParams")
    static let pinUvAuthProtocol = MemberKey(0x04, "pinUvAuthProtocol")
    static let pinUvAuthParam = MemberKey(0x05, "pinUvAuthParam")
    static let getModality = MemberKey(0x06, "getModality")
  }

  /// Reads a request.
  public init(cbor: CBORValue) throws(MessageError) {
    var reader = try MemberReader(cbor, Self.messageName)
    modality = try reader.optional(Key.modality, .count)
    subCommand = try reader.optional(Key.subCommand, .code)
    subCommandParams = try reader.optional(Key.subCommandParams, .message)
    pinUvAuthProtocol = try reader.optional(Key.pinUvAuthProtocol, .count)
    pinUvAuthParam = try reader.optional(Key.pinUvAuthParam, .bytes)
    getModality = try reader.optional(Key.getModality, .bool)
    additional = reader.additional
  }

  /// The request as CBOR.
  public func cbor() -> CBORValue {
    var writer = MemberWriter(additional)
    writer.set(Key.modality, modality.map(CBORValue.int))
    writer.set(Key.subCommand, subCommand.map { .int($0.rawValue) })
    writer.set(Key.subCommandParams, subCommandParams?.cbor())
    writer.set(Key.pinUvAuthProtocol, pinUvAuthProtocol.map(CBORValue.int))
    writer.set(Key.pinUvAuthParam, pinUvAuthParam.map(CBORValue.bytes))
    writer.set(Key.getModality, getModality.map(CBORValue.bool))
    return writer.value
  }
}

extension BioEnrollmentParameters: CTAPMessage {
  /// What errors call this part.
  public static let messageName = "bioEnrollment parameters"

  private enum Key {
    static let templateID = MemberKey(0x01, "templateId")
    static let templateFriendlyName = MemberKey(0x02, "templateFriendlyName")
    static let timeoutMilliseconds = MemberKey(0x03, "timeoutMilliseconds")
  }

  /// Reads parameters.
  public init(cbor: CBORValue) throws(MessageError) {
    var reader = try MemberReader(cbor, Self.messageName)
    templateID = try reader.optional(Key.templateID, .bytes)
    templateFriendlyName = try reader.optional(Key.templateFriendlyName, .text)
    timeoutMilliseconds = try reader.optional(Key.timeoutMilliseconds, .count)
    additional = reader.additional
  }

  /// The parameters as CBOR.
  public func cbor() -> CBORValue {
    var writer = MemberWriter(additional)
    writer.set(Key.templateID, templateID.map(CBORValue.bytes))
    writer.set(Key.templateFriendlyName, templateFriendlyName.map(CBORValue.text))
    writer.set(Key.timeoutMilliseconds, timeoutMilliseconds.map(CBORValue.int))
    return writer.value
  }
}
