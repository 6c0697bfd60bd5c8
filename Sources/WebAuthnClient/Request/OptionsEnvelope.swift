internal import JSONText

/// The wrappings in which servers send the options.
///
/// Bare; inside `publicKey`, as a script would pass it on; inside `fido2`, as some identity servers send it; and with
/// the `status` and `errorMessage` of FIDO conformance servers at any of these levels. Other members are left alone.
enum OptionsEnvelope {
  /// Parses a request and takes it out of its wrapping.
  static func options(in bytes: [UInt8]) throws(WebAuthnError) -> JSONValue {
    let document: JSONDocument
    do {
      document = try JSONDocument(parsing: bytes)
    } catch {
      throw WebAuthnError(.encodingError, .badRequest, "The request is not JSON: \(error).", cause: error)
    }
    return try open(document.root)
  }

  static func open(_ document: JSONValue) throws(WebAuthnError) -> JSONValue {
    var level = document
    // `fido2` may hold `publicKey` or the other way round; nothing is wrapped deeper.
    for _ in 0..<3 {
      let object = try level.asObject()
      try checkStatus(object)
      // A bare request has its challenge here; what else is beside it is an unknown member.
      if level["challenge"] != nil { return level }
      if let inner = try object.optional("publicKey") {
        level = inner
      } else if let inner = try object.optional("fido2") {
        level = inner
      } else {
        return level
      }
    }
    return level
  }

  private static func checkStatus(_ object: JSONObjectReader) throws(WebAuthnError) {
    guard let status = object.object["status"]?.stringValue, status != "ok",
      let message = object.object["errorMessage"]?.stringValue
    else { return }
    throw WebAuthnError(
      .notAllowedError, .serverRefused,
      "The server sent no options: status \(PlainText.quoted(status)), errorMessage \(PlainText.quoted(message)).")
  }
}
