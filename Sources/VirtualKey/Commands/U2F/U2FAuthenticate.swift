import CTAPHID
import CTAPMessages
import FIDOCrypto
import Octets

extension Authenticator {
  /// U2F_AUTHENTICATE (FIDO U2F Raw Message Formats 1.2 §5): a signature, or word of whether the credential is known.
  ///
  /// Credentials of CTAP2 serve as well where they are for ES256 and do not demand verification.
  func u2fAuthenticate(_ request: U2FAuthenticateRequest, _ channel: ChannelID) throws(U2FRefusal) -> [UInt8] {
    let controls: [U2FAuthenticateRequest.Control] = [
      .checkOnly, .enforceUserPresenceAndSign, .dontEnforceUserPresenceAndSign,
    ]
    let application = request.applicationParameter
    guard controls.contains(request.control), let credential = credential(request.keyHandle, rpIDHash: application),
      credential.key.algorithm == SignatureAlgorithm.es256.rawValue,
      credential.protection < CredentialProtection.required
    else { throw U2FRefusal(.wrongData) }
    // The status of a known credential is that of a missing touch, and no touch changes it.
    if request.control == .checkOnly { throw U2FRefusal(.conditionsNotSatisfied) }
    let isPresent = request.control == .enforceUserPresenceAndSign
    if isPresent, !u2fPresence(U2FInstruction.authenticate, channel) { throw U2FRefusal(.conditionsNotSatisfied) }
    let response = try u2f { () throws(Refusal) in
      let counter = state.signatureCounter &+ 1
      var signed = application + [isPresent ? 1 : 0]
      signed.append(bigEndian: counter)
      let signature = try SigningKey(credential.key).signature(signed + request.challengeParameter)
      // As in getAssertion, no counter is seen that is not saved.
      try commit { $0.signatureCounter = counter }
      return U2FAuthenticateResponse(userPresence: isPresent ? 1 : 0, counter: counter, signature: signature)
    }
    log.add(
      .u2fSigned(application: application, id: credential.id, counter: response.counter, present: isPresent))
    return response.encoded()
  }
}
