internal import CTAPMessages
internal import FIDOCrypto
internal import JSONText

/// `appid`: signs in with a credential that was registered by U2F under an AppID (WebAuthn L3 §10.1.1).
///
/// The RP ID is tried before the AppID. Nothing goes to the key but the AppID's hash, where it has no credential under
/// the RP ID.
public struct AppIDExtension: ClientExtension {
  /// Creates the extension.
  public init() {}

  /// `appid`.
  public var identifier: String { "appid" }

  /// Wants an AppID that the origin may use.
  public func authentication(
    _ inputs: ExtensionInputs, _ request: AuthenticationRequest
  ) throws(WebAuthnError) -> ExtensionReading<any AuthenticationExtension> {
    guard let value = inputs[identifier] else { return .notRequested }
    guard let appID = value.stringValue else { return .malformed("\(value.path) is \(value.found); expected a string") }
    return .honoured(
      Work(appID: try AppID.resolve(appID, path: value.path, origin: request.origin)))
  }

  private struct Work: AuthenticationExtension {
    let appID: String?

    func outputs(for assertion: SignedAssertion) throws(ExtensionObjection) -> [ExtensionOutput] {
      let isUsed = appID.map { assertion.authenticatorData.rpIDHash == Digest.sha256(Array($0.utf8)) } ?? false
      return [ExtensionOutput("appid", .bool(isUsed))]
    }
  }
}

/// `appidExclude`: counts a credential that was registered by U2F under an AppID as excluded (WebAuthn L3 §10.1.2).
public struct AppIDExclusionExtension: ClientExtension {
  /// Creates the extension.
  public init() {}

  /// `appidExclude`.
  public var identifier: String { "appidExclude" }

  /// Wants an AppID that the origin may use.
  public func registration(
    _ inputs: ExtensionInputs, _ request: RegistrationRequest
  ) throws(WebAuthnError) -> ExtensionReading<any RegistrationExtension> {
    guard let value = inputs[identifier] else { return .notRequested }
    guard let appID = value.stringValue else { return .malformed("\(value.path) is \(value.found); expected a string") }
    return .honoured(Work(appID: try AppID.resolve(appID, path: value.path, origin: request.origin)))
  }

  private struct Work: RegistrationExtension {
    let appID: String?

    func outputs(for created: NewCredential) throws(ExtensionObjection) -> [ExtensionOutput] {
      [ExtensionOutput("appidExclude", .bool(true))]
    }
  }
}
