internal import CBOR
internal import CTAPMessages
internal import JSONText
internal import Octets

/// `largeBlob`: some kilobytes that a key keeps for a credential, encrypted by the client (WebAuthn L3 §10.1.5).
///
/// At registration it is settled whether the credential can have one, which takes a discoverable one; at authentication
/// it is read or written. What cannot be read counts as none, with a warning; but where the key falls silent the
/// ceremony fails, because a site that is told "none" might write over what is there.
public struct LargeBlobExtension: ClientExtension {
  /// Creates the extension.
  public init() {}

  /// `largeBlob`.
  public var identifier: String { "largeBlob" }

  // MARK: Registration

  /// Wants an object, with `required` or `preferred` in `support`; anything else there is `preferred`.
  ///
  /// `required` takes a key that has large blobs, and makes the credential discoverable where the request leaves that
  /// open or would rather not.
  /// - Throws: `NotSupportedError` for `read` and `write`, which have no meaning before the credential exists.
  public func registration(
    _ inputs: ExtensionInputs, _ request: RegistrationRequest
  ) throws(WebAuthnError) -> ExtensionReading<any RegistrationExtension> {
    guard let value = inputs[identifier] else { return .notRequested }
    guard value.kind == .object else { return .malformed("\(value.path) is \(value.found); expected an object") }
    let object = JSONObjectReader(object: value)
    for name in ["read", "write"] {
      if let member = try object.optional(name) { throw Self.misplaced(member, "none in a registration") }
    }
    let support = try object.optional("support")
    if let support, support.kind != .string {
      return .malformed("\(support.path) is \(support.found); expected required or preferred")
    }
    return .honoured(Creation(isRequired: support?.stringValue == "required"))
  }

  private static func misplaced(_ member: JSONValue, _ expected: String) -> WebAuthnError {
    WebAuthnError(.notSupportedError, .badRequest, "\(member.path) is there; expected \(expected).")
  }

  private struct Creation: RegistrationExtension {
    let isRequired: Bool

    func objection(to authenticator: AuthenticatorInfo) -> String? {
      isRequired && LargeBlobAccess(authenticator) == nil ? "it keeps no large blobs, as the request demands" : nil
    }

    func needsDiscoverability(on authenticator: AuthenticatorInfo) -> Bool { isRequired }

    func authenticatorInputs(
      for authenticator: AuthenticatorInfo, residentKey: Bool
    ) -> [String: CBORValue] {
      // Keys refuse the request for a credential that is not discoverable.
      guard residentKey else { return [:] }
      switch LargeBlobAccess(authenticator) {
      case .direct?: return ["largeBlob": ["support": isRequired ? "required" : "preferred"]]
      case .array?: return ["largeBlobKey": .bool(true)]
      case nil: return [:]
      }
    }

    func outputs(for created: NewCredential) throws(ExtensionObjection) -> [ExtensionOutput] {
      let direct = created.unsignedOutputs?["largeBlob"]?.mapValue?["supported"]?.boolValue ?? false
      let isSupported = created.hasLargeBlobKey || direct
      guard isSupported || !isRequired else {
        throw ExtensionObjection("the key keeps no large blob for the credential, as the request demands")
      }
      return [ExtensionOutput("largeBlob", ["supported": .bool(isSupported)])]
    }
  }

  // MARK: Authentication

  /// Wants an object with `true` in `read`, or with base64url in `write`.
  /// - Throws: `NotSupportedError` for `support`, for both at once, and for `write` without exactly one allowed
  ///   credential.
  public func authentication(
    _ inputs: ExtensionInputs, _ request: AuthenticationRequest
  ) throws(WebAuthnError) -> ExtensionReading<any AuthenticationExtension> {
    guard let value = inputs[identifier] else { return .notRequested }
    guard value.kind == .object else { return .malformed("\(value.path) is \(value.found); expected an object") }
    let object = JSONObjectReader(object: value)
    if let support = try object.optional("support") { throw Self.misplaced(support, "none in an authentication") }
    let (read, write) = (try object.optional("read"), try object.optional("write"))
    if let write {
      if read != nil { throw Self.misplaced(write, "none beside \(value.path).read") }
      guard request.options.allowedCredentials?.count == 1 else {
        throw Self.misplaced(write, "none unless allowCredentials has exactly one credential")
      }
      guard let data = write.stringValue.flatMap({ try? Base64URL.decode($0) }) else {
        return .malformed("\(write.path) is \(write.found); expected a base64url string")
      }
      return .honoured(Use(task: .write(data)))
    }
    guard let read else { return .notRequested }
    guard let isWanted = read.boolValue else {
      return .malformed("\(read.path) is \(read.found); expected true or false")
    }
    return isWanted ? .honoured(Use(task: .read)) : .notRequested
  }

  private struct Use: AuthenticationExtension {
    let task: LargeBlobTask

    func wantsVerification(on authenticator: AuthenticatorInfo) -> Bool {
      task != .read && LargeBlobAccess(authenticator) != nil
    }

    func largeBlobTask(for authenticator: AuthenticatorInfo) -> LargeBlobTask? { task }

    func outputs(for assertion: SignedAssertion) throws(ExtensionObjection) -> [ExtensionOutput] {
      switch (task, assertion.largeBlob) {
      case (.read, .read(let data?)?): [ExtensionOutput("largeBlob", ["blob": .string(Base64URL.encode(data))])]
      case (.read, _): [ExtensionOutput("largeBlob", [:])]
      case (.write, .written(let isWritten)?): [ExtensionOutput("largeBlob", ["written": .bool(isWritten)])]
      case (.write, _): [ExtensionOutput("largeBlob", ["written": false])]
      }
    }
  }
}
