internal import CBOR
internal import CTAPHID
internal import CTAPMessages
internal import FIDOCrypto
internal import Timing
public import VirtualKey

/// Judges how a host served its task, from the key's own log and the host's report alone.
///
/// It knows nothing of what went wrong on the way, and shares no check with the host.
public struct Judge {
  let log: [VirtualKeyLogEntry]
  let report: HostReport
  let assignment: Assignment

  /// Judges one run.
  public static func verdict(
    log: [VirtualKeyLogEntry], report: HostReport, assignment: Assignment
  ) -> Verdict {
    Judge(log: log, report: report, assignment: assignment).verdict()
  }

  private func verdict() -> Verdict {
    var violations: [Verdict.Violation] = []
    let limit = assignment.deadline + assignment.overtime
    if report.end > limit { violations.append(.late(report.end.since(limit))) }
    // A right PIN gives the key's tries back, so only wrong ones are spent.
    let tries = log.count { if case .pinTry = $0.event { true } else { false } } - log.count { $0.event == .pinRight }
    if tries > report.typedPINs { violations.append(.pinTriedAgain(tries: tries, typed: report.typedPINs)) }
    if made.count > 1 { violations.append(.secondCredential(made.count)) }
    if strayed { violations.append(.strayedChannel) }
    if spokeU2F && !isU2FWanted { violations.append(.universalSecondFactor) }
    if let unstopped { violations.append(unstopped) }
    if changes > 1 { violations.append(.changedAgain(changes)) }
    violations += losses
    violations += unaskedChanges.map { .unaskedChange($0) }
    return Verdict(result: result(&violations), violations: violations)
  }

  private func result(_ violations: inout [Verdict.Violation]) -> Verdict.Result {
    switch report.outcome {
    case .never:
      violations.append(.hang)
      return .none
    case .failure(let failure):
      violations += objections(to: failure)
      if case .failure(let usual)? = assignment.undisturbed, usual.kind == failure.kind { return .right }
      return .error(failure.kind, text: failure.text)
    case .info(let info):
      guard case .info = assignment.task else { return wrong("no registration's response", &violations) }
      if !made.isEmpty { return wrong("a credential was made", &violations) }
      guard case .info(let usual)? = assignment.undisturbed, usual != info else { return .right }
      return .altered([.info])
    case .registration(let response):
      guard case .registration(let task) = assignment.task else {
        return wrong("a response without a registration", &violations)
      }
      return judge(response, task, &violations)
    case .assertion(let assertion):
      guard case .signIn(let task) = assignment.task else {
        return wrong("an assertion without a sign-in", &violations)
      }
      return judge(assertion, task, &violations)
    case .listing(let listed):
      guard case .listing = assignment.task else { return wrong("a listing that nobody asked for", &violations) }
      if !made.isEmpty { return wrong("a credential was made", &violations) }
      guard case .listing(let usual)? = assignment.undisturbed, usual != listed else { return .right }
      return .altered([.listing])
    case .changed:
      guard case .change = assignment.task else { return wrong("a change that nobody asked for", &violations) }
      if case .change(.largeBlob(let task)) = assignment.task, let fault = fault(of: task) {
        return wrong(fault, &violations)
      }
      if changes > 0 { return .right }
      return didSomethingElse ? .altered([.command]) : wrong("nothing was changed", &violations)
    }
  }

  // MARK: Errors

  private func objections(to failure: HostReport.Failure) -> [Verdict.Violation] {
    var violations: [Verdict.Violation] = []
    if failure.isUnnamed || failure.text.isEmpty { violations.append(.unnamed(failure.text)) }
    if !made.isEmpty, !failure.saysCredentialExists { violations.append(.unreportedCredential(failure.text)) }
    if failure.saysCredentialExists, !advises(failure) { violations.append(.noAdvice(failure.text)) }
    if changes > 0, !failure.saysChangeUncertain { violations.append(.unreportedChange(failure.text)) }
    if failure.saysChangeUncertain, !tellsHowToFindOut(failure) { violations.append(.noAdvice(failure.text)) }
    return violations
  }

