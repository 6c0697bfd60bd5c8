internal import JSONText
public import WebAuthnClient

/// `thalesgroup_client_ext_v1`: restricts which types of passkey are offered, and tells which one was made.
///
/// Input `{"clientType": -1 | 1 | 2}`: all, syncable, device-bound. The output is the type of the credential by its BE flag,
/// never the request and never -1. A key counts as device-bound unless metadata or a declaration of its model says otherwise.
public struct ClientTypeExtension: ClientExtension {
  /// Creates the extension.
  public init() {}

  /// `thalesgroup_client_ext_v1`.
  public var identifier: String { "thalesgroup_client_ext_v1" }

  /// Wants an object with one of the three numbers in `clientType`; `1.0` is 1 and `true` is not.
  public func registration(
    _ inputs: ExtensionInputs, _ request: RegistrationRequest
  ) throws(WebAuthnError) -> ExtensionReading<any RegistrationExtension> {
    guard let value = inputs[identifier] else { return .notRequested }
    guard value.kind == .object else { return .malformed("\(value.path) is not an object with a clientType") }
    let values = value.duplicates(of: "clientType")
    guard values.count <= 1 else { return .malformed("\(value.path).clientType is there more than once") }
    guard let type = values.first else { return .malformed("\(value.path).clientType is missing") }
    guard let wanted = type.integerValue.flatMap(Wanted.init(rawValue:)) else {
      return .malformed("\(type.path) is none of -1 (all), 1 (syncable) and 2 (device-bound)")
    }
    return .honoured(
      Work(identifier: identifier, wanted: wanted, knowsSyncableModel: request.policy.knowsSyncableModel))
  }

  private enum Wanted: Int, Sendable {
    case all = -1
    case syncable = 1
    case deviceBound = 2
  }

  private struct Work: RegistrationExtension {
    let identifier: String
    let wanted: Wanted
    let knowsSyncableModel: Bool

    func objectionToEveryKey() -> String? {
      guard wanted == .syncable && !knowsSyncableModel else { return nil }
      return "The request wants a syncable passkey (client type 1), and no model of key is declared to make them."
    }

    func objection(to authenticator: AuthenticatorInfo) -> String? {
      switch (wanted, authenticator.backupSupport) {
      case (.syncable, .unsupported): "it makes device-bound passkeys, and the request wants a syncable one"
      case (.deviceBound, .implicit): "it makes syncable passkeys, and the request wants a device-bound one"
      default: nil
      }
    }

    func outputs(for created: NewCredential) throws(ExtensionObjection) -> [ExtensionOutput] {
      let made = created.clientType
      switch (wanted, made) {
      case (.syncable, .deviceBound):
        throw ExtensionObjection("the key made a device-bound passkey although the request wants a syncable one")
      case (.deviceBound, .syncable):
        throw ExtensionObjection("the key made a syncable passkey although the request wants a device-bound one")
      default: break
      }
      let number = made == .syncable ? Wanted.syncable : .deviceBound
      return [ExtensionOutput(identifier, ["clientType": .int(number.rawValue)])]
    }
  }
}
