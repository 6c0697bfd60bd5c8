public import CTAPHID
internal import CTAPMessages

extension KeySession {
  /// The most relying parties, or credentials of one, that a listing takes; far more than any key holds.
  public static let mostListed = 4096
  /// How often a listing begins again after another program's command made the key forget where it was.
  static let listingRestarts = 2

  /// Lists the relying parties that have a discoverable credential; one transaction for each (CTAP 2.3 §6.8.3).
  ///
  /// - Parameters:
  ///   - token: a token with permission `credentialManagement` and no RP ID, or a persistent read-only one.
  ///   - wait: how long it may take.
  public func relyingParties(
    _ token: PINUVAuthToken, _ wait: Wait
  ) throws(CTAP2Error) -> [StoredRelyingParty] {
    try listing(
      CredentialManagementRequest(.enumerateRPsBegin), next: .enumerateRPsGetNextRP, total: \.totalRPs, token, wait,
      identity: \.idHash, onItem: { _, _ in }
    ) { response throws(Unfit) in
      guard let hash = response.rpIDHash, hash.count == 32 else { throw Unfit("it has no hash of an RP ID") }
      let party = StoredRelyingParty(idHash: hash, id: response.rp?.id, name: response.rp?.name)
      // Keys cut long RP IDs, but none to less than 32 bytes (CTAP 2.3 §6.8.7).
      if let id = party.id, id.utf8.count < 32, !party.isIDWhole {
        throw Unfit("its RP ID and the hash do not belong together")
      }
      return party
    }
  }

  /// Lists the discoverable credentials of a relying party; one transaction for each (CTAP 2.3 §6.8.4).
  ///
  /// - Parameters:
  ///   - relyingParty: the relying party; its hash is what counts.
  ///   - token: a token with permission `credentialManagement`, for this RP ID or for none, or a persistent read-only
  ///     one.
  ///   - wait: how long it may take.
  ///   - onItem: told after each one how many of how many there are.
  public func credentials(
    of relyingParty: StoredRelyingParty, _ token: PINUVAuthToken, _ wait: Wait,
    onItem: (_ done: Int, _ total: Int) -> Void = { _, _ in }
  ) throws(CTAP2Error) -> [StoredCredential] {
    let parameters = CredentialManagementParameters(rpIDHash: relyingParty.idHash)
    return try listing(
      CredentialManagementRequest(.enumerateCredentialsBegin, parameters),
      next: .enumerateCredentialsGetNextCredential, total: \.totalCredentials, token, wait, identity: \.id,
      onItem: onItem
    ) { response throws(Unfit) in try StoredCredential(response, of: relyingParty) }
  }

  /// Lists all discoverable credentials, with one token; two transactions for each at the most.
  ///
  /// - Parameters:
  ///   - token: a token with permission `credentialManagement` and no RP ID, or a persistent read-only one.
  ///   - wait: how long it may take.
  ///   - onRelyingParty: told after each relying party how many of how many there are.
  public func credentials(
    _ token: PINUVAuthToken, _ wait: Wait, onRelyingParty: (_ done: Int, _ total: Int) -> Void = { _, _ in }
  ) throws(CTAP2Error) -> [StoredCredential] {
    let parties = try relyingParties(token, wait)
    var credentials: [StoredCredential] = []
    for (index, party) in parties.enumerated() {
      credentials += try self.credentials(of: party, token, wait)
      onRelyingParty(index + 1, parties.count)
    }
    return credentials
  }

  // MARK: One listing

  /// Carries a listing out, from the start again where the key lost its place.
  private func listing<Item>(
    _ first: CredentialManagementRequest, next: CredentialManagementSubcommand,
    total: KeyPath<CredentialManagementResponse, Int?>, _ token: PINUVAuthToken, _ wait: Wait,
    identity: (Item) -> [UInt8], onItem: (Int, Int) -> Void,
    read: (CredentialManagementResponse) throws(Unfit) -> Item
  ) throws(CTAP2Error) -> [Item] {
    for _ in 0..<Self.listingRestarts {
      do throws(Interruption) {
        return try pass(first, next, total, token, wait, identity, onItem, read)
      } catch {
        guard error.mayRestart else { throw error.cause }
      }
    }
    do throws(Interruption) {
      return try pass(first, next, total, token, wait, identity, onItem, read)
    } catch {
      throw error.cause
    }
  }

  private struct Interruption: Error {
    let cause: CTAP2Error
    let mayRestart: Bool
  }

  private func pass<Item>(
    _ first: CredentialManagementRequest, _ next: CredentialManagementSubcommand,
    _ total: KeyPath<CredentialManagementResponse, Int?>, _ token: PINUVAuthToken, _ wait: Wait,
    _ identity: (Item) -> [UInt8], _ onItem: (Int, Int) -> Void,
    _ read: (CredentialManagementResponse) throws(Unfit) -> Item
  ) throws(Interruption) -> [Item] {
    let began: (items: [Item], total: Int)
    do throws(CTAP2Error) {
      began = try begin(first, total, token, wait, read)
    } catch {
      throw Interruption(cause: error, mayRestart: false)
    }
    var items = began.items
    var seen = Set(items.map(identity))
    if !items.isEmpty { onItem(items.count, began.total) }
    while items.count < began.total {
      do throws(CTAP2Error) {
        // Sent once: a second one would pass over an item where the first was taken.
        let item = try manage(CredentialManagementRequest(next), nil, repeatable: false, wait) {
          (response) throws(Unfit) in
          let item = try read(response)
          guard !seen.contains(identity(item)) else { throw Unfit("it tells the same one twice") }
          return item
        }
        seen.insert(identity(item))
        items.append(item)
        onItem(items.count, began.total)
      } catch {
        throw Interruption(cause: error, mayRestart: error.mayBeInterruption)
      }
    }
    return items
  }

  private func begin<Item>(
    _ first: CredentialManagementRequest, _ total: KeyPath<CredentialManagementResponse, Int?>,
    _ token: PINUVAuthToken, _ wait: Wait, _ read: (CredentialManagementResponse) throws(Unfit) -> Item
  ) throws(CTAP2Error) -> (items: [Item], total: Int) {
    do throws(CTAP2Error) {
      return try manage(first, token, repeatable: true, wait) { (response) throws(Unfit) in
        guard let count = response[keyPath: total] else { throw Unfit("it does not say how many there are") }
        guard count <= Self.mostListed else {
          throw Unfit("it has \(count) items, and \(Self.mostListed) are the most that are listed")
        }
        return count == 0 ? ([], 0) : ([try read(response)], count)
      }
    } catch {
      // How keys say that there is none.
      if case .status(.noCredentials, _) = error { return ([], 0) }
      throw error
    }
  }
}

extension CTAP2Error {
  /// Whether something between two items made the key lose its place in a listing.
  fileprivate var mayBeInterruption: Bool {
    switch self {
    case .status(.notAllowed, _), .status(.noCredentials, _), .status(.noOperationPending, _): true
    case .hid(.errorFrame), .hid(.silent), .hid(.malformed), .misfit: true
    default: false
    }
  }
}
