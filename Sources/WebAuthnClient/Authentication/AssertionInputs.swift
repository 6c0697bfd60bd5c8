internal import CBOR
internal import CTAP2
internal import CTAPHID
internal import CTAPMessages
internal import Octets

/// What the extensions send to the key with an assertion.
struct AssertionInputs: Sendable {
  /// A request that is complete, and how to read its answers.
  struct Asking {
    let request: GetAssertionRequest
    let question: HMACSecretQuestion?

    /// An assertion with the outputs of the secret function decrypted; what cannot be read counts as no output.
    func answer(_ response: GetAssertionResponse) -> AssertionMaker.Answer {
      let encrypted = response.authData.extensions?["hmac-secret"]?.bytesValue
      let secrets = encrypted.flatMap { try? question?.outputs($0) }
      return AssertionMaker.Answer(
        response: response, credentialID: response.credential?.id ?? [], secrets: secrets)
    }
  }

  let authenticator: AuthenticatorInfo
  let works: [any AuthenticationExtension]
  let isVerified: Bool
  let largeBlob: LargeBlobWork?

  /// Whether it has to be known which credential will answer.
  var dependOnCredential: Bool { works.contains { $0.dependsOnCredential } }

  /// Puts the inputs into a request; salts cost one transaction.
  func complete(
    _ request: GetAssertionRequest, credentialID: [UInt8]?, _ session: KeySession, _ wait: Wait
  ) throws(CTAP2Error) -> Asking {
    var request = request
    for work in works {
      for (name, value) in work.authenticatorInputs(for: authenticator, credentialID: credentialID) {
        request.extensions[.text(name)] = value
      }
    }
    if let (name, value) = largeBlob?.input { request.extensions[.text(name)] = value }
    guard let salts = salts(credentialID) else { return Asking(request: request, question: nil) }
    let question = try session.hmacSecretQuestion(salts: salts, wait)
    request.extensions["hmac-secret"] = question.input
    return Asking(request: request, question: question)
  }

  private func salts(_ credentialID: [UInt8]?) -> SecretBytes? {
    guard authenticator.supports("hmac-secret") else { return nil }
    for work in works {
      let salts = work.secretSalts(for: authenticator, credentialID: credentialID, verified: isVerified)
      if let salts { return salts }
    }
    return nil
  }
}
