internal import Attestation
internal import CTAPMessages
internal import FIDOCrypto

extension ReceivedAuthentication {
  /// Makes a relying party's checks of a sign-in (WebAuthn L3 §7.2), all of them unless the policy says otherwise.
  public func verify(
    _ request: AuthenticationRequest, _ policy: RelyingPartyPolicy, credential: CredentialRecord
  ) -> Verification {
    var list = CheckList(stopsAtFirstFailure: policy.stopsAtFirstFailure)
    if !credential.isVerified {
      list.check(.registration) { .notChecked("the credential was taken from a response that was not verified here") }
    }
    list.checkIdentifiers(type, identifiers, credential.id)
    list.check(.allowed) {
      guard !request.allowedCredentials.isEmpty else { return .passed("the request allows any") }
      return request.allowedCredentials.contains(credential.id)
        ? .passed("") : .failed("the request does not allow this credential")
    }
    list.check(.userHandle) { user(request, credential) }
    list.checkClientData(clientDataJSON, type: "webauthn.get", challenge: request.challenge, policy: policy)
    let data = try? AuthenticatorData.parse(authenticatorData)
    list.require(.authenticatorData, data != nil, else: "it cannot be read: \(problem)")
    guard let data else { return Verification(.authentication, list.checks, nil) }
    list.checkAuthenticatorData(
      data, relyingPartyID: applicationID(request) ?? policy.relyingPartyID(request.relyingPartyID),
      requiresUserVerification: request.requiresUserVerification)
    if data.backup != .contradiction {
      list.require(
        .backup, data.flags.contains(.backupEligible) == credential.backupEligible,
        else: "BE differs from what it was at the registration")
    }
    list.check(.signature) { signature(by: credential.publicKey) }
    list.check(.counter) { Self.counter(data.signCount, after: credential.signCount) }
    list.noteExtensions(extensions, data)
    var seen = credential
    seen.signCount = data.signCount
    seen.backedUp = data.flags.contains(.backedUp)
    return Verification(.authentication, list.checks, seen)
  }

  /// Why the authenticator data cannot be read.
  private var problem: String {
    do throws(MessageError) {
      _ = try AuthenticatorData.parse(authenticatorData)
      return ""
    } catch {
      return "\(error)"
    }
  }

  /// The application ID in place of the RP ID, where the client says that it was used (WebAuthn L3 §10.1.1).
  private func applicationID(_ request: AuthenticationRequest) -> String? {
    usedApplicationID ? request.applicationID : nil
  }

  private func user(_ request: AuthenticationRequest, _ credential: CredentialRecord) -> Check.Outcome {
    guard let userHandle else {
      return request.allowedCredentials.isEmpty
        ? .failed("it is missing, and the request names no credential") : .passed("the request named the credential")
    }
    guard let known = credential.userHandle else { return .notChecked("the credential's user is not known") }
    return known == userHandle ? .passed("") : .failed("it is another user's")
  }

  private func signature(by key: COSEKey) -> Check.Outcome {
    guard let algorithm = key.alg.flatMap(SignatureAlgorithm.init(rawValue:)) else {
      return .failed("the credential's algorithm is not supported, so nothing can be verified")
    }
    do throws(CryptoError) {
      let message = authenticatorData + Digest.sha256(clientDataJSON)
      return try key.publicKey().verifies(signature, of: message, algorithm: algorithm)
        ? .passed("") : .failed("it is not the credential's signature of this answer")
    } catch {
      return .failed("the credential's public key cannot be used: \(error)")
    }
  }

  private static func counter(_ new: UInt32, after old: UInt32) -> Check.Outcome {
    if new == 0, old == 0 { return .passed("the key has none") }
    return new > old
      ? .passed("\(new) after \(old)") : .failed("it is \(new) after \(old): there may be a copy of the key")
  }
}
