public import CTAPHID
public import CTAPMessages

/// What a key says of its fingerprint sensor.
public struct FingerprintSensor: Hashable, Sendable {
  /// How a finger goes over it.
  public enum Kind: Hashable, Sendable {
    /// It is touched.
    case touch
    /// It is swiped.
    case swipe
    /// A number that the specification does not know.
    case other(Int)
  }

  /// How a finger goes over it, where the key tells it.
  public let kind: Kind?
  /// The most good samples that an enrolment takes, where the key tells it.
  public let maximumSamples: Int?
  /// The longest name of a fingerprint, in bytes of UTF-8, where the key tells it.
  public let maximumNameLength: Int?
}

extension KeySession {
  /// The longest name of a fingerprint where the key does not say, in bytes of UTF-8.
  public static let standardFingerprintNameLength = 64
  /// The most fingerprints that are listed; far more than any key holds.
  static let mostFingerprints = 256

  /// Asks which kind of measure the key takes: 1 is the fingerprint, the only one that is defined (CTAP 2.3 §6.7.2).
  public func bioModality(_ wait: Wait) throws(CTAP2Error) -> Int {
    try bio(.modalityRequest, nil, wait) { response throws(Unfit) in
      guard let modality = response.modality else { throw Unfit("it has no modality") }
      return modality
    }
  }

  /// Asks what the key's fingerprint sensor is like (CTAP 2.3 §6.7.3); takes no token.
  public func fingerprintSensor(_ wait: Wait) throws(CTAP2Error) -> FingerprintSensor {
    try bio(BioEnrollmentRequest(.getFingerprintSensorInfo), nil, wait) { response throws(Unfit) in
      let kind: FingerprintSensor.Kind? =
        switch response.fingerprintKind {
        case nil: nil
        case 1: .touch
        case 2: .swipe
        case .some(let number): .other(number)
        }
      return FingerprintSensor(
        kind: kind, maximumSamples: response.maxCaptureSamplesRequiredForEnroll,
        maximumNameLength: response.maxTemplateFriendlyName)
    }
  }

  /// Lists the fingerprints that are enrolled (CTAP 2.3 §6.7.6); empty where none is.
  public func fingerprints(
    _ token: PINUVAuthToken, _ wait: Wait
  ) throws(CTAP2Error) -> [FingerprintTemplate] {
    do throws(CTAP2Error) {
      return try bio(BioEnrollmentRequest(.enumerateEnrollments), token, wait) { response throws(Unfit) in
        let list = response.templateInfos ?? []
        guard list.count <= Self.mostFingerprints else { throw Unfit("it has \(list.count) fingerprints") }
        guard list.allSatisfy({ !$0.templateID.isEmpty }) else { throw Unfit("a fingerprint has no identifier") }
        return list
      }
    } catch {
      // How keys say that there is none.
      if case .status(.invalidOption, _) = error { return [] }
      throw error
    }
  }

  /// Names a fingerprint (CTAP 2.3 §6.7.7); sent once and never again.
  ///
  /// - Parameters:
  ///   - templateID: the fingerprint, as the key listed it.
  ///   - name: its name; how long it may be is what `fingerprintSensor` tells.
  ///   - token: a token with permission `bioEnrollment`.
  ///   - wait: how long it may take.
  /// - Throws: `changeUncertain` where the answer was lost; `status(.invalidOption)` where there is no such fingerprint.
  public func nameFingerprint(
    _ templateID: [UInt8], _ name: String, _ token: PINUVAuthToken, _ wait: Wait
  ) throws(CTAP2Error) {
    let parameters = BioEnrollmentParameters(templateID: templateID, templateFriendlyName: name)
    try changeBio(.nameFingerprint, BioEnrollmentRequest(.setFriendlyName, parameters), token, wait) {
      _ throws(Unfit) in
    }
  }

  /// Removes a fingerprint (CTAP 2.3 §6.7.8); sent once and never again.
  ///
  /// - Parameters:
  ///   - templateID: the fingerprint, as the key listed it.
  ///   - token: a token with permission `bioEnrollment`.
  ///   - wait: how long it may take.
  /// - Throws: as `nameFingerprint`.
  public func removeFingerprint(
    _ templateID: [UInt8], _ token: PINUVAuthToken, _ wait: Wait
  ) throws(CTAP2Error) {
    let parameters = BioEnrollmentParameters(templateID: templateID)
    try changeBio(.removeFingerprint, BioEnrollmentRequest(.removeEnrollment, parameters), token, wait) {
      _ throws(Unfit) in
    }
  }

  // MARK: Sending

  /// Sends a request that changes nothing.
  private func bio<Answer>(
    _ request: BioEnrollmentRequest, _ token: PINUVAuthToken?, _ wait: Wait,
    _ read: @escaping (BioEnrollmentResponse) throws(Unfit) -> Answer
  ) throws(CTAP2Error) -> Answer {
    let parameters = request.signed(token).cbor()
    return try inKnownForm(try bioForms(wait)) { (command) throws(CTAP2Error) in
      try exchange(command, parameters, repeatable: true, wait) { value throws(Unfit) in
        try read(Unfit.read(BioEnrollmentResponse.self, value))
      }
    }
  }

  /// Sends a request that changes something, once.
  func changeBio<Answer>(
    _ kind: KeyChange, _ request: BioEnrollmentRequest, _ token: PINUVAuthToken?, _ wait: Wait,
    _ read: @escaping (BioEnrollmentResponse) throws(Unfit) -> Answer
  ) throws(CTAP2Error) -> Answer {
    let parameters = request.signed(token).cbor()
    return try inKnownForm(try bioForms(wait)) { (command) throws(CTAP2Error) in
      try change(kind, command, parameters, wait) { value throws(Unfit) in
        try read(Unfit.read(BioEnrollmentResponse.self, value))
      }
    }
  }

  private func bioForms(_ wait: Wait) throws(CTAP2Error) -> ManagementForms {
    let info = try info(wait)
    guard info.hasFingerprints else { throw .notOffered("fingerprints") }
    return ManagementForms(
      final: .bioEnrollment, preview: .bioEnrollmentPreview, isFinal: info.options?[.bioEnroll] != nil)
  }
}

extension GetInfoResponse {
  /// Whether the key takes fingerprints by command, enrolled or not, by the final command or by its preview.
  public var hasFingerprints: Bool {
    options?[.bioEnroll] != nil || options?[.userVerificationMgmtPreview] != nil
  }
}

extension BioEnrollmentRequest {
  /// The request with the token's proof, where it takes one.
  fileprivate func signed(_ token: PINUVAuthToken?) -> BioEnrollmentRequest {
    guard let token else { return self }
    var request = self
    request.pinUvAuthProtocol = token.version.rawValue
    request.pinUvAuthParam = token.authenticate(authenticatedBytes)
    return request
  }
}
