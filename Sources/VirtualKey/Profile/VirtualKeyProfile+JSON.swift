import CBOR
public import CTAPMessages
public import JSONText

/// Why a text is not a profile.
public enum VirtualKeyProfileError: Error, Hashable, Sendable {
  /// It is not JSON.
  case notJSON(JSONParseError)
  /// It holds no getInfo record where one can be looked for.
  case noGetInfo
  /// A member of the record is not what getInfo has there; the path is that of the JSON text.
  case member(path: String, expected: String)
  /// The members together are not a getInfo response.
  case message(MessageError)
}

extension VirtualKeyProfileError: CustomStringConvertible {
  /// A sentence for a person.
  public var description: String {
    switch self {
    case .notJSON(let error): "The profile is not JSON: \(error)."
    case .noGetInfo:
      "The profile has no authenticatorGetInfo and no versions: give one getInfo record or one FIDO metadata statement."
    case .member(let path, let expected): "\(path) in the profile should be \(expected)."
    case .message(let error): "The profile is not a getInfo record: \(error)."
    }
  }
}

extension VirtualKeyProfile {
  /// Reads a profile from JSON: a getInfo record, or what holds one as `authenticatorGetInfo`.
  ///
  /// The latter is a FIDO metadata statement (v3 §3.12), or an entry of a metadata BLOB with its `metadataStatement`; the
  /// names of the record's members are the metadata statement's, byte strings are hexadecimal there. Unknown members are
  /// ignored. The metadata statement of a U2F key, which has no record, becomes a U2F key.
  public init(json: [UInt8]) throws(VirtualKeyProfileError) {
    let root: JSONValue
    do {
      root = try JSONDocument(parsing: json).root
    } catch {
      throw .notJSON(error)
    }
    let statement = root["metadataStatement"] ?? root
    if statement["authenticatorGetInfo"] == nil, statement["protocolFamily"]?.stringValue == "u2f" {
      self = .u2f
      name = statement["description"]?.stringValue
      return
    }
    let record = statement["authenticatorGetInfo"] ?? statement
    guard record["versions"] != nil else { throw .noGetInfo }
    let map = try GetInfoRecord.cbor(record)
    do throws(MessageError) {
      self.init(info: try GetInfoResponse(cbor: .map(map)), name: statement["description"]?.stringValue)
    } catch {
      throw .message(error)
    }
  }
}
