public import CBOR

/// The parameters of authenticatorBioEnrollment and of its preview (CTAP 2.3 §6.7).
public struct BioEnrollmentRequest: Hashable, Sendable {
  /// The number of the modality that fingerprints are.
  public static let fingerprint = 1

  /// The modality; needed by all subcommands.
  public var modality: Int?
  /// What is asked for.
  public var subCommand: BioEnrollmentSubcommand?
  /// The parameters of the subcommand.
  public var subCommandParams: BioEnrollmentParameters?
  /// The PIN/UV protocol of the token.
  public var pinUvAuthProtocol: Int?
  /// What proves that a PIN/UV token is held, over `authenticatedBytes`.
  public var pinUvAuthParam: [UInt8]?
  /// Asks which modality the key has; then there is no subcommand.
  public var getModality: Bool?
  /// Parameters that are not known.
  public var additional: CBORMap

  /// Creates a request.
  public init(
    _ subCommand: BioEnrollmentSubcommand?, _ subCommandParams: BioEnrollmentParameters? = nil,
    modality: Int? = BioEnrollmentRequest.fingerprint, pinUvAuthProtocol: Int? = nil,
    pinUvAuthParam: [UInt8]? = nil, getModality: Bool? = nil, additional: CBORMap = CBORMap()
  ) {
    self.modality = modality
    self.subCommand = subCommand
    self.subCommandParams = subCommandParams
    self.pinUvAuthProtocol = pinUvAuthProtocol
    self.pinUvAuthParam = pinUvAuthParam
    self.getModality = getModality
    self.additional = additional
  }

  /// The request that asks which modality the key has.
  public static let modalityRequest = BioEnrollmentRequest(nil, modality: nil, getModality: true)

  /// What `pinUvAuthParam` is computed over: modality, subcommand and its parameters in canonical CBOR.
  public var authenticatedBytes: [UInt8] {
    [UInt8(truncatingIfNeeded: modality ?? 0), UInt8(truncatingIfNeeded: subCommand?.rawValue ?? 0)]
      + (subCommandParams?.encoded() ?? [])
  }
}

/// What authenticatorBioEnrollment is asked to do; other numbers are kept.
public struct BioEnrollmentSubcommand: RawRepresentable, Hashable, Sendable {
  /// The number on the wire.
  public let rawValue: Int

  /// Creates a subcommand from a number, known or not.
  public init(rawValue: Int) { self.rawValue = rawValue }

  /// Starts an enrolment and takes the first sample.
  public static let enrollBegin = BioEnrollmentSubcommand(rawValue: 0x01)
  /// Takes the next sample.
  public static let enrollCaptureNextSample = BioEnrollmentSubcommand(rawValue: 0x02)
  /// Ends the enrolment without a result.
  public static let cancelCurrentEnrollment = BioEnrollmentSubcommand(rawValue: 0x03)
  /// Lists what is enrolled.
  public static let enumerateEnrollments = BioEnrollmentSubcommand(rawValue: 0x04)
  /// Names an enrolled fingerprint.
  public static let setFriendlyName = BioEnrollmentSubcommand(rawValue: 0x05)
  /// Removes an enrolled fingerprint.
  public static let removeEnrollment = BioEnrollmentSubcommand(rawValue: 0x06)
  /// Describes the sensor.
  public static let getFingerprintSensorInfo = BioEnrollmentSubcommand(rawValue: 0x07)
}

/// The parameters of the subcommands of authenticatorBioEnrollment.
public struct BioEnrollmentParameters: Hashable, Sendable {
  /// The enrolled fingerprint.
  public var templateID: [UInt8]?
  /// Its name.
  public var templateFriendlyName: String?
  /// How long the key waits for a sample, in milliseconds.
  public var timeoutMilliseconds: Int?
  /// Parameters that are not known.
  public var additional: CBORMap

  /// Creates parameters.
  public init(
    templateID: [UInt8]? = nil, templateFriendlyName: String? = nil, timeoutMilliseconds: Int? = nil,
    additional: CBORMap = CBORMap()
  ) {
    self.templateID = templateID
    self.templateFriendlyName = templateFriendlyName
    self.timeoutMilliseconds = timeoutMilliseconds
    self.additional = additional
  }
}
