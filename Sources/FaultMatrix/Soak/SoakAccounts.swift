internal import FaultJudge
internal import VirtualKey

/// The books on every credential that the key made: what became of it, and what the host said.
struct SoakAccounts {
  /// Credentials that the key made, from its log.
  private(set) var made = 0
  /// Those of them that the host returned.
  private(set) var returned = 0
  /// Those of them of which an error said that they exist, or may exist.
  private(set) var told = 0
  /// Signatures that the key gave, from its log.
  private(set) var signatures = 0
  /// Sign-ins that succeeded.
  private(set) var signedIn = 0
  /// The discoverable credentials that the key must still have, by RP ID.
  private(set) var held: [String: Set<[UInt8]>] = [:]

  /// Enters one run.
  mutating func add(_ log: [VirtualKeyLogEntry], _ outcome: HostReport.Outcome) {
    for entry in log {
      switch entry.event {
      case .credentialMade(let rpID, let id, let resident):
        made += 1
        if resident { held[rpID, default: []].insert(id) }
        switch outcome {
        case .registration: returned += 1
        case .failure(let failure) where failure.saysCredentialExists: told += 1
        default: break
        }
      case .credentialReplaced(let rpID, let id): held[rpID]?.remove(id)
      case .signed: signatures += 1
      default: break
      }
    }
    if case .assertion = outcome { signedIn += 1 }
  }

  /// What does not add up, in words.
  var objections: [String] {
    made == returned + told ? [] : ["the key made \(made) credentials; \(returned) were returned and \(told) told of"]
  }
}
