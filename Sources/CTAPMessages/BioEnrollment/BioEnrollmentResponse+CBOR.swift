public import CBOR

extension BioEnrollmentResponse: CTAPMessage {
  /// What errors call this message.
  public static let messageName = "bioEnrollment response"

  private enum Key {
    static let modality = MemberKey(0x01, "modality")
    static let fingerprintKind = MemberKey(0x02, "fingerprintKind")
    static let maxCaptureSamplesRequiredForEnroll = MemberKey(0x03, "maxCaptureSamplesRequiredForEnroll")
    static let templateID = MemberKey(0x04, "templateId")
    static let lastEnrollSampleStatus = MemberKey(0x05, "lastEnrollSampleStatus")
    static let remainingSamples = MemberKey(0x06, "remainingSamples")
    static let templateInfos = MemberKey(0x07, "templateInfos")
    static let maxTemplateFriendlyName = MemberKey(0x08, "maxTemplateFriendlyName")
  }

  /// Reads a response.
  public init(cbor: CBORValue) throws(MessageError) {
    var reader = try MemberReader(cbor, Self.messageName)
    modality = try reader.optional(Key.modality, .count)
    fingerprintKind = try reader.optional(Key.fingerprintKind, .count)
    maxCaptureSamplesRequiredForEnroll = try reader.optional(Key.maxCaptureSamplesRequiredForEnroll, .count)
    templateID = try reader.optional(Key.templateID, .bytes)
    lastEnrollSampleStatus = try reader.optional(Key.lastEnrollSampleStatus, .code)
    remainingSamples = try reader.optional(Key.remainingSamples, .count)
    templateInfos = try reader.optional(Key.templateInfos, .list(.message))
    maxTemplateFriendlyName = try reader.optional(Key.maxTemplateFriendlyName, .count)
    additional = reader.additional
  }

  /// The response as CBOR.
  public func cbor() -> CBORValue {
    var writer = MemberWriter(additional)
    writer.set(Key.modality, modality.map(CBORValue.int))
    writer.set(Key.fingerprintKind, fingerprintKind.map(CBORValue.int))
    writer.set(Key.maxCaptureSamplesRequiredForEnroll, maxCaptureSamplesRequiredForEnroll.map(CBORValue.int))
    writer.set(Key.templateID, templateID.map(CBORValue.bytes))
    writer.set(Key.lastEnrollSampleStatus, lastEnrollSampleStatus.map { .int($0.rawValue) })
    writer.set(Key.remainingSamples, remainingSamples.map(CBORValue.int))
    writer.set(Key.templateInfos, templateInfos.map { .list($0) })
    writer.set(Key.maxTemplateFriendlyName, maxTemplateFriendlyName.map(CBORValue.int))
    return writer.value
  }
}

extension FingerprintTemplate: CTAPMessage {
  /// What errors call this part.
  public static let messageName = "fingerprint"

  private enum Key {
    static let templateID = MemberKey(0x01, "templateId")
    static let templateFriendlyName = MemberKey(0x02, "templateFriendlyName")
  }

  /// Reads a fingerprint.
  public init(cbor: CBORValue) throws(MessageError) {
    var reader = try MemberReader(cbor, Self.messageName)
    templateID = try reader.required(Key.templateID, .bytes)
    templateFriendlyName = try reader.optional(Key.templateFriendlyName, .text)
    additional = reader.additional
  }

  /// The fingerprint as CBOR.
  public func cbor() -> CBORValue {
    var writer = MemberWriter(additional)
    writer.set(Key.templateID, .bytes(templateID))
    writer.set(Key.templateFriendlyName, templateFriendlyName.map(CBORValue.text))
    return writer.value
  }
}
