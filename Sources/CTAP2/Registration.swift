public import Attestation
internal import CBOR
public import CTAPHID
public import CTAPMessages
internal import FIDOCrypto
internal import Timing

/// A credential that a key has just made, checked against its request.
public struct CreatedCredential: Hashable, Sendable {
  /// The key's answer.
  public let response: MakeCredentialResponse
  /// What a look at the attestation's signature found; never `wrong`, which is an error.
  public let attestation: AttestationVerdict
}

extension KeySession {
  /// Makes a credential and returns the key's answer; `createCredential` tells what the attestation check found too.
  public func makeCredential(
    _ request: MakeCredentialRequest, token: PINUVAuthToken?, _ wait: Wait
  ) throws(CTAP2Error) -> MakeCredentialResponse {
    try createCredential(request, token: token, wait).response
  }

  /// Makes a credential (CTAP 2.2 §6.1).
  ///
  /// 1. The request is sent as keys want it: `rk` and `uv` only where true, `uv` never beside a token, never `up`,
  ///    no `transports` in the exclude list.
  /// 2. An exclude list that fits goes with it. One that does not is looked through silently first, and then only the
  ///    id that the key has goes with it, so that the key asks for a touch before it says "excluded".
  /// 3. It is sent once. Only where the key's own status or ERROR frame shows that nothing was made can another
  ///    request follow.
  /// 4. The answer has to be for this RP ID, with one of these algorithms, and its attestation signature right.
  ///
  /// - Parameters:
  ///   - request: the request, without `pinUvAuthParam`.
  ///   - token: a token with permission `makeCredential` for the RP ID, and `getAssertion` where `needsPreflight`.
  ///   - wait: how long it may take.
  /// - Throws: `credentialMayExist`, `credentialInvalid` or `createdLate` where a credential was made or may have
  ///   been; any other error means that none was.
  public func createCredential(
    _ request: MakeCredentialRequest, token: PINUVAuthToken?, _ wait: Wait
  ) throws(CTAP2Error) -> CreatedCredential {
    let limits = CredentialLimits(try info(wait))
    var request = request.asSent(token)
    request.excludeList = limits.usable(request.excludeList)
    let list = request.excludeList
    if limits.fits(request) {
      do throws(CTAP2Error) {
        return try create(request, wait)
      } catch {
        // The key takes less than it says; it made nothing.
        guard error.saysTooLarge, !list.isEmpty else { throw error }
      }
    }
    request.excludeList = try heldCredentials(of: list, rpID: request.rp.id, token: token, wait)
    return try create(request, wait)
  }

  /// Whether a request's exclude list has to be looked through before makeCredential, for which a token also needs
  /// permission `getAssertion`.
  ///
  /// - Parameters:
  ///   - info: what the key says of itself.
  ///   - request: the request, without `pinUvAuthParam`.
  ///   - withToken: whether a token will go with it, which makes it longer.
  public static func needsPreflight(
    _ info: GetInfoResponse, _ request: MakeCredentialRequest, withToken: Bool
  ) -> Bool {
    let limits = CredentialLimits(info)
    var request = request.asSent(nil)
    request.excludeList = limits.usable(request.excludeList)
    guard !request.excludeList.isEmpty else { return false }
    if withToken, let version = PINUVAuthProtocol.preferred(among: info.pinUvAuthProtocols) {
      request.pinUvAuthParam = [UInt8](repeating: 0, count: version.parameterSize)
      request.pinUvAuthProtocol = version.rawValue
    }
    return !limits.fits(request)
  }

  private func create(_ request: MakeCredentialRequest, _ wait: Wait) throws(CTAP2Error) -> CreatedCredential {
    let unanswered = UnansweredCreation(rpID: request.rp.id, isDiscoverable: request.options.rk == true)
    return try createOnce(request, unanswered, wait) { take throws(CTAP2Error) in
      try exchange(.makeCredential, request.cbor(), repeatable: false, wait) { value throws(Unfit) in
        try take(request.answer(value))
      }
    }
  }

