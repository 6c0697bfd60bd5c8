internal import CBOR
public import CTAPHID
public import CTAPMessages
internal import FIDOCrypto

extension KeySession {
  /// Asks for an assertion (CTAP 2.2 §6.2).
  ///
  /// `up` and `uv` are sent as given, except that `uv` never goes beside a token; `rk` is not sent.
  ///
  /// - Parameters:
  ///   - request: the request, without `pinUvAuthParam`; its allow list has to fit, see `heldCredentials`.
  ///   - token: a token with permission `getAssertion` for the RP ID, or nil.
  ///   - wait: how long it may take.
  public func getAssertion(
    _ request: GetAssertionRequest, token: PINUVAuthToken?, _ wait: Wait
  ) throws(CTAP2Error) -> GetAssertionResponse {
    let request = request.asSent(token)
    return try exchange(.getAssertion, request.cbor(), repeatable: true, wait) { value throws(Unfit) in
      try request.answer(value)
    }
  }

  /// Fetches the next assertion of several, within 30 seconds of the one before (CTAP 2.2 §6.3).
  ///
  /// - Parameters:
  ///   - rpID: the RP ID of the getAssertion that began it.
  ///   - wait: how long it may take.
  public func getNextAssertion(rpID: String, _ wait: Wait) throws(CTAP2Error) -> GetAssertionResponse {
    // The key counts on with every request, so a second one would lose an assertion.
    try exchange(.getNextAssertion, repeatable: false, wait) { value throws(Unfit) in
      let response = try Unfit.read(GetAssertionResponse.self, value)
      try response.check(rpID: rpID)
      return response
    }
  }
}

extension GetAssertionRequest {
  /// The request in the form that every key takes, with the token's proof.
  fileprivate func asSent(_ token: PINUVAuthToken?) -> GetAssertionRequest {
    var request = self
    request.options.rk = nil
    if token != nil || options.uv == false { request.options.uv = nil }
    request.pinUvAuthParam = token?.authenticate(clientDataHash)
    request.pinUvAuthProtocol = token?.version.rawValue
    return request
  }

  /// Reads an answer and sees that it fits this request.
  fileprivate func answer(_ value: CBORValue?) throws(Unfit) -> GetAssertionResponse {
    let response = try Unfit.read(GetAssertionResponse.self, value)
    try response.check(rpID: rpID)
    guard let id = response.credential?.id else {
      // A key may leave the id out where only one was asked for.
      guard allowList.count == 1 else { throw Unfit("it names no credential") }
      return response
    }
    guard allowList.isEmpty || allowList.contains(where: { $0.id == id }) else {
      throw Unfit("its credential was not asked for")
    }
    return response
  }
}

extension GetAssertionResponse {
  fileprivate func check(rpID: String) throws(Unfit) {
    guard authData.rpIDHash == Digest.sha256(Array(rpID.utf8)) else { throw Unfit("it is for another RP ID") }
  }
}
