import CTAPMessages
import FIDOCrypto

// authenticatorCredentialManagement (CTAP 2.3 §6.8), and its preview 0x41, which lacks updateUserInformation on keys
// that have the preview alone.
extension Authenticator {
  func credentialManagement(_ request: CredentialManagementRequest, isPreview: Bool) throws(Refusal) -> Outcome {
    // Only the next item of the same listing leaves a listing as it is.
    let listing = self.listing
    self.listing = nil
    switch request.subCommand {
    case .getCredsMetadata: return try credentialMetadata(request)
    case .enumerateRPsBegin: return try listRPs(request)
    case .enumerateRPsGetNextRP: return try next(.relyingParties, listing)
    case .enumerateCredentialsBegin: return try listCredentials(request)
    case .enumerateCredentialsGetNextCredential: return try next(.credentials, listing)
    case .deleteCredential: return try deleteCredential(request)
    // A key with both commands takes the same in both, on which libfido2 before 1.13 relies.
    case .updateUserInformation where !isPreview || profile.option(.credMgmt) == true: return try updateUser(request)
    default: throw Refusal(profile.isCTAP21 ? .invalidSubcommand : .invalidParameter)
    }
  }

  private func credentialMetadata(_ request: CredentialManagementRequest) throws(Refusal) -> Outcome {
    try requireToken(ManagementProof(request), .credentialManagement, readsOnly: true)
    var response = CredentialManagementResponse()
    response.existingResidentCredentialsCount = state.credentials.count(where: \.isResident)
    response.maxPossibleRemainingResidentCredentialsCount = remainingResidents
    return .message(response)
  }

  private func listRPs(_ request: CredentialManagementRequest) throws(Refusal) -> Outcome {
    try requireToken(ManagementProof(request), .credentialManagement, readsOnly: true)
    var seen: Set<String> = []
    return try begin(
      .relyingParties, state.credentials.filter { $0.isResident && seen.insert($0.rpID).inserted })
  }

  private func listCredentials(_ request: CredentialManagementRequest) throws(Refusal) -> Outcome {
    guard request.pinUvAuthParam != nil else { throw Refusal(.puatRequired) }
    let hash = try required(try required(request.subCommandParams).rpIDHash)
    guard hash.count == 32 else { throw Refusal(.invalidLength) }
    // A token for one RP ID is good for its list, an empty one too.
    let rpID = token.rpID.flatMap { Digest.sha256(Array($0.utf8)) == hash ? $0 : nil }
    try requireToken(ManagementProof(request), .credentialManagement, rpID: rpID, readsOnly: true)
    return try begin(.credentials, state.credentials.filter { $0.isResident && $0.rpIDHash == hash })
  }

  // MARK: Changes

  private func deleteCredential(_ request: CredentialManagementRequest) throws(Refusal) -> Outcome {
    let credential = try managedCredential(request)
    try commit {
      $0.credentials.removeAll { $0.id == credential.id }
      $0.credentialsChanged(self.random)
    }
    log.add(.credentialDeleted(rpID: credential.rpID, id: credential.id))
    return .success(nil)
  }

  /// Replaces the names, also by none (CTAP 2.3 §6.8.6).
  private func updateUser(_ request: CredentialManagementRequest) throws(Refusal) -> Outcome {
    let credential = try managedCredential(request)
    let user = try required(request.subCommandParams?.user)
    guard user.id == credential.userID else { throw Refusal(.invalidParameter) }
    try commit { state in
      for index in state.credentials.indices where state.credentials[index].id == credential.id {
        state.credentials[index].userName = user.name
        state.credentials[index].userDisplayName = user.displayName
      }
      state.credentialsChanged(self.random)
    }
    log.add(.credentialUpdated(rpID: credential.rpID, id: credential.id))
    return .success(nil)
  }

  /// The resident credential that a change is about, with a token that allows the change.
  private func managedCredential(_ request: CredentialManagementRequest) throws(Refusal) -> StoredCredential {
    guard request.pinUvAuthParam != nil else { throw Refusal(.puatRequired) }
    let id = try required(try required(request.subCommandParams).credentialID).id
    let found = state.credentials.first { $0.isResident && $0.id == id }
    // Without one nothing is told to a token that is for another RP ID.
    try requireToken(ManagementProof(request), .credentialManagement, rpID: found?.rpID)
    guard let found else { throw Refusal(.noCredentials) }
    return found
  }
}

extension ManagementProof {
  init(_ request: CredentialManagementRequest) {
    self.init(
      message: request.authenticatedBytes, param: request.pinUvAuthParam, version: request.pinUvAuthProtocol)
  }
}