  /// Has a credential made by one command or another, and sees that nothing which was made goes unmentioned.
  ///
  /// - Parameters:
  ///   - request: what was asked for.
  ///   - unanswered: what to say where the answer is lost.
  ///   - wait: how long it may take.
  ///   - send: sends the command, and has every answer that fits it taken by its argument.
  func createOnce(
    _ request: MakeCredentialRequest, _ unanswered: UnansweredCreation, _ wait: Wait,
    _ send: (@escaping (MakeCredentialResponse) throws(Unfit) -> CreatedCredential) throws(CTAP2Error) ->
      CreatedCredential
  ) throws(CTAP2Error) -> CreatedCredential {
    var damaged: CTAP2Error?
    let created: CreatedCredential
    do throws(CTAP2Error) {
      created = try send { response throws(Unfit) in
        let verdict = AttestationCheck.verify(
          fmt: response.fmt, attStmt: response.attStmt, authData: response.authData,
          clientDataHash: request.clientDataHash)
        if let reason = verdict.fault ?? response.authData.attestedCredential?.publicKey.fault {
          damaged = .credentialInvalid(response, reason: reason)
          throw Unfit(reason)
        }
        return CreatedCredential(response: response, attestation: verdict)
      }
    } catch {
      // Whatever came after it: a credential was seen, and an answer to something else must not hide it.
      if let damaged { throw damaged }
      guard error.mayHaveBeenTaken else { throw error }
      throw .credentialMayExist(unanswered, cause: error)
    }
    if wait.cancellation.isCancelled {
      throw .createdLate(created.response, cause: .hid(.cancelled(mayHaveBeenTaken: true)))
    }
    if clock.now >= wait.deadline {
      throw .createdLate(created.response, cause: .hid(.timeout(.userPresence, mayHaveBeenTaken: true)))
    }
    return created
  }
}

extension CTAP2Error {
  /// Whether the key may have carried the command out.
  var mayHaveBeenTaken: Bool {
    switch self {
    case .hid(let error): error.mayHaveBeenTaken
    case .misfit, .u2fMisfit: true
    default: false
    }
  }

  /// Whether the key found the request, or a list in it, too large.
  var saysTooLarge: Bool {
    switch self {
    case .status(.requestTooLarge, _), .status(.limitExceeded, _): true
    default: false
    }
  }
}

extension AttestationVerdict {
  /// Why the attestation is wrong, where it is.
  fileprivate var fault: String? {
    if case .wrong(let reason) = self { reason } else { nil }
  }
}

extension COSEKey {
  /// Why nothing can ever verify with this public key, or nil; of algorithms that are not known here, nothing is known.
  fileprivate var fault: String? {
    do throws(CryptoError) {
      _ = try publicKey()
      return nil
    } catch {
      switch error {
      case .invalidKey, .invalidLength: return "the credential's public key is broken (\(error))"
      default: return nil
      }
    }
  }
}

extension CredentialLimits {
  /// Whether a request fits with its whole exclude list.
  fileprivate func fits(_ request: MakeCredentialRequest) -> Bool {
    guard request.excludeList.count <= count else { return false }
    return request.excludeList.isEmpty
      || CTAPRequest.encode(.makeCredential, request.cbor()).count <= messageSize
  }
}

extension MakeCredentialRequest {
  /// The request in the form that every key takes, with the token's proof.
  fileprivate func asSent(_ token: PINUVAuthToken?) -> MakeCredentialRequest {
    var request = self
    request.options.rk = options.rk == true ? true : nil
    request.options.uv = options.uv == true && token == nil ? true : nil
    request.options.up = nil
    request.pinUvAuthParam = token?.authenticate(clientDataHash)
    request.pinUvAuthProtocol = token?.version.rawValue
    return request
  }

  /// Reads an answer and sees that it fits this request.
  fileprivate func answer(_ value: CBORValue?) throws(Unfit) -> MakeCredentialResponse {
    let response = try Unfit.read(MakeCredentialResponse.self, value)
    guard response.attStmt != nil || response.fmt == "none" else { throw Unfit("it has no attestation statement") }
    guard response.authData.rpIDHash == Digest.sha256(Array(rp.id.utf8)) else { throw Unfit("it is for another RP ID") }
    guard let credential = response.authData.attestedCredential else { throw Unfit("it has no credential") }
    guard !credential.credentialID.isEmpty else { throw Unfit("its credential id is empty") }
    guard pubKeyCredParams.contains(where: { $0.algorithm == credential.publicKey.alg }) else {
      throw Unfit("its algorithm was not asked for")
    }
    return response
  }
}
