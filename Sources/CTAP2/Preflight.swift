internal import CBOR
public import CTAPHID
public import CTAPMessages
internal import Timing

extension KeySession {
  /// How long a look through a list may take altogether: some keys need seconds for each id that is not theirs.
  static let preflightLimit = Duration.seconds(20)

  /// Looks silently, without a touch, which credential of a list the key has; for lists that don't fit a request.
  ///
  /// 1. The list is cut to batches that the key takes, by count and by message size. An id that fits no message at
  ///    all can't be the key's.
  /// 2. Only NO_CREDENTIALS means that a batch is not there; any other status ends the search.
  /// 3. A batch that the key finds too large after all is halved.
  ///
  /// - Parameters:
  ///   - list: the credentials, any number of them.
  ///   - rpID: the RP ID.
  ///   - token: a token to find credentials that hide from those who did not verify; used where it may be.
  ///   - wait: how long it may take; never more than 20 seconds of it.
  /// - Returns: the credential that was found; the whole batch where the key does not say which; none where the key
  ///   has none.
  public func heldCredentials(
    of list: [CredentialDescriptor], rpID: String, token: PINUVAuthToken?, _ wait: Wait
  ) throws(CTAP2Error) -> [CredentialDescriptor] {
    let limits = CredentialLimits(try info(wait))
    let list = limits.usable(list)
    guard let first = list.first else { return [] }
    let token = token.flatMap { $0.permissions.contains(.getAssertion) ? $0 : nil }
    var probe = GetAssertionRequest(
      rpID: rpID, clientDataHash: [UInt8](repeating: 0, count: 32), allowList: [first],
      options: RequestOptions(up: false), pinUvAuthParam: token?.authenticate([UInt8](repeating: 0, count: 32)),
      pinUvAuthProtocol: token?.version.rawValue)
    let sizes = list.map { $0.cbor().encoded().count }
    // What a probe holds beside its descriptors and the head of their array.
    let fixed = CTAPRequest.encode(.getAssertion, probe.cbor()).count - sizes[0] - CredentialLimits.headSize(1)

    let end = min(wait.deadline, clock.now + Self.preflightLimit)
    var budget = wait
    budget.deadline = end
    var position = 0
    var most = limits.count
    while position < list.count {
      if clock.now >= end, wait.deadline > end { throw .listTooSlow(looked: position, of: list.count) }
      let number = limits.fitting(sizes[position...], beside: fixed, most: most)
      if number == 0 {
        position += 1
        continue
      }
      probe.allowList = Array(list[position..<position + number])
      do throws(CTAP2Error) {
        let response = try getAssertion(probe, token: token, budget)
        let id = response.credential?.id
        return id == nil ? probe.allowList : probe.allowList.filter { $0.id == id }
      } catch {
        switch error {
        case .status(.noCredentials, _): position += number
        case _ where error.saysTooLarge && number > 1: most = number / 2
        case .hid(.timeout) where wait.deadline > end: throw .listTooSlow(looked: position, of: list.count)
        default: throw error
        }
      }
    }
    return []
  }
}
