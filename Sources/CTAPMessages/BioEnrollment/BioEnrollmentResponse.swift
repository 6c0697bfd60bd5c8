public import CBOR

/// What authenticatorBioEnrollment returns; which members are there depends on the subcommand (CTAP 2.3 §6.7).
public struct BioEnrollmentResponse: Hashable, Sendable {
  /// The modality of the key.
  public var modality: Int?
  /// The kind of sensor: 1 is touched, 2 is swiped.
  public var fingerprintKind: Int?
  /// The most samples that an enrolment takes.
  public var maxCaptureSamplesRequiredForEnroll: Int?
  /// The fingerprint that is being enrolled.
  public var templateID: [UInt8]?
  /// How good the last sample was.
  public var lastEnrollSampleStatus: EnrollSampleStatus?
  /// How many more samples are needed.
  public var remainingSamples: Int?
  /// The fingerprints that are enrolled.
  public var templateInfos: [FingerprintTemplate]?
  /// The longest name of a fingerprint, in bytes.
  public var maxTemplateFriendlyName: Int?
  /// Members that are not known.
  public var additional: CBORMap = CBORMap()

  /// Creates a response without any member.
  public init() {}
}

/// A fingerprint that is enrolled.
public struct FingerprintTemplate: Hashable, Sendable {
  /// What the key calls it.
  public var templateID: [UInt8]
  /// What the person calls it.
  public var templateFriendlyName: String?
  /// Members that are not known.
  public var additional: CBORMap

  /// Creates a fingerprint.
  public init(templateID: [UInt8], templateFriendlyName: String? = nil, additional: CBORMap = CBORMap()) {
    self.templateID = templateID
    self.templateFriendlyName = templateFriendlyName
    self.additional = additional
  }
}
