public import CTAPMessages

/// What the caller knows and allows about models of keys.
public struct AuthenticatorPolicy: Sendable {
  /// The models declared to make syncable credentials, whatever metadata says.
  public var syncable: Set<AAGUID>
  /// FIDO metadata statements, for names and `multiDeviceCredentialSupport`.
  public var metadata: MetadataStatements
  /// The RP IDs that may get an enterprise attestation, and who answers for that: with `vendorFacilitated` the key's own
  /// list has to have the RP ID too, with `platformManaged` this one alone decides (CTAP 2.1 §7.1).
  public var enterpriseAttestation: [String: EnterpriseAttestation]

  /// Creates a policy; the empty one knows no model and allows no enterprise attestation.
  public init(
    syncable: Set<AAGUID> = [], metadata: MetadataStatements = MetadataStatements(),
    enterpriseAttestation: [String: EnterpriseAttestation] = [:]
  ) {
    self.syncable = syncable
    self.metadata = metadata
    self.enterpriseAttestation = enterpriseAttestation
  }

  /// Whether a model's credentials can be backed up: declared, or as metadata says, else not.
  public func backupSupport(of model: AAGUID) -> BackupSupport {
    let stated = metadata[model]?.backupSupport ?? .unsupported
    return syncable.contains(model) && stated == .unsupported ? .explicit : stated
  }

  /// Whether any model at all is known to make syncable credentials.
  public var knowsSyncableModel: Bool {
    !syncable.isEmpty || metadata.statements.values.contains { $0.backupSupport != .unsupported }
  }
}
