internal import CTAPMessages
internal import FIDOCrypto
internal import JSONText
internal import Octets

/// One or two salts for a credential's secret function, and how its outputs are named.
struct SecretSalts: Sendable {
  let salts: SecretBytes

  /// Why an input is malformed.
  struct Malformation: Error {
    let reason: String
  }

  /// Reads `{first, second?}` of prf: each is hashed behind a fixed prefix (WebAuthn L3 §10.1.4).
  init(prfValues json: JSONValue) throws(Malformation) {
    try self.init(json, names: ("first", "second")) { bytes in
      Digest.sha256(Array("WebAuthn PRF".utf8) + [0] + bytes)
    }
  }

  /// Reads `{salt1, salt2?}` of hmacGetSecret: each has 32 bytes and goes as it is (CTAP 2.2 §12.7).
  init(hmacSalts json: JSONValue) throws(Malformation) {
    try self.init(json, names: ("salt1", "salt2")) { bytes in bytes.count == 32 ? bytes : nil }
  }

  private init(
    _ json: JSONValue, names: (String, String), _ salt: ([UInt8]) -> [UInt8]?
  ) throws(Malformation) {
    guard json.kind == .object else { throw Malformation(reason: "\(json.path) is \(json.found); expected an object") }
    var salts: [UInt8] = []
    for name in [names.0, names.1] {
      guard let value = json[name], value.kind != .null else {
        if name == names.1 { continue }
        throw Malformation(reason: "\(json.path).\(name) is missing")
      }
      guard let bytes = value.stringValue.flatMap({ try? Base64URL.decode($0) }) else {
        throw Malformation(reason: "\(value.path) is \(value.found); expected a base64url string")
      }
      guard let salt = salt(bytes) else {
        throw Malformation(reason: "\(value.path) has \(bytes.count) bytes; expected 32")
      }
      salts += salt
    }
    self.salts = SecretBytes(taking: &salts)
  }

  /// Outputs as the members of an object, in base64url.
  static func object(_ outputs: SecretBytes, names: (String, String)) -> JSONOutput {
    var members: [(String, JSONOutput)] = []
    for (index, name) in [names.0, names.1].enumerated() {
      guard let output = outputs.slice(32 * index..<32 * (index + 1)) else { break }
      members.append((name, .string(Base64URL.encode(output.exposed()))))
    }
    return .object(members)
  }
}

/// The `evalByCredential` of prf: values for each credential of the allow list.
struct SaltsByCredential: Sendable {
  private let salts: [[UInt8]: SecretSalts]

  /// Reads the member.
  /// - Throws: `NotSupportedError` without an allow list, `SyntaxError` for a name that is no allowed credential's
  ///   (WebAuthn L3 §10.1.4).
  static func read(
    _ json: JSONValue, allowed: [CredentialDescriptor]?
  ) throws(WebAuthnError) -> Result<SaltsByCredential, SecretSalts.Malformation> {
    guard let members = json.members else {
      return .failure(.init(reason: "\(json.path) is \(json.found); expected an object"))
    }
    guard let allowed else {
      throw WebAuthnError(
        .notSupportedError, .badRequest, "\(json.path) is there; expected none without allowCredentials.")
    }
    var salts: [[UInt8]: SecretSalts] = [:]
    for (name, value) in members {
      guard !name.isEmpty, let id = try? Base64URL.decode(name), allowed.contains(where: { $0.id == id }) else {
        throw WebAuthnError(
          .syntaxError, .badRequest,
          "\(json.path) names \(PlainText.quoted(name)); expected the id of a credential in allowCredentials.")
      }
      do throws(SecretSalts.Malformation) {
        salts[id] = try SecretSalts(prfValues: value)
      } catch {
        return .failure(error)
      }
    }
    return .success(SaltsByCredential(salts: salts))
  }

  subscript(_ credentialID: [UInt8]) -> SecretSalts? { salts[credentialID] }
}
