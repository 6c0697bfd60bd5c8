public import CBOR

extension MakeCredentialRequest: CTAPMessage {
  /// What errors call this message.
  public static let messageName = "makeCredential request"

  private enum Key {
    static let clientDataHash = MemberKey(0x01, "clientDataHash")
    static let rp = MemberKey(0x02, "rp")
    static let user = MemberKey(0x03, "user")
    static let pubKeyCredParams = MemberKey(0x04, "pubKeyCredParams")
    static let excludeList = MemberKey(0x05, "excludeList")
    static let extensions = MemberKey(0x06, "extensions")
    static let options = MemberKey(0x07, "options")
    static let pinUvAuthParam = MemberKey(0x08, "pinUvAuthParam")
    static let pinUvAuthProtocol = MemberKey(0x09, "pinUvAuthProtocol")
    static let enterpriseAttestation = MemberKey(0x0a, "enterpriseAttestation")
    static let attestationFormatsPreference = MemberKey(0x0b, "attestationFormatsPreference")
  }

  /// Reads a request.
  public init(cbor: CBORValue) throws(MessageError) {
    var reader = try MemberReader(cbor, Self.messageName)
    clientDataHash = try reader.required(Key.clientDataHash, .bytes)
    rp = try reader.required(Key.rp, .message)
    user = try reader.required(Key.user, .message)
    pubKeyCredParams = try reader.required(Key.pubKeyCredParams, .list(.message))
    excludeList = try reader.optional(Key.excludeList, .list(.message)) ?? []
    extensions = try reader.optional(Key.extensions, .map) ?? CBORMap()
    options = try reader.optional(Key.options, .message) ?? RequestOptions()
    pinUvAuthParam = try reader.optional(Key.pinUvAuthParam, .bytes)
    pinUvAuthProtocol = try reader.optional(Key.pinUvAuthProtocol, .count)
    enterpriseAttestation = try reader.optional(Key.enterpriseAttestation, .code)
    attestationFormatsPreference = try reader.optional(Key.attestationFormatsPreference, .list(.text)) ?? []
    additional = reader.additional
  }

  /// The request as CBOR.
  public func cbor() -> CBORValue {
    var writer = MemberWriter(additional)
    writer.set(Key.clientDataHash, .bytes(clientDataHash))
    writer.set(Key.rp, rp.cbor())
    writer.set(Key.user, user.cbor())
    writer.set(Key.pubKeyCredParams, .list(pubKeyCredParams))
    writer.set(Key.excludeList, excludeList.isEmpty ? nil : .list(excludeList))
    writer.set(Key.extensions, extensions.isEmpty ? nil : .map(extensions))
    writer.set(Key.options, options.isEmpty ? nil : options.cbor())
    writer.set(Key.pinUvAuthParam, pinUvAuthParam.map(CBORValue.bytes))
    writer.set(Key.pinUvAuthProtocol, pinUvAuthProtocol.map(CBORValue.int))
    writer.set(Key.enterpriseAttestation, enterpriseAttestation.map { .int($0.rawValue) })
    writer.set(
      Key.attestationFormatsPreference,
      attestationFormatsPreference.isEmpty ? nil : .texts(attestationFormatsPreference))
    return writer.value
  }
}
