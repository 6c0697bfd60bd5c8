/// What a key's log and a host's report come to.
public struct Verdict: Hashable, Sendable {
  /// What the host's report is worth.
  public enum Result: Hashable, Sendable {
    /// It is what happens where nothing disturbs.
    case right
    /// It is a success, and only what nothing vouches for differs.
    case altered([Part])
    /// It is a typed error.
    case error(String, text: String)
    /// It is neither: see the violations.
    case none
  }

  /// The parts of a success that no signature, hash, length or type vouches for.
  public enum Part: String, Hashable, Sendable, CaseIterable {
    /// What the key says of itself.
    case info
    /// The ways to reach the key, which it says of itself.
    case transports
    /// The attestation certificate, apart from the public key that verifies the signature.
    case certificate
    /// Whether the credential is discoverable.
    case residence
    /// What the request's lists name.
    case list
    /// Whose credential signed, where the request names none, and what the key says of its user.
    case user
    /// Everything where there is no attestation: the key's answer is not signed.
    case unsigned
    /// The signature of an assertion, or what it covers, for which the relying party alone has the public key.
    case signature
    /// Which command it was that the key carried out.
    case command
    /// What the key tells of the credentials on it.
    case listing
  }

  /// What may not happen, whatever goes wrong on the way.
  public enum Violation: Hashable, Sendable {
    /// The host never came to an end.
    case hang
    /// The host ended this long after its time was over.
    case late(Duration)
    /// The host reports a success that is none.
    case wrongSuccess(String)
    /// More PIN tries were spent on the key than a person typed PINs.
    case pinTriedAgain(tries: Int, typed: Int)
    /// More than one credential was made.
    case secondCredential(Int)
    /// A credential was made, and the error does not say so.
    case unreportedCredential(String)
    /// The error about a credential does not say for which RP, or not how to look and remove.
    case noAdvice(String)
    /// The host ended and left the key at work, with neither CANCEL nor INIT.
    case leftAtWork(UInt8)
    /// The host ended what the key was waiting for with INIT, and the key never heard CANCEL.
    case notCancelled(UInt8)
    /// The host spoke on a channel that the key had not given out.
    case strayedChannel
    /// CTAP1 was spoken although nobody asked for it.
    case universalSecondFactor
    /// A large blob of somebody else is damaged or gone.
    case largeBlobLost(String)
    /// A change was made more than once.
    case changedAgain(Int)
    /// A change was made, and the error does not say that it may have been.
    case unreportedChange(String)
    /// Something was changed that nobody asked for.
    case unaskedChange(String)
    /// The error names no cause, or is the host's own fault.
    case unnamed(String)
  }

  /// What the host's report is worth.
  public var result: Result
  /// What happened that may not.
  public var violations: [Violation]

  /// Creates a verdict.
  public init(result: Result, violations: [Violation]) {
    self.result = result
    self.violations = violations
  }
}

extension Verdict.Violation: CustomStringConvertible {
  /// What happened, in words.
  public var description: String {
    switch self {
    case .hang: "the host never came to an end"
    case .late(let overtime): "the host ended \(overtime) after its deadline"
    case .wrongSuccess(let why): "a success that is none: \(why)"
    case .pinTriedAgain(let tries, let typed): "\(tries) PIN tries were spent, and \(typed) PINs typed"
    case .secondCredential(let count): "\(count) credentials were made"
    case .unreportedCredential(let text): "a credential was made, and the host says only: \(text)"
    case .noAdvice(let text): "no word on what it is about, or how to find out and remove it: \(text)"
    case .leftAtWork(let command): "the key was left working on command \(command)"
    case .notCancelled(let command): "command \(command) was stopped with INIT, and CANCEL never came"
    case .strayedChannel: "the host spoke on a channel that the key had not given out"
    case .universalSecondFactor: "the host went over to U2F"
    case .largeBlobLost(let why): "a large blob of another is lost: \(why)"
    case .changedAgain(let count): "the change was made \(count) times"
    case .unreportedChange(let text): "the change was made, and the host says only: \(text)"
    case .unaskedChange(let what): "nobody asked for this: \(what)"
    case .unnamed(let text): "no cause is named: \(text)"
    }
  }
}
