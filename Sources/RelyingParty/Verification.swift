public import JSONText

/// What the checks of a response found.
public struct Verification: Sendable {
  /// The ceremony that the response is of.
  public enum Ceremony: String, Hashable, Sendable {
    /// A registration.
    case registration
    /// A sign-in.
    case authentication
  }

  /// The ceremony.
  public let ceremony: Ceremony
  /// Every check, in order.
  public let checks: [Check]
  /// What a server would keep of the credential, with the new counter after a sign-in; nil where a check failed.
  public let credential: CredentialRecord?

  init(_ ceremony: Ceremony, _ checks: [Check], _ credential: CredentialRecord?) {
    self.ceremony = ceremony
    self.checks = checks
    self.credential = checks.contains(where: \.isFailure) ? nil : credential
  }

  /// Whether no check failed; some may not have been made.
  public var passed: Bool { !checks.contains(where: \.isFailure) }

  /// The findings as JSON: `ceremony`, `verified`, `checks` and, where nothing failed, `credential`.
  public var json: JSONOutput {
    var members: [(String, JSONOutput)] = [
      ("ceremony", .string(ceremony.rawValue)), ("verified", .bool(passed)), ("checks", .array(checks.map(\.json))),
    ]
    if let credential { members.append(("credential", credential.json)) }
    return .object(members)
  }
}

extension Check {
  /// The word for the outcome, the same in text and in JSON.
  public var result: String {
    switch outcome {
    case .passed: "passed"
    case .failed: "failed"
    case .notChecked: "not checked"
    }
  }

  /// What was seen, or the reason.
  public var detail: String {
    switch outcome {
    case .passed(let text), .failed(let text), .notChecked(let text): text
    }
  }

  fileprivate var json: JSONOutput {
    var members: [(String, JSONOutput)] = [("check", .string(subject.rawValue)), ("result", .string(result))]
    if !detail.isEmpty { members.append(("detail", .string(detail))) }
    return .object(members)
  }
}
