internal import CTAPMessages
internal import FIDOCrypto
internal import VirtualKey

extension Judge {
  /// Looks at an assertion as its relying party does, which has the public keys.
  func judge(
    _ assertion: HostReport.Assertion, _ task: Assignment.SignIn, _ violations: inout [Verdict.Violation]
  ) -> Verdict.Result {
    if !made.isEmpty { return wrong("a credential was made", &violations) }
    do throws(ResponseFault) {
      let content = try AssertionContent(assertion, task)
      try content.check(task)
      // Where the request names no credential, the relying party alone finds out that there is no such one.
      guard let credential = content.credential else { return .altered([.user]) }
      guard content.isSigned(by: credential) else { return .altered([.signature]) }
      let signatures = log.compactMap { entry -> UInt32? in
        switch entry.event {
        case .signed(task.rpID, credential.id, let counter): return counter
        case .u2fSigned(Digest.sha256(Array(task.rpID.utf8)), credential.id, let counter, true): return counter
        default: return nil
        }
      }
      guard signatures.contains(content.data.signCount) else {
        throw ResponseFault("the key gave no signature with this counter")
      }
      // The key says whose credential it is, and how many there are to choose from, and signs neither.
      let isKnownUser = assertion.userHandle.map { $0 == credential.userHandle } ?? true
      let isMeant = task.wanted.map { $0 == credential.id } ?? true
      return isKnownUser && isMeant ? .right : .altered([.user])
    } catch {
      return wrong(error.reason, &violations)
    }
  }
}
