import CBOR
import CTAPMessages
import Octets

/// The extension inputs of makeCredential that the key understands (CTAP 2.3 §12).
///
/// Identifiers that getInfo does not announce, or that are unknown, are ignored.
struct CreationExtensions {
  /// The credProtect level; without the extension the lowest.
  var protection: Int { credProtect ?? CredentialProtection.optional }

  private var credProtect: Int?
  private var hmacSecret = false
  private var hmacSecretInput: HMACSecretInput?
  private var credBlob: [UInt8]?
  private var minPINLength = false
  private var pinComplexityPolicy = false
  private var largeBlobKey = false
  private var largeBlob = false
  private var thirdPartyPayment = false
  private var echoes: [EchoExtension.Echo]

  init(_ inputs: CBORMap, options: RequestOptions, _ configuration: VirtualKeyConfiguration) throws(Refusal) {
    let profile = configuration.profile
    echoes = configuration.echoExtensions.compactMap { $0.echo(of: inputs) }
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
      case "largeBlob": largeBlob = try Self.wantsLargeBlob(value, options)
      case "pinComplexityPolicy": pinComplexityPolicy = try value.flag()
      case "thirdPartyPayment": thirdPartyPayment = try value.flag()
      default: break
      }
    }
    // hmac-secret-mc is an addition to hmac-secret and nothing without it.
    if hmacSecretInput != nil, !hmacSecret { throw Refusal(.missingParameter) }
  }

  /// Gives the credential what it is to keep, and returns the outputs.
  func apply(
    to credential: inout StoredCredential, verified: Bool, by authenticator: Authenticator
  ) throws(Refusal) -> ExtensionOutputs {
    var outputs = ExtensionOutputs()
    outputs.signed["credProtect"] = credProtect.map(CBORValue.int)
    if hmacSecret { outputs.signed["hmac-secret"] = true }
    if let hmacSecretInput {
      let output = try authenticator.evaluate(hmacSecretInput, credential.secret, verified: verified)
      outputs.signed["hmac-secret-mc"] = .bytes(output)
    }
    if let credBlob {
      let isStored = credential.isResident && credBlob.count <= authenticator.profile.maxCredBlobLength
      if isStored { credential.blob = credBlob }
      outputs.signed["credBlob"] = .bool(isStored)
    }
    if authenticator.mayReadPINPolicy(credential.rpID) {
      if minPINLength { outputs.signed["minPinLength"] = .int(authenticator.minimumPINLength) }
      if pinComplexityPolicy { outputs.signed["pinComplexityPolicy"] = .bool(authenticator.enforcesPINComplexity) }
    }
    if largeBlobKey { credential.largeBlobKey = authenticator.random.bytes(32) }
    if largeBlob { outputs.unsigned["largeBlob"] = ["supported": true] }
    // There is no output: the mark shows at sign-in (CTAP 2.2 §12.9).
    credential.isForPayment = thirdPartyPayment
    for echo in echoes { outputs.add(echo) }
    return outputs
  }

  /// Whether a credential is to have a large blob of its own (CTAP 2.3 §12.4), which only a resident one has room for.
  private static func wantsLargeBlob(_ value: CBORValue, _ options: RequestOptions) throws(Refusal) -> Bool {
    guard let input = value.mapValue else { throw Refusal(.cborUnexpectedType) }
    guard let support = input["support"]?.textValue, ["required", "preferred"].contains(support) else {
      throw Refusal(.invalidOption)
    }
    if options.rk == true { return true }
    if support == "required" { throw Refusal(.unsupportedExtension) }
    return false
  }
}

extension Authenticator {
  /// Whether a site may know the key's rules for PINs.
  fileprivate func mayReadPINPolicy(_ rpID: String) -> Bool {
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
