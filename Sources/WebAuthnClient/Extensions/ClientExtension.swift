public import CBOR
public import CTAPMessages
public import JSONText
public import Octets

/// A WebAuthn extension, as the client sees it: it reads its input before a ceremony and works in it.
///
/// The standard extensions, the Thales three and those of an app go through this protocol alike. Every requirement but
/// the identifier has a default, so an extension says only what it does.
public protocol ClientExtension: Sendable {
  /// The identifier in the request's `extensions`, at most 32 octets of printable ASCII (WebAuthn L3 §9.1).
  var identifier: String { get }

  /// The members of `extensions` that this extension reads; the identifier alone unless it says otherwise.
  var members: [String] { get }

  /// Reads the input of a registration; called only where at least one of the members is there.
  /// - Throws: An error where the specification wants the whole request refused.
  func registration(
    _ inputs: ExtensionInputs, _ request: RegistrationRequest
  ) throws(WebAuthnError) -> ExtensionReading<any RegistrationExtension>

  /// Reads the input of an authentication; called only where at least one of the members is there.
  /// - Throws: An error where the specification wants the whole request refused.
  func authentication(
    _ inputs: ExtensionInputs, _ request: AuthenticationRequest
  ) throws(WebAuthnError) -> ExtensionReading<any AuthenticationExtension>
}

extension ClientExtension {
  /// The identifier alone.
  public var members: [String] { [identifier] }

  /// Takes no part in registrations.
  public func registration(
    _ inputs: ExtensionInputs, _ request: RegistrationRequest
  ) throws(WebAuthnError) -> ExtensionReading<any RegistrationExtension> { .notRequested }

  /// Takes no part in authentications.
  public func authentication(
    _ inputs: ExtensionInputs, _ request: AuthenticationRequest
  ) throws(WebAuthnError) -> ExtensionReading<any AuthenticationExtension> { .notRequested }
}

/// What an extension made of its input.
public enum ExtensionReading<Work: Sendable>: Sendable {
  /// The input says that the extension is not wanted, such as `false`.
  case notRequested
  /// The input cannot be read, for the reason given: a warning, or a refusal in strict mode.
  case malformed(String)
  /// The extension works in this ceremony.
  case honoured(Work)
}

/// The members of a request's `extensions` that one extension reads.
public struct ExtensionInputs: Sendable {
  private let extensions: JSONValue
  private let names: [String]

  /// Creates inputs from a request's `extensions` and the names that may be read.
  public init(_ extensions: JSONValue, names: [String]) {
    self.extensions = extensions
    self.names = names
  }

  /// The value of a member that the extension declared, or nil where it is absent.
  public subscript(_ name: String) -> JSONValue? { names.contains(name) ? extensions[name] : nil }
}

/// What an extension may know of the registration it takes part in.
public struct RegistrationRequest: Sendable {
  /// The request as it was read.
  public let options: CreationOptions
  /// The RP ID in use.
  public let relyingPartyID: String
  /// The origin in use.
  public let origin: Origin
  /// What the caller knows about models of keys.
  public let policy: AuthenticatorPolicy

  /// Creates the description of a registration; an extension's own tests have a use for it.
  public init(options: CreationOptions, relyingPartyID: String, origin: Origin, policy: AuthenticatorPolicy) {
    self.options = options
    self.relyingPartyID = relyingPartyID
    self.origin = origin
    self.policy = policy
  }
}

/// An extension at work in one ceremony; its functions are called in the order in which they stand here, and then those
/// of the ceremony's kind.
public protocol CeremonyExtension: Sendable {
  /// Why no key that could ever come would do, or nil; asked before anything is waited for.
  func objectionToEveryKey() -> String?

  /// Why this key will not do, or nil; asked before any touch.
  func objection(to authenticator: AuthenticatorInfo) -> String?

  /// Whether it needs the user verified on this key for something, although the request may do without; where the key is
  /// not set up for that, the ceremony goes on all the same.
  func wantsVerification(on authenticator: AuthenticatorInfo) -> Bool

  /// An AppID of U2F under which credentials of the request are looked for too, or nil; the first extension that has
  /// one is served (WebAuthn L3 §10.1.1, §10.1.2).
  var appID: String? { get }

  /// Whether it takes a discoverable credential on this key, although the request may do without.
  func needsDiscoverability(on authenticator: AuthenticatorInfo) -> Bool

  /// Prepares for the key that was chosen, before any PIN is asked for; the user may be asked something here.
  /// - Throws: An error that ends the ceremony; nothing has been created or signed then.
  mutating func prepare(
    for authenticator: AuthenticatorInfo, asking user: any UserInteraction
  ) async throws(WebAuthnError)
}

