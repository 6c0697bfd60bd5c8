internal import JSONText
internal import Octets

/// Reading of typed members; every error names the path, what was found and what was expected.
extension JSONValue {
  /// This value as an object's reader, or an error that names where an object was expected.
  func asObject() throws(WebAuthnError) -> JSONObjectReader {
    guard kind == .object else { throw wrong(expected: "an object") }
    return JSONObjectReader(object: self)
  }

  func asString() throws(WebAuthnError) -> String {
    guard kind == .string else { throw wrong(expected: "a string") }
    guard let text = stringValue else { throw wrong(expected: "text without lone surrogates") }
    return text
  }

  func asBase64URL() throws(WebAuthnError) -> [UInt8] {
    let text = try asString()
    do {
      return try Base64URL.decode(text)
    } catch {
      let problem =
        switch error {
        case .character(let scalar, let position):
          "the character \(PlainText.quoted(String(Character(scalar)))) at position \(position)"
        case .length(let length): "\(length) characters, a length that no bytes encode to"
        case .spareBits: "bits left over after the last byte"
        }
      throw WebAuthnError(
        .encodingError, .badRequest,
        "\(pathForPeople) is not base64url: found \(problem); expected A-Z, a-z, 0-9, - and _ without padding.",
        cause: error)
    }
  }

  func asElements() throws(WebAuthnError) -> [JSONValue] {
    guard let elements else { throw wrong(expected: "an array") }
    return elements
  }

  /// The error for a value of the wrong kind.
  func wrong(expected: String) -> WebAuthnError {
    WebAuthnError(.encodingError, .badRequest, "\(pathForPeople) is \(found); expected \(expected).")
  }

  /// The path, or words for the root, which has none.
  var pathForPeople: String { path.isEmpty ? "The request" : path }

  /// What the value is, shown as far as it is short and harmless.
  var found: String {
    switch kind {
    case .null: "null"
    case .bool: boolValue == true ? "true" : "false"
    case .number: "the number \(numberText.map { String($0.prefix(40)) } ?? "")"
    case .string: stringValue.map { "the string \(PlainText.quoted($0))" } ?? "a string with a lone surrogate"
    case .array: "an array"
    case .object: "an object"
    }
  }
}

/// An object of the request whose members are read by name.
///
/// `null` stands for an absent member, as many servers write it. A member that is there twice is refused, because
/// parsers differ on which one counts.
struct JSONObjectReader {
  let object: JSONValue

  func optional(_ name: String) throws(WebAuthnError) -> JSONValue? {
    guard let value = object[name] else { return nil }
    try checkUnique(name)
    return value.kind == .null ? nil : value
  }

  func checkUnique(_ name: String) throws(WebAuthnError) {
    let values = object.duplicates(of: name)
    guard values.count > 1 else { return }
    throw WebAuthnError(
      .encodingError, .badRequest, "\(values[0].path) is there \(values.count) times; expected one value.")
  }

  func required(_ name: String, _ expected: String) throws(WebAuthnError) -> JSONValue {
    if let value = try optional(name) { return value }
    let path = object.path.isEmpty ? name : "\(object.path).\(name)"
    let found = object[name] == nil ? "missing" : "null"
    throw WebAuthnError(.typeError, .badRequest, "\(path) is \(found); expected \(expected).")
  }

  func string(_ name: String) throws(WebAuthnError) -> String {
    try required(name, "a string").asString()
  }

  func optionalString(_ name: String) throws(WebAuthnError) -> String? {
    try optional(name)?.asString()
  }

  /// The value of an enumeration; an unknown one counts as absent (WebAuthn L3 §2.1.1).
  func enumeration<Value: RawRepresentable<String>>(_ name: String, _ type: Value.Type) throws(WebAuthnError) -> Value?
  {
    try optionalString(name).flatMap(Value.init(rawValue:))
  }

  func bytes(_ name: String) throws(WebAuthnError) -> [UInt8] {
    try required(name, "a base64url string").asBase64URL()
  }

  func optionalBool(_ name: String) throws(WebAuthnError) -> Bool? {
    guard let value = try optional(name) else { return nil }
    guard let flag = value.boolValue else { throw value.wrong(expected: "true or false") }
    return flag
  }

  func elements(_ name: String) throws(WebAuthnError) -> [JSONValue] {
    try required(name, "an array").asElements()
  }

  func optionalElements(_ name: String) throws(WebAuthnError) -> [JSONValue] {
    try optional(name)?.asElements() ?? []
  }
}
