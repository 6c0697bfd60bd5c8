public import CBOR

extension CredentialManagementResponse: CTAPMessage {
  /// What errors call this message.
  public static let messageName = "credentialManagement response"

  private enum Key {
    static let existingResidentCredentialsCount = MemberKey(0x01, "existingResidentCredentialsCount")
    static let maxPossibleRemainingResidentCredentialsCount =
      MemberKey(0x02, "maxPossibleRemainingResidentCredentialsCount")
    static let rp = MemberKey(0x03, "rp")
    static let rpIDHash = MemberKey(0x04, "rpIDHash")
    static let totalRPs = MemberKey(0x05, "totalRPs")
    static let user = MemberKey(0x06, "user")
    static let credentialID = MemberKey(0x07, "credentialID")
    static let publicKey = MemberKey(0x08, "publicKey")
    static let totalCredentials = MemberKey(0x09, "totalCredentials")
    static let credProtect = MemberKey(0x0a, "credProtect")
    static let largeBlobKey = MemberKey(0x0b, "largeBlobKey")
    static let thirdPartyPayment = MemberKey(0x0c, "thirdPartyPayment")
  }

  /// Reads a response.
  public init(cbor: CBORValue) throws(MessageError) {
    var reader = try MemberReader(cbor, Self.messageName)
    existingResidentCredentialsCount = try reader.optional(Key.existingResidentCredentialsCount, .count)
    maxPossibleRemainingResidentCredentialsCount =
      try reader.optional(Key.maxPossibleRemainingResidentCredentialsCount, .count)
    rp = try reader.optional(Key.rp, .message)
    rpIDHash = try reader.optional(Key.rpIDHash, .bytes)
    totalRPs = try reader.optional(Key.totalRPs, .count)
    user = try reader.optional(Key.user, .message)
    credentialID = try reader.optional(Key.credentialID, .message)
    publicKey = try reader.optional(Key.publicKey, .message)
    totalCredentials = try reader.optional(Key.totalCredentials, .count)
    credProtect = try reader.optional(Key.credProtect, .count)
    largeBlobKey = try reader.optional(Key.largeBlobKey, .bytes)
    thirdPartyPayment = try reader.optional(Key.thirdPartyPayment, .bool)
    additional = reader.additional
  }

  /// The response as CBOR.
  public func cbor() -> CBORValue {
    var writer = MemberWriter(additional)
    writer.set(Key.existingResidentCredentialsCount, existingResidentCredentialsCount.map(CBORValue.int))
    writer.set(
      Key.maxPossibleRemainingResidentCredentialsCount,
      maxPossibleRemainingResidentCredentialsCount.map(CBORValue.int))
    writer.set(Key.rp, rp?.cbor())
    writer.set(Key.rpIDHash, rpIDHash.map(CBORValue.bytes))
    writer.set(Key.totalRPs, totalRPs.map(CBORValue.int))
    writer.set(Key.user, user?.cbor())
    writer.set(Key.credentialID, credentialID?.cbor())
    writer.set(Key.publicKey, publicKey?.cbor())
    writer.set(Key.totalCredentials, totalCredentials.map(CBORValue.int))
    writer.set(Key.credProtect, credProtect.map(CBORValue.int))
    writer.set(Key.largeBlobKey, largeBlobKey.map(CBORValue.bytes))
    writer.set(Key.thirdPartyPayment, thirdPartyPayment.map(CBORValue.bool))
    return writer.value
  }
}
