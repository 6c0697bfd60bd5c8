public import CTAPHID
public import CTAPMessages

extension KeySession {
  /// Asks how full the key's store of discoverable credentials is (CTAP 2.3 §6.8.2).
  ///
  /// - Parameters:
  ///   - token: a token with permission `credentialManagement` and no RP ID, or a persistent read-only one.
  ///   - wait: how long it may take.
  public func credentialMetadata(
    _ token: PINUVAuthToken, _ wait: Wait
  ) throws(CTAP2Error) -> CredentialStoreMetadata {
    try manage(CredentialManagementRequest(.getCredsMetadata), token, repeatable: true, wait) {
      (response) throws(Unfit) in
      guard let existing = response.existingResidentCredentialsCount,
        let remaining = response.maxPossibleRemainingResidentCredentialsCount
      else { throw Unfit("it does not say how many credentials there are") }
      return CredentialStoreMetadata(existing: existing, remaining: remaining)
    }
  }

  /// Deletes a discoverable credential (CTAP 2.3 §6.8.5); sent once and never again.
  ///
  /// - Parameters:
  ///   - credential: the credential, as the key listed it.
  ///   - token: a token with permission `credentialManagement`, for its RP ID or for none.
  ///   - wait: how long it may take.
  /// - Throws: `changeUncertain` where the answer was lost.
  public func deleteCredential(
    _ credential: CredentialDescriptor, _ token: PINUVAuthToken, _ wait: Wait
  ) throws(CTAP2Error) {
    let parameters = CredentialManagementParameters(credentialID: credential)
    try change(.deleteCredential, CredentialManagementRequest(.deleteCredential, parameters), token, wait)
  }

  /// Replaces the names of a credential's account (CTAP 2.3 §6.8.6); sent once and never again.
  ///
  /// - Parameters:
  ///   - user: the account with its new names; its identifier must be the one that it has.
  ///   - credential: the credential, as the key listed it.
  ///   - token: a token with permission `credentialManagement`, for its RP ID or for none.
  ///   - wait: how long it may take.
  /// - Throws: `changeUncertain` where the answer was lost; `notOffered` where the key has but the preview of the
  ///   command, which mostly lacks this part, and refuses it.
  public func updateUser(
    _ user: UserEntity, of credential: CredentialDescriptor, _ token: PINUVAuthToken, _ wait: Wait
  ) throws(CTAP2Error) {
    let parameters = CredentialManagementParameters(credentialID: credential, user: user)
    do throws(CTAP2Error) {
      try change(.updateUser, CredentialManagementRequest(.updateUserInformation, parameters), token, wait)
    } catch {
      switch error {
      case .status(.invalidSubcommand, .credentialManagementPreview),
        .status(.invalidParameter, .credentialManagementPreview),
        .status(.invalidCommand, .credentialManagementPreview):
        throw .notOffered("other names for the account of a credential")
      default: throw error
      }
    }
  }

  // MARK: Sending

  private func change(
    _ kind: KeyChange, _ request: CredentialManagementRequest, _ token: PINUVAuthToken, _ wait: Wait
  ) throws(CTAP2Error) {
    let parameters = request.signed(token).cbor()
    try inKnownForm(try credentialForms(wait)) { (command) throws(CTAP2Error) in
      try change(kind, command, parameters, wait) { value throws(Unfit) in try Unfit.empty(value) }
    }
  }

  /// Sends a request that changes nothing, with a token where it takes one.
  func manage<Answer>(
    _ request: CredentialManagementRequest, _ token: PINUVAuthToken?, repeatable: Bool, _ wait: Wait,
    _ read: (CredentialManagementResponse) throws(Unfit) -> Answer
  ) throws(CTAP2Error) -> Answer {
    let parameters = (token.map(request.signed) ?? request).cbor()
    return try withoutActuallyEscaping(read) { (read) throws(CTAP2Error) in
      try inKnownForm(try credentialForms(wait)) { (command) throws(CTAP2Error) in
        try exchange(command, parameters, repeatable: repeatable, resends: repeatable, wait) { value throws(Unfit) in
          try read(Unfit.read(CredentialManagementResponse.self, value))
        }
      }
    }
  }

  private func credentialForms(_ wait: Wait) throws(CTAP2Error) -> ManagementForms {
    let info = try info(wait)
    guard info.hasCredentialManagement else { throw .notOffered("credential management") }
    return ManagementForms(
      final: .credentialManagement, preview: .credentialManagementPreview, isFinal: info.isOn(.credMgmt))
  }
}

extension GetInfoResponse {
  /// Whether the key's credentials can be managed, by the final command or by its preview.
  public var hasCredentialManagement: Bool { isOn(.credMgmt) || isOn(.credentialMgmtPreview) }
}

extension CredentialManagementRequest {
  /// The request with the token's proof.
  fileprivate func signed(_ token: PINUVAuthToken) -> CredentialManagementRequest {
    var request = self
    request.pinUvAuthProtocol = token.version.rawValue
    request.pinUvAuthParam = token.authenticate(authenticatedBytes)
    return request
  }
}
