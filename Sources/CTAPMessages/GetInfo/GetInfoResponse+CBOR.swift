public import CBOR

extension GetInfoResponse: CTAPMessage {
  /// What errors call this message.
  public static let messageName = "getInfo response"

  private enum Key {
    static let versions = MemberKey(0x01, "versions")
    static let extensions = MemberKey(0x02, "extensions")
    static let aaguid = MemberKey(0x03, "aaguid")
    static let options = MemberKey(0x04, "options")
    static let maxMsgSize = MemberKey(0x05, "maxMsgSize")
    static let pinUvAuthProtocols = MemberKey(0x06, "pinUvAuthProtocols")
    static let maxCredentialCountInList = MemberKey(0x07, "maxCredentialCountInList")
    static let maxCredentialIdLength = MemberKey(0x08, "maxCredentialIdLength")
    static let transports = MemberKey(0x09, "transports")
    static let algorithms = MemberKey(0x0a, "algorithms")
    static let maxSerializedLargeBlobArray = MemberKey(0x0b, "maxSerializedLargeBlobArray")
    static let forcePINChange = MemberKey(0x0c, "forcePINChange")
    static let minPINLength = MemberKey(0x0d, "minPINLength")
    static let firmwareVersion = MemberKey(0x0e, "firmwareVersion")
    static let maxCredBlobLength = MemberKey(0x0f, "maxCredBlobLength")
    static let maxRPIDsForSetMinPINLength = MemberKey(0x10, "maxRPIDsForSetMinPINLength")
    static let preferredPlatformUvAttempts = MemberKey(0x11, "preferredPlatformUvAttempts")
    static let uvModality = MemberKey(0x12, "uvModality")
    static let certifications = MemberKey(0x13, "certifications")
    static let remainingDiscoverableCredentials = MemberKey(0x14, "remainingDiscoverableCredentials")
    static let vendorPrototypeConfigCommands = MemberKey(0x15, "vendorPrototypeConfigCommands")
    static let attestationFormats = MemberKey(0x16, "attestationFormats")
    static let uvCountSinceLastPinEntry = MemberKey(0x17, "uvCountSinceLastPinEntry")
    static let longTouchForReset = MemberKey(0x18, "longTouchForReset")
    static let encIdentifier = MemberKey(0x19, "encIdentifier")
    static let transportsForReset = MemberKey(0x1a, "transportsForReset")
    static let pinComplexityPolicy = MemberKey(0x1b, "pinComplexityPolicy")
    static let pinComplexityPolicyURL = MemberKey(0x1c, "pinComplexityPolicyURL")
    static let maxPINLength = MemberKey(0x1d, "maxPINLength")
    static let encCredStoreState = MemberKey(0x1e, "encCredStoreState")
    static let authenticatorConfigCommands = MemberKey(0x1f, "authenticatorConfigCommands")
  }

  /// Reads a response.
  public init(cbor: CBORValue) throws(MessageError) {
    var reader = try MemberReader(cbor, Self.messageName)
    versions = try reader.required(Key.versions, .list(.text))
    extensions = try reader.optional(Key.extensions, .list(.text))
    aaguid = try reader.required(Key.aaguid, .aaguid)
    options = try reader.optional(Key.options, .message)
    maxMsgSize = try reader.optional(Key.maxMsgSize, .count)
    pinUvAuthProtocols = try reader.optional(Key.pinUvAuthProtocols, .list(.count))
    maxCredentialCountInList = try reader.optional(Key.maxCredentialCountInList, .count)
    maxCredentialIdLength = try reader.optional(Key.maxCredentialIdLength, .count)
    transports = try reader.optional(Key.transports, .list(.text))
    algorithms = try reader.optional(Key.algorithms, .list(.message))
    maxSerializedLargeBlobArray = try reader.optional(Key.maxSerializedLargeBlobArray, .count)
    forcePINChange = try reader.optional(Key.forcePINChange, .bool)
    minPINLength = try reader.optional(Key.minPINLength, .count)
    firmwareVersion = try reader.optional(Key.firmwareVersion, .unsigned)
    maxCredBlobLength = try reader.optional(Key.maxCredBlobLength, .count)
    maxRPIDsForSetMinPINLength = try reader.optional(Key.maxRPIDsForSetMinPINLength, .count)
    preferredPlatformUvAttempts = try reader.optional(Key.preferredPlatformUvAttempts, .count)
    uvModality = try reader.optional(Key.uvModality, .unsigned).map(UserVerificationMethods.init(rawValue:))
    certifications = try reader.optional(Key.certifications, .certifications)
    remainingDiscoverableCredentials = try reader.optional(Key.remainingDiscoverableCredentials, .count)
    vendorPrototypeConfigCommands = try reader.optional(Key.vendorPrototypeConfigCommands, .list(.unsigned))
    attestationFormats = try reader.optional(Key.attestationFormats, .list(.text))
    uvCountSinceLastPinEntry = try reader.optional(Key.uvCountSinceLastPinEntry, .count)
    longTouchForReset = try reader.optional(Key.longTouchForReset, .bool)
    encIdentifier = try reader.optional(Key.encIdentifier, .bytes)
    transportsForReset = try reader.optional(Key.transportsForReset, .list(.text))
    pinComplexityPolicy = try reader.optional(Key.pinComplexityPolicy, .bool)
    pinComplexityPolicyURL = try reader.optional(Key.pinComplexityPolicyURL, .bytes)
    maxPINLength = try reader.optional(Key.maxPINLength, .count)
    encCredStoreState = try reader.optional(Key.encCredStoreState, .bytes)
    authenticatorConfigCommands = try reader.optional(Key.authenticatorConfigCommands, .list(.count))
    additional = reader.additional
  }

