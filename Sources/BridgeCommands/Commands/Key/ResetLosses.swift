import CTAP2
import CTAPMessages
import JSONText
import WebAuthnClient

/// What a reset takes away, as far as the key tells.
struct ResetLosses: Sendable {
  let hasPIN: Bool
  /// The discoverable credentials; nil where nobody was verified, so that the key does not tell.
  var credentials: Int?
  /// The fingerprints; nil where the key does not tell, or has no sensor.
  var fingerprints: Int?

  /// Asks the key, with its PIN where somebody gives it: without one it tells nobody what is on it.
  init(_ key: ManagedKey, pinIsSupplied: Bool) async throws(WebAuthnError) {
    let info = key.authenticator.abilities
    hasPIN = info.options?[.clientPin] == true
    guard info.hasCredentialManagement || info.hasFingerprints else { return }
    // A person who gives no PIN has perhaps forgotten it, which is why the key is to be reset.
    guard let token = try await key.countingToken(pinIsSupplied: pinIsSupplied) else { return }
    let counts = try await key.run { (session, wait) throws(CTAP2Error) in
      (
        info.hasCredentialManagement ? try? session.credentialMetadata(token, wait).existing : nil,
        info.hasFingerprints && token.permissions.contains(.bioEnrollment)
          ? try? session.fingerprints(token, wait).count : nil
      )
    }
    credentials = counts.0
    fingerprints = counts.1
  }

  /// What will be lost, in sentences.
  var words: String {
    var parts: [String] = []
    switch credentials {
    case 0?: parts.append("no discoverable credential")
    case 1?: parts.append("1 discoverable credential")
    case .some(let count): parts.append("\(count) discoverable credentials")
    case nil: parts.append("every discoverable credential (how many is not known)")
    }
    if let fingerprints, fingerprints > 0 {
      parts.append(fingerprints == 1 ? "1 fingerprint" : "\(fingerprints) fingerprints")
    }
    if hasPIN { parts.append("the PIN") }
    parts.append("the key's settings and stored data")
    let list = parts.dropLast().joined(separator: ", ") + " and " + (parts.last ?? "")
    return "A reset erases \(list), for good. Every account that this key is registered for, also where the site alone "
      + "keeps the credential, can't be signed in to with it any more."
  }

  var json: JSONOutput {
    let number: (Int?) -> JSONOutput = { $0.map(JSONOutput.int) ?? .null }
    return .object([
      ("pin", .bool(hasPIN)), ("credentials", number(credentials)), ("fingerprints", number(fingerprints)),
    ])
  }
}

extension ManagedKey {
  /// A token that lets what is on the key be counted; nil where nobody gives the PIN, or none would do.
  fileprivate func countingToken(pinIsSupplied: Bool) async throws(WebAuthnError) -> PINUVAuthToken? {
    var permissions: PINUVAuthPermissions = []
    let info = authenticator.abilities
    guard info.options?[.clientPin] == true, !info.mustChangePIN else { return nil }
    if info.hasCredentialManagement { permissions.insert(.credentialManagement) }
    if info.hasFingerprints { permissions.insert(.bioEnrollment) }
    do throws(WebAuthnError) {
      return try await optionalToken(permissions)
    } catch {
      switch error.kind {
      // What was given and is of no use is to be known; that nobody had a PIN, or that none can do, is no obstacle.
      case .pinInvalid where !pinIsSupplied: return nil
      case .pinMissing, .pinBlocked, .pinNeedsReplug, .noSuitableKey, .keyRefused: return nil
      default: throw error
      }
    }
  }
}
