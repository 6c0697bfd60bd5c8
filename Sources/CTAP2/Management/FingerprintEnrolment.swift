public import CTAPHID
public import CTAPMessages
internal import Timing

/// What came of one sample of a fingerprint that is being enrolled.
public struct FingerprintSample: Hashable, Sendable {
  /// How good it was.
  public let status: EnrollSampleStatus
  /// How many more good ones the key needs.
  public let remaining: Int
}

extension KeySession {
  /// The most samples that an enrolment takes, good and bad ones together.
  static let mostSamples = 128
  /// The longest time for one sample that is asked for.
  static let longestSample = Duration.seconds(3600)
  /// How long a key has to end an enrolment that is given up.
  static let enrolmentEnd = Duration.seconds(2)

  /// Enrols a fingerprint: has the key take samples until it needs no more (CTAP 2.3 §6.7.4).
  ///
  /// The key waits for a finger before each sample, which the wait's keep-alives tell. Cancelling the wait ends the
  /// enrolment on the key too, at any moment, and whatever goes wrong on the way does.
  ///
  /// - Parameters:
  ///   - token: a token with permission `bioEnrollment`.
  ///   - sampleTimeout: how long the key waits for a finger before each sample; nil leaves it to the key.
  ///   - wait: how long all of it may take.
  ///   - onSample: told of each sample as it comes, the last one with none remaining.
  /// - Returns: the fingerprint's identifier; it has no name yet.
  /// - Throws: `changeUncertain` where the answer to what may have been the last sample was lost;
  ///   `status(.fingerprintDatabaseFull)` where there is no room.
  public func enrollFingerprint(
    _ token: PINUVAuthToken, sampleTimeout: Duration? = nil, _ wait: Wait,
    onSample: (FingerprintSample) -> Void = { _ in }
  ) throws(CTAP2Error) -> [UInt8] {
    let milliseconds = sampleTimeout.map { Int((min($0, Self.longestSample) / .milliseconds(1)).rounded(.up)) }
    var template: [UInt8]?
    var remaining: Int?
    do throws(CTAP2Error) {
      for _ in 0..<Self.mostSamples {
        let (id, sample) = try capture(template, milliseconds, token, wait)
        template = id
        remaining = sample.remaining
        onSample(sample)
        if sample.remaining == 0 { return id }
      }
      throw .misfit("it wants more than \(Self.mostSamples) samples", .bioEnrollment)
    } catch {
      endEnrolment()
      // With more than one sample to go, the one whose answer was lost was not the last.
      guard case .changeUncertain(_, let cause) = error, let remaining, remaining > 1 else { throw error }
      throw cause
    }
  }

  /// Takes one sample: the first one where there is no identifier yet.
  private func capture(
    _ template: [UInt8]?, _ milliseconds: Int?, _ token: PINUVAuthToken, _ wait: Wait
  ) throws(CTAP2Error) -> ([UInt8], FingerprintSample) {
    let parameters = BioEnrollmentParameters(templateID: template, timeoutMilliseconds: milliseconds)
    let isEmpty = template == nil && milliseconds == nil
    let request = BioEnrollmentRequest(
      template == nil ? .enrollBegin : .enrollCaptureNextSample, isEmpty ? nil : parameters)
    return try changeBio(.enrollFingerprint, request, token, wait) { response throws(Unfit) in
      guard let status = response.lastEnrollSampleStatus, let remaining = response.remainingSamples else {
        throw Unfit("it does not say what came of the sample")
      }
      guard let id = response.templateID ?? template, !id.isEmpty else { throw Unfit("it has no identifier") }
      guard template == nil || id == template else { throw Unfit("it is for another fingerprint") }
      return (id, FingerprintSample(status: status, remaining: remaining))
    }
  }

  /// Has the key forget an enrolment that is not whole; what comes of it is of no interest.
  private func endEnrolment() {
    let wait = Wait(deadline: clock.now + Self.enrolmentEnd)
    try? changeBio(.enrollFingerprint, BioEnrollmentRequest(.cancelCurrentEnrollment), nil, wait) {
      _ throws(Unfit) in
    }
  }
}
