import CTAPMessages
import Octets

// authenticatorBioEnrollment (CTAP 2.3 §6.7), and its preview 0x40, which is the same.
extension Authenticator {
  /// The samples of one enrolment.
  static let samplesForFingerprint = 4
  /// The fingerprints that there is room for.
  static let fingerprintCapacity = 5
  /// The longest name of a fingerprint, in bytes.
  static let fingerprintNameLimit = 64

  func bioEnrollment(_ request: BioEnrollmentRequest) throws(Refusal) -> Outcome {
    if request.getModality == true {
      var response = BioEnrollmentResponse()
      response.modality = BioEnrollmentRequest.fingerprint
      return .message(response)
    }
    guard let subCommand = request.subCommand else { throw Refusal(.missingParameter) }
    guard request.modality == BioEnrollmentRequest.fingerprint else {
      throw Refusal(request.modality == nil ? .missingParameter : .unsupportedOption)
    }
    switch subCommand {
    case .getFingerprintSensorInfo: return sensorInfo()
    case .cancelCurrentEnrollment:
      enrolment = nil
      return .success(nil)
    case .enrollBegin: return try beginEnrolment(request)
    case .enrollCaptureNextSample: return try captureSample(request)
    case .enumerateEnrollments: return try listFingerprints(request)
    case .setFriendlyName: return try nameFingerprint(request)
    case .removeEnrollment: return try removeFingerprint(request)
    default: throw Refusal(.invalidSubcommand)
    }
  }

  private func sensorInfo() -> Outcome {
    var response = BioEnrollmentResponse()
    response.modality = BioEnrollmentRequest.fingerprint
    response.fingerprintKind = 1
    response.maxCaptureSamplesRequiredForEnroll = Self.samplesForFingerprint
    response.maxTemplateFriendlyName = Self.fingerprintNameLimit
    return .message(response)
  }

  private func authorize(_ request: BioEnrollmentRequest) throws(Refusal) {
    let proof = ManagementProof(
      message: request.authenticatedBytes, param: request.pinUvAuthParam, version: request.pinUvAuthProtocol)
    try requireToken(proof, .bioEnrollment)
  }

  // MARK: Enrolling

  private func beginEnrolment(_ request: BioEnrollmentRequest) throws(Refusal) -> Outcome {
    try authorize(request)
    enrolment = nil
    guard state.fingerprints.count < Self.fingerprintCapacity else { throw Refusal(.fingerprintDatabaseFull) }
    let begun = Enrolment(
      id: Self.fingerprintID(random.bytes(2), unlike: state.fingerprints.map(\.id)),
      remaining: Self.samplesForFingerprint)
    return try takeSample(begun, request)
  }

  /// The two bytes, as sensors have them, that were drawn, or the next ones that no other fingerprint has.
  static func fingerprintID(_ drawn: [UInt8], unlike others: [[UInt8]]) -> [UInt8] {
    var id = drawn
    while others.contains(id) { id = [id[0], id[1] &+ 1] }
    return id
  }

  private func captureSample(_ request: BioEnrollmentRequest) throws(Refusal) -> Outcome {
    try authorize(request)
    let id = try required(try required(request.subCommandParams).templateID)
    guard let running = enrolment, running.id == id else { throw Refusal(.notAllowed) }
    return try takeSample(running, request)
  }

  /// Waits for a finger; one that does not come is feedback and no error (CTAP 2.3 §6.7.4).
  private func takeSample(_ running: Enrolment, _ request: BioEnrollmentRequest) throws(Refusal) -> Outcome {
    let patience = request.subCommandParams?.timeoutMilliseconds.map { Duration.milliseconds($0) }
    return try askForTouch(.bioEnrollment, nil, patience: patience) { (answer) throws(Refusal) in
      var next = running
      var status = EnrollSampleStatus.noUserActivity
      switch answer {
      case .given: status = self.configuration.fingerprints.sample(next.taken)
      case .declined: throw Refusal(.operationDenied)
      case .timedOut: break
      }
      if answer == .given { next.taken += 1 }
      if status == .good { next.remaining -= 1 }
      try self.keep(next)
      self.log.add(.fingerprintSample(status, remaining: next.remaining))
      var response = BioEnrollmentResponse()
      response.templateID = next.id
      response.lastEnrollSampleStatus = status
      response.remainingSamples = next.remaining
      return .message(response)
    }
  }

  private func keep(_ next: Enrolment) throws(Refusal) {
    guard next.remaining == 0 else {
      enrolment = next
      return
    }
    enrolment = nil
    try commit { $0.fingerprints.append(StoredFingerprint(id: next.id)) }
    log.add(.fingerprintEnrolled(id: next.id))
  }

  // MARK: Looking after those that are enrolled

  private func listFingerprints(_ request: BioEnrollmentRequest) throws(Refusal) -> Outcome {
    try authorize(request)
    if state.fingerprints.isEmpty { throw Refusal(.invalidOption) }
    var response = BioEnrollmentResponse()
    response.templateInfos = state.fingerprints.map {
      FingerprintTemplate(templateID: $0.id, templateFriendlyName: $0.name)
    }
    return .message(response)
  }

  private func nameFingerprint(_ request: BioEnrollmentRequest) throws(Refusal) -> Outcome {
    try authorize(request)
    let index = try fingerprint(request)
    let name = try required(request.subCommandParams?.templateFriendlyName)
    guard name.utf8.count <= Self.fingerprintNameLimit else { throw Refusal(.invalidLength) }
    try commit { $0.fingerprints[index].name = name }
    return .success(nil)
  }

  private func removeFingerprint(_ request: BioEnrollmentRequest) throws(Refusal) -> Outcome {
    try authorize(request)
    let index = try fingerprint(request)
    let id = state.fingerprints[index].id
    try commit { $0.fingerprints.remove(at: index) }
    log.add(.fingerprintRemoved(id: id))
    return .success(nil)
  }

  private func fingerprint(_ request: BioEnrollmentRequest) throws(Refusal) -> Int {
    let id = try required(try required(request.subCommandParams).templateID)
    guard let index = state.fingerprints.firstIndex(where: { $0.id == id }) else { throw Refusal(.invalidOption) }
    return index
  }
}

/// An enrolment that goes on; lost with the power.
struct Enrolment {
  let id: [UInt8]
  /// The good samples that are still needed.
  var remaining: Int
  /// The samples that were taken, good or not.
  var taken = 0
}

/// A fingerprint that is enrolled.
struct StoredFingerprint: Hashable, Sendable {
  var id: [UInt8]
  var name: String?
}