  /// The response as CBOR.
  public func cbor() -> CBORValue {
    var writer = MemberWriter(additional)
    writer.set(Key.versions, .texts(versions))
    writer.set(Key.extensions, extensions.map(CBORValue.texts))
    writer.set(Key.aaguid, .bytes(aaguid.bytes))
    writer.set(Key.options, options?.cbor())
    writer.set(Key.maxMsgSize, maxMsgSize.map(CBORValue.int))
    writer.set(Key.pinUvAuthProtocols, pinUvAuthProtocols.map(CBORValue.ints))
    writer.set(Key.maxCredentialCountInList, maxCredentialCountInList.map(CBORValue.int))
    writer.set(Key.maxCredentialIdLength, maxCredentialIdLength.map(CBORValue.int))
    writer.set(Key.transports, transports.map(CBORValue.texts))
    writer.set(Key.algorithms, algorithms.map { .list($0) })
    writer.set(Key.maxSerializedLargeBlobArray, maxSerializedLargeBlobArray.map(CBORValue.int))
    writer.set(Key.forcePINChange, forcePINChange.map(CBORValue.bool))
    writer.set(Key.minPINLength, minPINLength.map(CBORValue.int))
    writer.set(Key.firmwareVersion, firmwareVersion.map(CBORValue.unsigned))
    writer.set(Key.maxCredBlobLength, maxCredBlobLength.map(CBORValue.int))
    writer.set(Key.maxRPIDsForSetMinPINLength, maxRPIDsForSetMinPINLength.map(CBORValue.int))
    writer.set(Key.preferredPlatformUvAttempts, preferredPlatformUvAttempts.map(CBORValue.int))
    writer.set(Key.uvModality, uvModality.map { .unsigned($0.rawValue) })
    writer.set(Key.certifications, certifications.map(CBORValue.certifications))
    writer.set(Key.remainingDiscoverableCredentials, remainingDiscoverableCredentials.map(CBORValue.int))
    writer.set(
      Key.vendorPrototypeConfigCommands,
      vendorPrototypeConfigCommands.map { .array($0.map(CBORValue.unsigned)) })
    writer.set(Key.attestationFormats, attestationFormats.map(CBORValue.texts))
    writer.set(Key.uvCountSinceLastPinEntry, uvCountSinceLastPinEntry.map(CBORValue.int))
    writer.set(Key.longTouchForReset, longTouchForReset.map(CBORValue.bool))
    writer.set(Key.encIdentifier, encIdentifier.map(CBORValue.bytes))
    writer.set(Key.transportsForReset, transportsForReset.map(CBORValue.texts))
    writer.set(Key.pinComplexityPolicy, pinComplexityPolicy.map(CBORValue.bool))
    writer.set(Key.pinComplexityPolicyURL, pinComplexityPolicyURL.map(CBORValue.bytes))
    writer.set(Key.maxPINLength, maxPINLength.map(CBORValue.int))
    writer.set(Key.encCredStoreState, encCredStoreState.map(CBORValue.bytes))
    writer.set(Key.authenticatorConfigCommands, authenticatorConfigCommands.map(CBORValue.ints))
    return writer.value
  }
}

extension MemberType where Value == [String: Int] {
  /// Certifications: a map from names to levels.
  fileprivate static var certifications: Self {
    MemberType { value throws(MessageError) in
      var reader = try MemberReader(value, "certifications")
      var levels: [String: Int] = [:]
      for key in reader.additional.keys {
        let name = try MemberType<String>.text.read(key)
        levels[name] = try reader.required(MemberKey(name), .count)
      }
      return levels
    }
  }
}

extension CBORValue {
  fileprivate static func certifications(_ levels: [String: Int]) -> CBORValue {
    .map(CBORMap(levels.map { (.text($0.key), .int($0.value)) }))
  }
}
