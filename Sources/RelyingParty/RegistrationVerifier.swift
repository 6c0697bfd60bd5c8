internal import Attestation
internal import CBOR
internal import CTAPMessages
internal import FIDOCrypto

extension ReceivedRegistration {
  /// Makes a relying party's checks of a registration (WebAuthn L3 §7.1), all of them unless the policy says otherwise.
  public func verify(_ request: RegistrationRequest, _ policy: RelyingPartyPolicy) -> Verification {
    var list = CheckList(stopsAtFirstFailure: policy.stopsAtFirstFailure)
    let object = try? AttestationObject(cbor: CBORDecoder.decode(attestationObject))
    let credential = object?.authData.attestedCredential
    list.checkIdentifiers(type, identifiers, credential?.credentialID)
    list.checkClientData(clientDataJSON, type: "webauthn.create", challenge: request.challenge, policy: policy)
    list.check(.authenticatorData) {
      if object == nil { return .failed("the attestation object cannot be read: \(problem)") }
      return credential == nil ? .failed("it holds no credential") : .passed("")
    }
    guard let object, let credential else { return Verification(.registration, list.checks, nil) }
    list.checkAuthenticatorData(
      object.authData, relyingPartyID: policy.relyingPartyID(request.relyingPartyID),
      requiresUserVerification: request.requiresUserVerification)
    list.check(.algorithm) {
      guard let number = credential.publicKey.alg else { return .failed("the public key names none") }
      return request.algorithms.contains(number)
        ? .passed("\(number)") : .failed("it is \(number), which the request does not offer")
    }
    list.check(.publicKey) { Self.usability(credential.publicKey) }
    list.check(.copies) { copies(of: object) }
    list.checkAttestation(object, Digest.sha256(clientDataJSON), policy)
    list.noteExtensions(extensions, object.authData)
    list.check(.unused) { .notChecked("whether another account has the credential is for the server to look up") }
    return Verification(
      .registration, list.checks, CredentialRecord(object.authData, userHandle: request.userID, isVerified: true))
  }

  /// Why the attestation object cannot be read.
  private var problem: String {
    do {
      _ = try AttestationObject(cbor: CBORDecoder.decode(attestationObject))
      return ""
    } catch {
      return "\(error)"
    }
  }

  static func usability(_ key: COSEKey) -> Check.Outcome {
    do throws(CryptoError) {
      let key = try key.publicKey()
      // Points were looked at; the numbers of RSA keys are when they are used.
      if case .rsa = key { _ = try key.subjectPublicKeyInfo() }
      return .passed("")
    } catch {
      if case .unsupported(let what) = error { return .notChecked("\(what) is not supported") }
      return .failed("\(error)")
    }
  }

  private func copies(of object: AttestationObject) -> Check.Outcome {
    var compared: [String] = []
    if let authenticatorData {
      guard authenticatorData == object.authData.encoded() else { return .failed("authenticatorData differs") }
      compared.append("authenticatorData")
    }
    let key = object.authData.attestedCredential?.publicKey
    if let publicKeyAlgorithm {
      guard publicKeyAlgorithm == key?.alg else { return .failed("publicKeyAlgorithm differs") }
      compared.append("publicKeyAlgorithm")
    }
    if let publicKey {
      guard let own = try? key?.publicKey().subjectPublicKeyInfo() else {
        return .notChecked("publicKey cannot be compared, because the credential's key has no such form")
      }
      guard publicKey == own else { return .failed("publicKey differs") }
      compared.append("publicKey")
    }
    return compared.isEmpty ? .notChecked("the response has none") : .passed(compared.joined(separator: ", "))
  }
}

extension CheckList {
  /// WebAuthn L3 §7.1 steps 21 to 24.
  fileprivate mutating func checkAttestation(
    _ object: AttestationObject, _ clientDataHash: [UInt8], _ policy: RelyingPartyPolicy
  ) {
    // Made when the first of these checks is, and once.
    var made: AttestationReport?
    func report() -> AttestationReport {
      let report = made ?? AttestationReport(object, clientDataHash: clientDataHash)
      made = report
      return report
    }
    let name = "format \"\(object.fmt.prefix(40))\""
    check(.attestation) {
      switch (report().binding, report().kind) {
      case (.verified, .selfSigned): .passed("\(name), signed by the credential itself")
      case (.verified, _): .passed("\(name), with a certificate")
      case (.wrong(let reason), _): .failed("\(name): \(reason)")
      case (.notCheckable(let reason), _): .notChecked("\(name): \(reason)")
      case (.nothingToCheck, .none): .notChecked("\(name) vouches for nothing")
      case (.nothingToCheck, _): .notChecked("\(name) is not known")
      }
    }
    check(.attestationCertificate) {
      switch report().certificate {
      case .verified: .passed("")
      case .wrong(let reason): .failed(reason)
      case .notCheckable(let reason): .notChecked(reason)
      case .nothingToCheck: .notChecked("\(name) has no certificate that is known")
      }
    }
    check(.trustChain) {
      guard let anchors = policy.trustAnchors else { return .notChecked("no trust anchors were given") }
      switch report().trust(anchors: anchors, at: policy.time) {
      case .verified: break
      case .wrong(let reason), .notCheckable(let reason): return .failed(reason)
      case .nothingToCheck: return .failed("\(name) has no certificates that could lead to a trust anchor")
      }
      // A chain says nothing where the statement under it was not checked.
      return report().binding == .verified
        ? .passed("revocation was not looked at") : .failed("the statement under the certificates was not verified")
    }
  }
}
