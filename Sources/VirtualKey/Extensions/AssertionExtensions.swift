import CBOR
import CTAPMessages

/// The extension inputs of getAssertion that the key understands (CTAP 2.1 §12).
struct AssertionExtensions {
  private var hmacSecret: HMACSecretInput?
  private var credBlob = false
  private(set) var largeBlobKey = false

  init(_ inputs: CBORMap, options: RequestOptions, profile: VirtualKeyProfile) throws(Refusal) {
    for (key, value) in inputs.entries {
      guard let identifier = key.textValue, profile.has(extension: identifier) else { continue }
      switch identifier {
      case "hmac-secret":
        hmacSecret = try HMACSecretInput(value)
        // The function is not evaluated behind a person's back.
        if options.up == false { throw Refusal(.unsupportedOption) }
      case "credBlob": credBlob = try value.flag()
      case "largeBlobKey":
        guard try value.flag() else { throw Refusal(.invalidOption) }
        largeBlobKey = true
      default: break
      }
    }
  }

  /// The outputs for the credential that answers.
  func outputs(
    _ credential: StoredCredential, verified: Bool, by authenticator: Authenticator
  ) throws(Refusal) -> CBORMap {
    var outputs = CBORMap()
    if let hmacSecret {
      let output = try authenticator.evaluate(hmacSecret, credential.secret, verified: verified)
      outputs["hmac-secret"] = .bytes(output)
    }
    if credBlob { outputs["credBlob"] = .bytes(credential.blob ?? []) }
    return outputs
  }
}
