public import CTAPHID
public import CTAPMessages
internal import FIDOCrypto
internal import Timing

/// A credential that a key has, and the application that it is for.
public struct U2FHeldCredential: Hashable, Sendable {
  /// The credential.
  public let credential: CredentialDescriptor
  /// The RP ID or AppID whose hash the key knows it under.
  public let application: String
}

extension KeySession {
  /// Looks without a touch which credential of a list the key has, by the control byte check-only (FIDO U2F Raw Message
  /// Formats 1.2 §5.1).
  ///
  /// - Parameters:
  ///   - list: the credentials; ids longer than 255 bytes are no U2F key's and are passed over.
  ///   - applications: RP IDs or AppIDs, each tried with the whole list before the next one.
  ///   - wait: how long it may take; never more than 20 seconds of it.
  /// - Returns: the first one that is found, or nil.
  public func u2fHeldCredential(
    of list: [CredentialDescriptor], applications: [String], _ wait: Wait
  ) throws(CTAP2Error) -> U2FHeldCredential? {
    let end = min(wait.deadline, clock.now + Self.preflightLimit)
    var budget = wait
    budget.deadline = end
    let total = list.count * applications.count
    for (round, application) in applications.enumerated() {
      let hash = Digest.sha256(Array(application.utf8))
      for (index, credential) in list.enumerated() {
        let looked = round * list.count + index
        if clock.now >= end, wait.deadline > end { throw .listTooSlow(looked: looked, of: total) }
        do throws(CTAP2Error) {
          guard try u2fKnows(credential.id, application: hash, budget) else { continue }
          return U2FHeldCredential(credential: credential, application: application)
        } catch {
          if case .hid(.timeout) = error, wait.deadline > end { throw .listTooSlow(looked: looked, of: total) }
          throw error
        }
      }
    }
    return nil
  }

  private func u2fKnows(_ id: [UInt8], application: [UInt8], _ wait: Wait) throws(CTAP2Error) -> Bool {
    let request = U2FAuthenticateRequest(
      .checkOnly, challengeParameter: [UInt8](repeating: 0, count: 32), applicationParameter: application,
      keyHandle: id)
    guard let request, !id.isEmpty else { return false }
    func ask() throws(CTAP2Error) -> U2FOutcome<U2FAuthenticateResponse> {
      try u2f(request.frame(), repeatable: true, wait) { data throws(Unfit) in
        try Unfit.u2f { () throws(MessageError) in try U2FAuthenticateResponse(data) }
      }
    }
    // Check-only never succeeds; keys that sign all the same know the credential.
    var outcome = try ask()
    // Said of a request that came through damaged, too: once is no word on the credential.
    if case .status(.wrongLength) = outcome { outcome = try ask() }
    switch outcome {
    case .answer, .status(.conditionsNotSatisfied): return true
    case .status(let status) where status.meansUnknownCredential: return false
    case .status(let status): throw .u2f(status, instruction: U2FInstruction.authenticate)
    }
  }

  /// Waits for a touch, by a registration for no site, of which nothing is kept (CTAP 2.3 §10.2).
  func u2fTouch(_ wait: Wait) throws(CTAP2Error) {
    let request = U2FRegisterRequest(
      challengeParameter: [UInt8](repeating: 0, count: 32),
      applicationParameter: Digest.sha256(Array("touch.invalid".utf8)))
    // A second one would do no harm: nobody ever asks for the credential.
    try u2fUntilTouched(request.frame(), repeatable: true, wait) { data throws(Unfit) in
      _ = try Unfit.u2f { () throws(MessageError) in try U2FRegisterResponse(data) }
    }
  }
}
