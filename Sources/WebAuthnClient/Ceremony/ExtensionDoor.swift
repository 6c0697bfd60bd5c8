internal import JSONText

/// Has each extension read its part of the request.
struct ExtensionDoor {
  let extensions: [any ClientExtension]
  let strict: Bool

  init(_ extensions: [any ClientExtension], strict: Bool) {
    self.extensions = extensions
    self.strict = strict
  }

  /// The extensions that work in this ceremony, in the client's order.
  ///
  /// Of two with the same identifier the first works. What cannot be read is ignored with a warning (WebAuthn L3 §9.3), or
  /// refused where the door is strict. Members that no extension knows are passed over in silence.
  func open(
    _ request: RegistrationRequest, warn: (String) -> Void
  ) throws(WebAuthnError) -> [any RegistrationExtension] {
    try open(request.options.extensions, warn: warn) { (one, inputs) throws(WebAuthnError) in
      try one.registration(inputs, request)
    }
  }

  /// The same for an authentication.
  func open(
    _ request: AuthenticationRequest, warn: (String) -> Void
  ) throws(WebAuthnError) -> [any AuthenticationExtension] {
    try open(request.options.extensions, warn: warn) { (one, inputs) throws(WebAuthnError) in
      try one.authentication(inputs, request)
    }
  }

  private func open<Work>(
    _ json: JSONValue?, warn: (String) -> Void,
    read: (any ClientExtension, ExtensionInputs) throws(WebAuthnError) -> ExtensionReading<Work>
  ) throws(WebAuthnError) -> [Work] {
    guard let json else { return [] }
    let object = JSONObjectReader(object: json)
    var works: [Work] = []
    var identifiers: Set<String> = []
    for one in extensions where identifiers.insert(one.identifier).inserted {
      let members = one.members.filter { json[$0] != nil }
      guard !members.isEmpty else { continue }
      for name in members { try object.checkUnique(name) }
      switch try read(one, ExtensionInputs(json, names: one.members)) {
      case .notRequested: break
      case .honoured(let work): works.append(work)
      case .malformed(let problem):
        guard !strict else { throw WebAuthnError(.encodingError, .badRequest, problem + ".") }
        warn("The extension \(one.identifier) is ignored: \(problem).")
      }
    }
    return works
  }
}
