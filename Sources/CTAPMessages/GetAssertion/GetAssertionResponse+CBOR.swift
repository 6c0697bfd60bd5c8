public import CBOR

extension GetAssertionResponse: CTAPMessage {
  /// What errors call this message.
  public static let messageName = "getAssertion response"

  private enum Key {
    static let credential = MemberKey(0x01, "credential")
    static let authData = MemberKey(0x02, "authData")
    static let signature = MemberKey(0x03, "signature")
    static let user = MemberKey(0x04, "user")
    static let numberOfCredentials = MemberKey(0x05, "numberOfCredentials")
    static let userSelected = MemberKey(0x06, "userSelected")
    static let largeBlobKey = MemberKey(0x07, "largeBlobKey")
    static let unsignedExtensionOutputs = MemberKey(0x08, "unsignedExtensionOutputs")
  }

  /// Reads a response.
  public init(cbor: CBORValue) throws(MessageError) {
    var reader = try MemberReader(cbor, Self.messageName)
    credential = try reader.optional(Key.credential, .message)
    authData = try reader.required(Key.authData, .authenticatorData)
    signature = try reader.required(Key.signature, .bytes)
    user = try reader.optional(Key.user, .message)
    numberOfCredentials = try reader.optional(Key.numberOfCredentials, .count)
    userSelected = try reader.optional(Key.userSelected, .bool)
    largeBlobKey = try reader.optional(Key.largeBlobKey, .bytes)
    unsignedExtensionOutputs = try reader.optional(Key.unsignedExtensionOutputs, .map)
    additional = reader.additional
  }

  /// The response as CBOR.
  public func cbor() -> CBORValue {
    var writer = MemberWriter(additional)
    writer.set(Key.credential, credential?.cbor())
    writer.set(Key.authData, .bytes(authData.encoded()))
    writer.set(Key.signature, .bytes(signature))
    writer.set(Key.user, user?.cbor())
    writer.set(Key.numberOfCredentials, numberOfCredentials.map(CBORValue.int))
    writer.set(Key.userSelected, userSelected.map(CBORValue.bool))
    writer.set(Key.largeBlobKey, largeBlobKey.map(CBORValue.bytes))
    writer.set(Key.unsignedExtensionOutputs, unsignedExtensionOutputs.map(CBORValue.map))
    return writer.value
  }
}
