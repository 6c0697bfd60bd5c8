internal import CTAPMessages
internal import JSONText

/// Members that the options of both ceremonies have.
extension JSONObjectReader {
  /// `timeout`, in milliseconds; what is out of any range is moved to its nearest bound later.
  func timeout() throws(WebAuthnError) -> Duration? {
    guard let value = try optional("timeout") else { return nil }
    guard let text = value.numberText else { throw value.wrong(expected: "a number of milliseconds") }
    // A number that no Double holds, such as 1e400, is beyond every bound.
    let milliseconds = value.doubleValue ?? (text.hasPrefix("-") ? 0 : .infinity)
    return .milliseconds(Int64(min(max(milliseconds, 0), 86_400_000)))
  }

  /// A list of credentials, without those of a type that is not known.
  func descriptors(_ name: String) throws(WebAuthnError) -> [CredentialDescriptor] {
    var descriptors: [CredentialDescriptor] = []
    for element in try optionalElements(name) {
      let entry = try element.asObject()
      let type = try entry.string("type")
      let identifier = try entry.bytes("id")
      for transport in try entry.optionalElements("transports") { _ = try transport.asString() }
      // Transports stay here: some keys fail on them, and a USB key has no use for them.
      if type == CredentialParameters.publicKey { descriptors.append(CredentialDescriptor(id: identifier)) }
    }
    return descriptors
  }

  /// The known values of `hints`, each once.
  func hints() throws(WebAuthnError) -> [CredentialHint] {
    var hints: [CredentialHint] = []
    for element in try optionalElements("hints") {
      if let hint = CredentialHint(rawValue: try element.asString()), !hints.contains(hint) { hints.append(hint) }
    }
    return hints
  }

  /// `extensions`, an object where present.
  func extensions() throws(WebAuthnError) -> JSONValue? {
    let extensions = try optional("extensions")
    if let extensions { _ = try extensions.asObject() }
    return extensions
  }
}
