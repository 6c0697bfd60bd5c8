public import CBOR

extension AuthenticatorConfigRequest: CTAPMessage {
  /// What errors call this message.
  public static let messageName = "authenticatorConfig request"

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
    subCommandParams =
      switch subCommand {
      case .setMinPINLength:
        try reader.optional(Key.subCommandParams, .message).map { .setMinPINLength($0) }
      case .vendorPrototype:
        try reader.optional(Key.subCommandParams, .message).map { .vendorPrototype($0) }
      default:
        try reader.optional(Key.subCommandParams, .map).map { .other($0) }
      }
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

extension AuthenticatorConfigRequest.Parameters {
  /// The parameters as CBOR.
  func cbor() -> CBORValue {
    switch self {
    case .setMinPINLength(let parameters): parameters.cbor()
    case .vendorPrototype(let parameters): parameters.cbor()
    case .other(let map): .map(map)
    }
  }
}

extension SetMinPINLengthParameters: CTAPMessage {
  /// What errors call this part.
  public static let messageName = "setMinPINLength parameters"

  private enum Key {
    static let newMinPINLength = MemberKey(0x01, "newMinPINLength")
    static let minPinLengthRPIDs = MemberKey(0x02, "minPinLengthRPIDs")
    static let forceChangePin = MemberKey(0x03, "forceChangePin")
    static let pinComplexityPolicy = MemberKey(0x04, "pinComplexityPolicy")
  }

  /// Reads parameters.
  public init(cbor: CBORValue) throws(MessageError) {
    var reader = try MemberReader(cbor, Self.messageName)
    newMinPINLength = try reader.optional(Key.newMinPINLength, .count)
    minPinLengthRPIDs = try reader.optional(Key.minPinLengthRPIDs, .list(.text))
    forceChangePin = try reader.optional(Key.forceChangePin, .bool)
    pinComplexityPolicy = try reader.optional(Key.pinComplexityPolicy, .bool)
    additional = reader.additional
  }

  /// The parameters as CBOR.
  public func cbor() -> CBORValue {
    var writer = MemberWriter(additional)
    writer.set(Key.newMinPINLength, newMinPINLength.map(CBORValue.int))
    writer.set(Key.minPinLengthRPIDs, minPinLengthRPIDs.map(CBORValue.texts))
    writer.set(Key.forceChangePin, forceChangePin.map(CBORValue.bool))
    writer.set(Key.pinComplexityPolicy, pinComplexityPolicy.map(CBORValue.bool))
    return writer.value
  }
}

extension VendorPrototypeParameters: CTAPMessage {
  /// What errors call this part.
  public static let messageName = "vendorPrototype parameters"

  private enum Key {
    static let vendorCommandID = MemberKey(0x01, "vendorCommandId")
  }

  /// Reads parameters.
  public init(cbor: CBORValue) throws(MessageError) {
    var reader = try MemberReader(cbor, Self.messageName)
    vendorCommandID = try reader.required(Key.vendorCommandID, .unsigned)
    additional = reader.additional
  }

  /// The parameters as CBOR.
  public func cbor() -> CBORValue {
    var writer = MemberWriter(additional)
    writer.set(Key.vendorCommandID, .unsigned(vendorCommandID))
    return writer.value
  }
}
