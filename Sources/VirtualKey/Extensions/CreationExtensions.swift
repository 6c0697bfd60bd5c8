import CBOR
import CTAPMessages
import Octets

/// The extension inputs of makeCredential that the key understands (CTAP 2.1 §12, CTAP 2.2 §12.8).
///
/// Identifiers that the profile does not announce, or that are unknown, are ignored.
struct CreationExtensions {
  /// The credProtect level; without the extension the lowest.
  var protection: Int { credProtect ?? CredentialProtection.optional }

  private var credProtect: Int?
  private var hmacSecret = false
  private var hmacSecretInput: HMACSecretInput?
  private var credBlob: [UInt8]?
  private var minPINLength = false
  private var largeBlobKey = false

  init(_ inputs: CBORMap, options: RequestOptions, profile: VirtualKeyProfile) throws(Refusal) {
    for (key, value) in inputs.entries {
      guard let identifier = key.textValue, profile.has(extension: identifier) else { continue }
      switch identifier {
      case "credProtect":
        guard let level = value.intValue else { throw Refusal(.cborUnexpectedType) }
        guard (CredentialProtection.optional...CredentialProtection.required).contains(level) else {
          throw Refusal(.invalidOption)
        }
        credProtect = level
      case "hmac-secret": hmacSecret = try value.flag()
      case "hmac-secret-mc": hmacSecretInput = try HMACSecretInput(value)
      case "credBlob":
        guard let blob = value.bytesValue else { throw Refusal(.cborUnexpectedType) }
        credBlob = blob
      case "minPinLength": minPINLength = try value.flag()
      case "largeBlobKey":
        guard try value.flag(), options.rk == true else { throw Refusal(.invalidOption) }
        largeBlobKey = true
      default: break
      }
    }
    // hmac-secret-mc is an addition to hmac-secret and nothing without it.
    if hmacSecretInput != nil, !hmacSecret { throw Refusal(.missingParameter) }
  }

  /// Gives the credential what it is to keep, and returns the outputs.
  func apply(
    to credential: inout StoredCredential, verified: Bool, by authenticator: Authenticator
  ) throws(Refusal) -> CBORMap {
    var outputs = CBORMap()
    outputs["credProtect"] = credProtect.map(CBORValue.int)
    if hmacSecret { outputs["hmac-secret"] = true }
    if let hmacSecretInput {
      let output = try authenticator.evaluate(hmacSecretInput, credential.secret, verified: verified)
      outputs["hmac-secret-mc"] = .bytes(output)
    }
    if let credBlob {
      let isStored = credential.isResident && credBlob.count <= authenticator.profile.maxCredBlobLength
      if isStored { credential.blob = credBlob }
      outputs["credBlob"] = .bool(isStored)
    }
    if minPINLength, authenticator.mayReadMinimumPINLength(credential.rpID) {
      outputs["minPinLength"] = .int(authenticator.minimumPINLength)
    }
    if largeBlobKey { credential.largeBlobKey = authenticator.random.bytes(32) }
    return outputs
  }
}

extension Authenticator {
  fileprivate func mayReadMinimumPINLength(_ rpID: String) -> Bool {
    configuration.minimumPINLengthRPIDs.contains(rpID) || state.minimumPINLengthRPIDs.contains(rpID)
  }
}

extension CBORValue {
  /// An extension input that is true or false.
  func flag() throws(Refusal) -> Bool {
    guard let boolValue else { throw Refusal(.cborUnexpectedType) }
    return boolValue
  }
}
