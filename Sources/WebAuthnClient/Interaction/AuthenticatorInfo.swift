public import CTAPHID
public import CTAPMessages

/// What is known of a key once it has been asked: enough to show it to a person and to judge it.
public struct AuthenticatorInfo: Sendable {
  /// The key as it is plugged in: path, numbers, names, serial number.
  public var key: KeyDescription
  /// The key's own answer about its abilities.
  public var abilities: GetInfoResponse
  /// The model's name in the metadata that the caller supplied.
  public var modelName: String?
  /// Whether credentials of this model can be backed up, as far as metadata or a declaration says.
  public var backupSupport: BackupSupport

  /// Creates the description of a key.
  public init(
    key: KeyDescription, abilities: GetInfoResponse, modelName: String? = nil,
    backupSupport: BackupSupport = .unsupported
  ) {
    self.key = key
    self.abilities = abilities
    self.modelName = modelName
    self.backupSupport = backupSupport
  }

  /// The model's identifier.
  public var aaguid: AAGUID { abilities.aaguid }
  /// The product's name, as the key gives it.
  public var productName: String? { key.product }
  /// The vendor's name, as the key gives it.
  public var vendorName: String? { key.vendor }
  /// The versions of the protocol that the key speaks.
  public var versions: [String] { abilities.versions }
  /// The ways to reach the key, sorted; what the key says, or `usb`.
  public var transports: [String] { TransportNames.sorted(abilities.transports) }
  /// The client type that a credential of this key is expected to have.
  public var expectedClientType: ClientType { backupSupport == .unsupported ? .deviceBound : .syncable }
  /// A name to offer for the key: its product's, its model's, its vendor's, or "Security key"; never blank.
  public var suggestedName: String {
    for candidate in [productName, modelName, vendorName] {
      let scalars = (candidate ?? "").unicodeScalars.filter { !PlainText.isUnfit($0) }
      let name = String(String.UnicodeScalarView(scalars)).trimmed
      if !name.isEmpty { return name }
    }
    return "Security key"
  }
}

/// Whether credentials of a model can be backed up (`multiDeviceCredentialSupport` of FIDO metadata).
public enum BackupSupport: String, Hashable, Sendable {
  /// Never: every credential stays on its key.
  case unsupported
  /// The flags of each credential decide.
  case explicit
  /// Always.
  case implicit
}

/// Where a credential can live.
public enum ClientType: Hashable, Sendable {
  /// On more than one device: the credential's backup-eligible flag is set.
  case syncable
  /// On its key alone: the flag is clear.
  case deviceBound

  /// The type of a credential, by its BE flag and nothing else (WebAuthn L3 §6.1.3).
  public init(_ flags: AuthenticatorData.Flags) {
    self = flags.contains(.backupEligible) ? .syncable : .deviceBound
  }
}
