public import CBOR

/// The parameters of authenticatorCredentialManagement and of its preview (CTAP 2.3 §6.8).
public struct CredentialManagementRequest: Hashable, Sendable {
  /// What is asked for.
  public var subCommand: CredentialManagementSubcommand
  /// The parameters of the subcommand.
  public var subCommandParams: CredentialManagementParameters?
  /// The PIN/UV protocol of the token.
  public var pinUvAuthProtocol: Int?
  /// What proves that a PIN/UV token is held, over `authenticatedBytes`.
  public var pinUvAuthParam: [UInt8]?
  /// Parameters that are not known.
  public var additional: CBORMap

  /// Creates a request.
  public init(
    _ subCommand: CredentialManagementSubcommand, _ subCommandParams: CredentialManagementParameters? = nil,
    pinUvAuthProtocol: Int? = nil, pinUvAuthParam: [UInt8]? = nil, additional: CBORMap = CBORMap()
  ) {
    self.subCommand = subCommand
    self.subCommandParams = subCommandParams
    self.pinUvAuthProtocol = pinUvAuthProtocol
    self.pinUvAuthParam = pinUvAuthParam
    self.additional = additional
  }

  /// What `pinUvAuthParam` is computed over: the subcommand's byte and its parameters in canonical CBOR.
  public var authenticatedBytes: [UInt8] {
    [UInt8(truncatingIfNeeded: subCommand.rawValue)] + (subCommandParams?.encoded() ?? [])
  }
}

/// What authenticatorCredentialManagement is asked to do; other numbers are kept.
public struct CredentialManagementSubcommand: RawRepresentable, Hashable, Sendable {
  /// The number on the wire.
  public let rawValue: Int

  /// Creates a subcommand from a number, known or not.
  public init(rawValue: Int) { self.rawValue = rawValue }

  /// How many discoverable credentials there are, and how many more fit.
  public static let getCredsMetadata = CredentialManagementSubcommand(rawValue: 0x01)
  /// The first relying party that has a credential, and how many have.
  public static let enumerateRPsBegin = CredentialManagementSubcommand(rawValue: 0x02)
  /// The next relying party.
  public static let enumerateRPsGetNextRP = CredentialManagementSubcommand(rawValue: 0x03)
  /// The first credential of a relying party, and how many it has.
  public static let enumerateCredentialsBegin = CredentialManagementSubcommand(rawValue: 0x04)
  /// The next credential.
  public static let enumerateCredentialsGetNextCredential = CredentialManagementSubcommand(rawValue: 0x05)
  /// Deletes a credential.
  public static let deleteCredential = CredentialManagementSubcommand(rawValue: 0x06)
  /// Replaces the account's names.
  public static let updateUserInformation = CredentialManagementSubcommand(rawValue: 0x07)
}

/// The parameters of the subcommands of authenticatorCredentialManagement.
public struct CredentialManagementParameters: Hashable, Sendable {
  /// The SHA-256 hash of the RP ID, 32 bytes.
  public var rpIDHash: [UInt8]?
  /// The credential.
  public var credentialID: CredentialDescriptor?
  /// The account with its new names.
  public var user: UserEntity?
  /// Parameters that are not known.
  public var additional: CBORMap

  /// Creates parameters.
  public init(
    rpIDHash: [UInt8]? = nil, credentialID: CredentialDescriptor? = nil, user: UserEntity? = nil,
    additional: CBORMap = CBORMap()
  ) {
    self.rpIDHash = rpIDHash
    self.credentialID = credentialID
    self.user = user
    self.additional = additional
  }
}