/// An extension at work in one registration.
public protocol RegistrationExtension: CeremonyExtension {
  /// The members for the `extensions` map that goes to the key; empty for what the client does alone.
  ///
  /// - Parameters:
  ///   - authenticator: the key.
  ///   - residentKey: whether a discoverable credential is asked of it.
  func authenticatorInputs(for authenticator: AuthenticatorInfo, residentKey: Bool) -> [String: CBORValue]

  /// One salt of 32 bytes, or two of them one after the other, to put to the new credential's secret function with
  /// `hmac-secret-mc` (CTAP 2.2 §12.8); nil for none. The first extension that has some is served.
  ///
  /// - Parameters:
  ///   - authenticator: the key.
  ///   - verified: whether its user will be verified; the secret function differs by that.
  func secretSalts(for authenticator: AuthenticatorInfo, verified: Bool) -> SecretBytes?

  /// The members for `clientExtensionResults`, in their order.
  /// - Throws: Why the credential, which now exists, must not be returned.
  func outputs(for created: NewCredential) throws(ExtensionObjection) -> [ExtensionOutput]
}

extension CeremonyExtension {
  /// Any key may do.
  public func objectionToEveryKey() -> String? { nil }

  /// Every key will do.
  public func objection(to authenticator: AuthenticatorInfo) -> String? { nil }

  /// Verification is the request's business.
  public func wantsVerification(on authenticator: AuthenticatorInfo) -> Bool { false }

  /// No AppID.
  public var appID: String? { nil }

  /// Discoverability is the request's business.
  public func needsDiscoverability(on authenticator: AuthenticatorInfo) -> Bool { false }

  /// Nothing to prepare.
  public mutating func prepare(
    for authenticator: AuthenticatorInfo, asking user: any UserInteraction
  ) async throws(WebAuthnError) {}
}

extension RegistrationExtension {
  /// Nothing goes to the key.
  public func authenticatorInputs(
    for authenticator: AuthenticatorInfo, residentKey: Bool
  ) -> [String: CBORValue] { [:] }

  /// No salts.
  public func secretSalts(for authenticator: AuthenticatorInfo, verified: Bool) -> SecretBytes? { nil }

  /// No output.
  public func outputs(for created: NewCredential) throws(ExtensionObjection) -> [ExtensionOutput] { [] }
}

/// A member of `clientExtensionResults`.
public struct ExtensionOutput: Sendable {
  /// The member's name.
  public var name: String
  /// Its value; `.raw` is written byte for byte.
  public var value: JSONOutput

  /// Creates a member.
  public init(_ name: String, _ value: JSONOutput) {
    self.name = name
    self.value = value
  }
}

/// Why a credential that was created must not be returned to the relying party.
public struct ExtensionObjection: Error, Hashable, Sendable {
  /// A sentence for a person.
  public var reason: String

  /// Creates an objection.
  public init(_ reason: String) {
    self.reason = reason
  }
}

/// A credential that a key has just made.
public struct NewCredential: Sendable {
  /// The key that made it.
  public let authenticator: AuthenticatorInfo
  /// The authenticator data, whose extensions hold what the key answered.
  public let authenticatorData: AuthenticatorData
  /// The credential's identifier.
  public let credentialID: [UInt8]
  /// Whether a discoverable credential was asked of the key.
  public let residentKey: Bool
  /// The key's extension outputs that no signature covers.
  public let unsignedOutputs: CBORMap?
  /// What the credential's secret function gave for the salts, decrypted: 32 bytes for each.
  public let secrets: SecretBytes?
  /// Whether the key gave the credential a key for its large blob (CTAP 2.3 §12.3).
  public let hasLargeBlobKey: Bool

  /// Creates the description of a credential; an extension's own tests have a use for it.
  public init(
    authenticator: AuthenticatorInfo, authenticatorData: AuthenticatorData, credentialID: [UInt8], residentKey: Bool,
    unsignedOutputs: CBORMap? = nil, secrets: SecretBytes? = nil, hasLargeBlobKey: Bool = false
  ) {
    self.authenticator = authenticator
    self.authenticatorData = authenticatorData
    self.credentialID = credentialID
    self.residentKey = residentKey
    self.unsignedOutputs = unsignedOutputs
    self.secrets = secrets
    self.hasLargeBlobKey = hasLargeBlobKey
  }

  /// Where the credential can live, by its BE flag.
  public var clientType: ClientType { ClientType(authenticatorData.flags) }
}