  /// Whether an error about a credential names it, or its RP, and says how to look for it and remove it.
  private func advises(_ failure: HostReport.Failure) -> Bool {
    // Only a registration can leave a credential behind.
    guard case .registration(let task) = assignment.task else { return false }
    let text = failure.text
    let names = text.contains(task.rpID) || failure.credentialID != nil
    guard task.isResident else { return names }
    return names && (text.contains("list") || text.contains("look"))
      && (text.contains("delete") || text.contains("remove"))
  }

  // MARK: The log

  var made: [(rpID: String, id: [UInt8], isResident: Bool)] {
    log.compactMap { entry in
      switch entry.event {
      case .credentialMade(let rpID, let id, let resident): return (rpID, id, resident)
      // What U2F makes for another application is for nobody: a touch is asked for in this way.
      case .u2fRegistered(let application, let id):
        guard case .registration(let task) = assignment.task, application == Digest.sha256(Array(task.rpID.utf8))
        else { return nil }
        return (task.rpID, id, false)
      default: return nil
      }
    }
  }

  private var isU2FWanted: Bool {
    switch assignment.task {
    case .registration(let task): task.isU2F
    case .signIn(let task): task.isU2F
    default: false
    }
  }

  private var strayed: Bool {
    log.contains { if case .refused(.invalidChannel, _) = $0.event { true } else { false } }
  }

  private var spokeU2F: Bool {
    log.contains { if case .u2fCommand = $0.event { true } else { false } }
  }

  /// What the host did not stop in the right way, of what the key was asking for a touch for.
  private var unstopped: Verdict.Violation? {
    var running: (command: UInt8, channel: ChannelID)?
    var isAsking = false
    for entry in log where entry.instant <= report.end {
      switch entry.event {
      case .command(let command, let channel, _):
        running = (command, channel)
        isAsking = false
      case .touchAsked: isAsking = true
      case .initialised(let channel) where isAsking && channel == running?.channel:
        return running.map { .notCancelled($0.command) }
      case .answered, .cancelled, .unplugged, .poweredUp:
        running = nil
        isAsking = false
      default: break
      }
    }
    return isAsking ? running.map { .leftAtWork($0.command) } : nil
  }

  // MARK: Successes

  func wrong(_ why: String, _ violations: inout [Verdict.Violation]) -> Verdict.Result {
    violations.append(.wrongSuccess(why))
    return .none
  }

  private func judge(
    _ response: HostReport.Response, _ task: Assignment.Registration, _ violations: inout [Verdict.Violation]
  ) -> Verdict.Result {
    guard let credential = made.first else { return wrong("the key made no credential", &violations) }
    var parts: [Verdict.Part] = []
    do throws(ResponseFault) {
      let content = try RegistrationContent(response)
      try content.check(task)
      switch try content.signature() {
      case .right: break
      case .none: parts.append(.unsigned)
      case .certificateUnreadable: parts.append(.certificate)
      }
      if credential.id != response.credentialID, !content.isUnattested {
        throw ResponseFault("the id is not the credential's")
      }
      if credential.rpID != task.rpID { throw ResponseFault("the credential is for \(credential.rpID)") }
      if case .registration(let usual)? = assignment.undisturbed {
        if usual.transports != response.transports { parts.append(.transports) }
        let normal = try RegistrationContent(usual)
        if normal.statement["x5c"] != content.statement["x5c"], !parts.contains(.certificate) {
          parts.append(.certificate)
        }
        if normal.isUnattested != content.isUnattested { throw ResponseFault("the attestation is gone") }
        // Without a signature a fault may have changed something; the same bytes are the same for all that.
        if normal.isUnattested, content.isLike(normal) { parts.removeAll { $0 == .unsigned } }
      }
    } catch {
      return wrong(error.reason, &violations)
    }
    if credential.isResident != task.isResident { parts.append(.residence) }
    // A list can keep the key from making a credential, and nothing shows that the key read it as it was.
    if case .failure? = assignment.undisturbed { parts.append(.list) }
    return parts.isEmpty ? .right : .altered(parts)
  }
}
