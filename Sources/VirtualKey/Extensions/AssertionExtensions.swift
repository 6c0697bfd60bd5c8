import CBOR
import CTAPMessages

/// The extension inputs of getAssertion that the key understands (CTAP 2.3 §12).
struct AssertionExtensions {
  private var hmacSecret: HMACSecretInput?
  private var credBlob = false
  private var largeBlob: LargeBlobInput?
  private var thirdPartyPayment = false
  private var echoes: [EchoExtension.Echo]
  private(set) var largeBlobKey = false

  init(_ request: GetAssertionRequest, _ configuration: VirtualKeyConfiguration) throws(Refusal) {
    echoes = configuration.echoExtensions.compactMap { $0.echo(of: request.extensions) }
    for (key, value) in request.extensions.entries {
      guard let identifier = key.textValue, configuration.profile.has(extension: identifier) else { continue }
      switch identifier {
      case "hmac-secret":
        hmacSecret = try HMACSecretInput(value)
        // The function is not evaluated behind a person's back.
        if request.options.up == false { throw Refusal(.unsupportedOption) }
      case "credBlob": credBlob = try value.flag()
      case "largeBlobKey":
        guard try value.flag() else { throw Refusal(.invalidOption) }
        largeBlobKey = true
      case "largeBlob": largeBlob = try LargeBlobInput(value, allowList: request.allowList)
      case "thirdPartyPayment": thirdPartyPayment = try value.flag()
      default: break
      }
    }
  }

  /// The outputs for the credential that answers, and the large blob that it is to have from now on, if another.
  func outputs(
    _ credential: StoredCredential, verified: Bool, by authenticator: Authenticator
  ) throws(Refusal) -> (outputs: ExtensionOutputs, blob: StoredLargeBlob?) {
    var outputs = ExtensionOutputs()
    if let hmacSecret {
      let output = try authenticator.evaluate(hmacSecret, credential.secret, verified: verified)
      outputs.signed["hmac-secret"] = .bytes(output)
    }
    if credBlob { outputs.signed["credBlob"] = .bytes(credential.blob ?? []) }
    if thirdPartyPayment { outputs.signed["thirdPartyPayment"] = .bool(credential.isForPayment) }
    for echo in echoes { outputs.add(echo) }
    guard let (output, blob) = largeBlob?.output(credential) else { return (outputs, nil) }
    outputs.unsigned["largeBlob"] = output
    return (outputs, blob)
  }
}
