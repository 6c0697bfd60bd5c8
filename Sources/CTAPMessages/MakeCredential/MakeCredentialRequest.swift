public import CBOR

/// The parameters of authenticatorMakeCredential (CTAP 2.3 §6.1).
public struct MakeCredentialRequest: Hashable, Sendable {
  /// The SHA-256 hash of the client data, 32 bytes.
  public var clientDataHash: [UInt8]
  /// The relying party that the credential is for.
  public var rp: RelyingPartyEntity
  /// The account that the credential is for.
  public var user: UserEntity
  /// The kinds of credential that are acceptable, the preferred ones first.
  public var pubKeyCredParams: [CredentialParameters]
  /// Credentials that must not be on the key already; an empty list is left out.
  public var excludeList: [CredentialDescriptor]
  /// The inputs of authenticator extensions, by identifier; an empty map is left out.
  public var extensions: CBORMap
  /// The options; left out where none is set.
  public var options: RequestOptions
  /// What proves that a PIN/UV token is held; empty bytes ask for nothing but a touch.
  public var pinUvAuthParam: [UInt8]?
  /// The PIN/UV protocol of the token.
  public var pinUvAuthProtocol: Int?
  /// The enterprise attestation that is wanted.
  public var enterpriseAttestation: EnterpriseAttestation?
  /// The attestation formats that are wanted, the preferred ones first (CTAP 2.2 and later); empty is left out.
  public var attestationFormatsPreference: [String]
  /// Parameters that are not known.
  public var additional: CBORMap

  /// Creates a request.
  public init(
    clientDataHash: [UInt8], rp: RelyingPartyEntity, user: UserEntity, pubKeyCredParams: [CredentialParameters],
    excludeList: [CredentialDescriptor] = [], extensions: CBORMap = CBORMap(),
    options: RequestOptions = RequestOptions(), pinUvAuthParam: [UInt8]? = nil, pinUvAuthProtocol: Int? = nil,
    enterpriseAttestation: EnterpriseAttestation? = nil, attestationFormatsPreference: [String] = [],
    additional: CBORMap = CBORMap()
  ) {
    self.clientDataHash = clientDataHash
    self.rp = rp
    self.user = user
    self.pubKeyCredParams = pubKeyCredParams
    self.excludeList = excludeList
    self.extensions = extensions
    self.options = options
    self.pinUvAuthParam = pinUvAuthParam
    self.pinUvAuthProtocol = pinUvAuthProtocol
    self.enterpriseAttestation = enterpriseAttestation
    self.attestationFormatsPreference = attestationFormatsPreference
    self.additional = additional
  }
}

/// Who decides which relying parties get an enterprise attestation (CTAP 2.3 §7.1); other numbers are kept.
public struct EnterpriseAttestation: RawRepresentable, Hashable, Sendable {
  /// The number on the wire.
  public let rawValue: Int

  /// Creates a value from a number, known or not.
  public init(rawValue: Int) { self.rawValue = rawValue }

  /// The key decides, by a list that its vendor put in.
  public static let vendorFacilitated = EnterpriseAttestation(rawValue: 1)
  /// The platform has decided.
  public static let platformManaged = EnterpriseAttestation(rawValue: 2)
}
