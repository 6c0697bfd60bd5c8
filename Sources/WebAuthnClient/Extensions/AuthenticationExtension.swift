public import CBOR
public import CTAPMessages
public import Octets

/// What an extension may know of the authentication it takes part in.
public struct AuthenticationRequest: Sendable {
  /// The request as it was read.
  public let options: AuthenticationOptions
  /// The RP ID in use.
  public let relyingPartyID: String
  /// The origin in use.
  public let origin: Origin
  /// What the caller knows about models of keys.
  public let policy: AuthenticatorPolicy

  /// Creates the description of an authentication; an extension's own tests have a use for it.
  public init(options: AuthenticationOptions, relyingPartyID: String, origin: Origin, policy: AuthenticatorPolicy) {
    self.options = options
    self.relyingPartyID = relyingPartyID
    self.origin = origin
    self.policy = policy
  }
}

/// An extension at work in one authentication.
public protocol AuthenticationExtension: CeremonyExtension {
  /// Whether what goes to the key depends on which credential answers, so that it is looked for first.
  var dependsOnCredential: Bool { get }

  /// The members for the `extensions` map that goes to the key; empty for what the client does alone.
  ///
  /// - Parameters:
  ///   - authenticator: the key.
  ///   - credentialID: the credential that will answer, where `dependsOnCredential` and that is known.
  func authenticatorInputs(
    for authenticator: AuthenticatorInfo, credentialID: [UInt8]?
  ) -> [String: CBORValue]

  /// One salt of 32 bytes, or two of them one after the other, to put to the credential's secret function with
  /// `hmac-secret` (CTAP 2.2 §12.7); nil for none. The first extension that has some is served.
  ///
  /// - Parameters:
  ///   - authenticator: the key.
  ///   - credentialID: the credential that will answer, where `dependsOnCredential` and that is known.
  ///   - verified: whether its user will be verified; the secret function differs by that.
  func secretSalts(
    for authenticator: AuthenticatorInfo, credentialID: [UInt8]?, verified: Bool
  ) -> SecretBytes?

  /// What to do with the large blob of the credential that answers, or nil. The first extension that has something to do
  /// is served, where the key keeps large blobs at all.
  func largeBlobTask(for authenticator: AuthenticatorInfo) -> LargeBlobTask?

  /// The members for `clientExtensionResults`, in their order.
  /// - Throws: Why the assertion must not be returned.
  func outputs(for assertion: SignedAssertion) throws(ExtensionObjection) -> [ExtensionOutput]
}

extension AuthenticationExtension {
  /// Any credential will do.
  public var dependsOnCredential: Bool { false }

  /// Nothing goes to the key.
  public func authenticatorInputs(
    for authenticator: AuthenticatorInfo, credentialID: [UInt8]?
  ) -> [String: CBORValue] { [:] }

  /// No salts.
  public func secretSalts(
    for authenticator: AuthenticatorInfo, credentialID: [UInt8]?, verified: Bool
  ) -> SecretBytes? { nil }

  /// Nothing to do.
  public func largeBlobTask(for authenticator: AuthenticatorInfo) -> LargeBlobTask? { nil }

  /// No output.
  public func outputs(for assertion: SignedAssertion) throws(ExtensionObjection) -> [ExtensionOutput] { [] }
}

/// An assertion that a key has just signed.
public struct SignedAssertion: Sendable {
  /// The key that signed it.
  public let authenticator: AuthenticatorInfo
  /// The authenticator data, whose extensions hold what the key answered.
  public let authenticatorData: AuthenticatorData
  /// The credential's identifier.
  public let credentialID: [UInt8]
  /// The user handle, where the key told it.
  public let userHandle: [UInt8]?
  /// The key's extension outputs that no signature covers.
  public let unsignedOutputs: CBORMap?
  /// What the credential's secret function gave for the salts, decrypted: 32 bytes for each.
  public let secrets: SecretBytes?
  /// What became of the large blob; nil where the key keeps none, or there was nothing to do.
  public let largeBlob: LargeBlobResult?

  /// Creates the description of an assertion; an extension's own tests have a use for it.
  public init(
    authenticator: AuthenticatorInfo, authenticatorData: AuthenticatorData, credentialID: [UInt8],
    userHandle: [UInt8]? = nil, unsignedOutputs: CBORMap? = nil, secrets: SecretBytes? = nil,
    largeBlob: LargeBlobResult? = nil
  ) {
    self.authenticator = authenticator
    self.authenticatorData = authenticatorData
    self.credentialID = credentialID
    self.userHandle = userHandle
    self.unsignedOutputs = unsignedOutputs
    self.secrets = secrets
    self.largeBlob = largeBlob
  }
}
