import CTAPHID
import CTAPMessages
import FIDOCrypto
import Timing

/// The rest of a listing that goes on with each request (CTAP 2.3 §6.8.3, §6.8.4); lost with the power.
struct CredentialListing {
  enum Kind: Hashable {
    case relyingParties
    case credentials
  }

  static let patience = Duration.seconds(30)

  let kind: Kind
  let channel: ChannelID
  var rest: ArraySlice<StoredCredential>
  var deadline: Instant
}

extension Authenticator {
  /// Answers with the first item and how many there are.
  func begin(_ kind: CredentialListing.Kind, _ items: [StoredCredential]) throws(Refusal) -> Outcome {
    guard let first = items.first else { throw Refusal(.noCredentials) }
    var response = try item(kind, first)
    switch kind {
    case .relyingParties: response.totalRPs = items.count
    case .credentials: response.totalCredentials = items.count
    }
    listing = CredentialListing(
      kind: kind, channel: channel, rest: items.dropFirst(), deadline: now + CredentialListing.patience)
    return .message(response)
  }

  /// Answers with the next item, for who began.
  func next(_ kind: CredentialListing.Kind, _ listing: CredentialListing?) throws(Refusal) -> Outcome {
    guard var listing, listing.kind == kind, listing.channel == channel, now < listing.deadline,
      let first = listing.rest.popFirst()
    else { throw Refusal(.notAllowed) }
    listing.deadline = now + CredentialListing.patience
    self.listing = listing
    return .message(try item(kind, first))
  }

  private func item(
    _ kind: CredentialListing.Kind, _ credential: StoredCredential
  ) throws(Refusal) -> CredentialManagementResponse {
    var response = CredentialManagementResponse()
    switch kind {
    case .relyingParties:
      response.rp = RelyingPartyEntity(id: credential.rpID, name: credential.rpName)
      response.rpIDHash = credential.rpIDHash
    case .credentials:
      response.user = UserEntity(
        id: credential.userID, name: credential.userName, displayName: credential.userDisplayName)
      response.credentialID = CredentialDescriptor(id: credential.id)
      response.publicKey = try credential.publicKey()
      response.credProtect = credential.protection
      response.largeBlobKey = credential.largeBlobKey
      if profile.has(extension: "thirdPartyPayment") { response.thirdPartyPayment = credential.isForPayment }
    }
    return response
  }
}

extension StoredCredential {
  fileprivate func publicKey() throws(Refusal) -> COSEKey {
    let signing = try SigningKey(key)
    guard let key = try? signing.publicKey() else { throw Refusal(.other) }
    return COSEKey(key, algorithm: signing.algorithm)
  }
}
