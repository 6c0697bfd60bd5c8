public import CTAPMessages
internal import JSONText

/// FIDO metadata statements by model, as far as a client can use them.
///
/// They are the caller's word: signatures and certificates of a BLOB are not checked here.
public struct MetadataStatements: Sendable {
  /// What a statement says of a model.
  public struct Statement: Hashable, Sendable {
    /// The model's name (`description`).
    public var name: String?
    /// Whether its credentials can be backed up (`multiDeviceCredentialSupport`); unsupported where it is not said.
    public var backupSupport: BackupSupport

    /// Creates a statement.
    public init(name: String?, backupSupport: BackupSupport) {
      self.name = name
      self.backupSupport = backupSupport
    }
  }

  /// The statements by model.
  public private(set) var statements: [AAGUID: Statement] = [:]

  /// Creates a set without statements.
  public init() {}

  /// The statement about a model.
  public subscript(_ model: AAGUID) -> Statement? { statements[model] }

  /// Reads one statement, an array of them, or the payload of a metadata BLOB.
  ///
  /// A BLOB's size is bounded at 64 MiB. Entries without an AAGUID (UAF, U2F) are left out.
  /// - Throws: `EncodingError` where the text is not JSON or has none of these forms.
  public init(parsing bytes: [UInt8]) throws(WebAuthnError) {
    let root: JSONValue
    do {
      root = try JSONDocument(parsing: bytes, limits: Self.limits).root
    } catch {
      throw WebAuthnError(.encodingError, .badRequest, "The metadata is not JSON: \(error).", cause: error)
    }
    if let entries = root["entries"]?.elements {
      for entry in entries { add(entry["metadataStatement"], model: entry["aaguid"]) }
    } else if let elements = root.elements {
      for element in elements { add(element["metadataStatement"] ?? element, model: element["aaguid"]) }
    } else if root["metadataStatement"] != nil || root["aaguid"] != nil {
      add(root["metadataStatement"] ?? root, model: root["aaguid"])
    } else {
      throw WebAuthnError(
        .encodingError, .badRequest,
        "The metadata has neither entries nor a statement with an aaguid; expected a metadata statement or a BLOB's payload."
      )
    }
  }

  private static let limits = JSONLimits(size: 64 << 20, values: 4_000_000)

  private mutating func add(_ statement: JSONValue?, model: JSONValue?) {
    guard let statement, let text = (model ?? statement["aaguid"])?.stringValue, let aaguid = AAGUID(text) else {
      return
    }
    let support = statement["multiDeviceCredentialSupport"]?.stringValue.flatMap(BackupSupport.init(rawValue:))
    statements[aaguid] = Statement(name: statement["description"]?.stringValue, backupSupport: support ?? .unsupported)
  }
}
