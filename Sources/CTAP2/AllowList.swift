public import CTAPHID
public import CTAPMessages

extension KeySession {
  /// Cuts an allow list to what goes with a getAssertion.
  ///
  /// A list that fits the key goes whole, less the ids that are too long to be its own. One that does not is looked
  /// through silently, see `heldCredentials`, and what the key has is left of it.
  ///
  /// - Parameters:
  ///   - request: the request with its whole list, without `pinUvAuthParam`.
  ///   - token: a token with permission `getAssertion` for the RP ID, or nil.
  ///   - wait: how long it may take.
  /// - Returns: the list to send; an empty one means that the key has none of the credentials, and must not be sent,
  ///   because a request without a list is for any credential.
  public func allowListToSend(
    _ request: GetAssertionRequest, token: PINUVAuthToken?, _ wait: Wait
  ) throws(CTAP2Error) -> [CredentialDescriptor] {
    let limits = CredentialLimits(try info(wait))
    var whole = request
    whole.allowList = limits.usable(request.allowList)
    if whole.allowList.isEmpty { return [] }
    whole.pinUvAuthParam = token?.authenticate(request.clientDataHash)
    whole.pinUvAuthProtocol = token?.version.rawValue
    let size = CTAPRequest.encode(.getAssertion, whole.cbor()).count
    if whole.allowList.count <= limits.count && size <= limits.messageSize { return whole.allowList }
    return try heldCredentials(of: request.allowList, rpID: request.rpID, token: token, wait)
  }

  /// Asks for an assertion with the credentials of an allow list that the key has.
  ///
  /// - Parameters:
  ///   - request: the request with its whole list, which is not empty, and without `pinUvAuthParam`.
  ///   - token: a token with permission `getAssertion` for the RP ID, or nil.
  ///   - wait: how long it may take.
  /// - Returns: the key's answer; its `credential` is always there.
  /// - Throws: `status` with NO_CREDENTIALS where the key has none of them, also where it was not asked.
  public func getAssertionOfList(
    _ request: GetAssertionRequest, token: PINUVAuthToken?, _ wait: Wait
  ) throws(CTAP2Error) -> GetAssertionResponse {
    var cut = request
    cut.allowList = try allowListToSend(request, token: token, wait)
    do throws(CTAP2Error) {
      return try getAssertionOfCutList(cut, token, wait)
    } catch {
      // The key takes less than it says.
      guard error.saysTooLarge, cut.allowList.count > 1 else { throw error }
      cut.allowList = try heldCredentials(of: request.allowList, rpID: request.rpID, token: token, wait)
      return try getAssertionOfCutList(cut, token, wait)
    }
  }

  private func getAssertionOfCutList(
    _ request: GetAssertionRequest, _ token: PINUVAuthToken?, _ wait: Wait
  ) throws(CTAP2Error) -> GetAssertionResponse {
    guard let first = request.allowList.first else { throw .status(.noCredentials, .getAssertion) }
    var response = try getAssertion(request, token: token, wait)
    // Only a list of one may be answered without a name.
    if response.credential == nil { response.credential = first }
    return response
  }

  /// The most assertions that are fetched, whatever the key counts; keys in the field hold some 500 credentials.
  private static var mostAssertions: Int { 1000 }

  /// Asks for the assertions of every discoverable credential that can answer.
  ///
  /// - Parameters:
  ///   - request: the request, without an allow list and `pinUvAuthParam`.
  ///   - token: a token with permission `getAssertion` for the RP ID, or nil.
  ///   - wait: how long it may take.
  /// - Returns: the key's answers, the newest credential's first; just one where the person chose on the key itself.
  public func getAllAssertions(
    _ request: GetAssertionRequest, token: PINUVAuthToken?, _ wait: Wait
  ) throws(CTAP2Error) -> [GetAssertionResponse] {
    let first = try getAssertion(request, token: token, wait)
    var responses = [first]
    guard first.userSelected != true, let count = first.numberOfCredentials else { return responses }
    while responses.count < min(count, Self.mostAssertions) {
      do throws(CTAP2Error) {
        responses.append(try getNextAssertion(rpID: request.rpID, wait))
      } catch {
        // A key that counted wrong, or deleted one meanwhile, has no more to give.
        if case .status(.notAllowed, _) = error { break }
        throw error
      }
    }
    return responses
  }
}
