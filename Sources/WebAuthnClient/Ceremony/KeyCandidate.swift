internal import CTAP2
internal import CTAPHID
internal import CTAPMessages
internal import Timing

/// A key that is open and suits the request.
struct KeyCandidate: Sendable {
  let handle: KeyHandle
  let authenticator: AuthenticatorInfo
  let plan: KeyPlan
  /// How it compares with others that are there.
  var standing = Standing.suits
  /// Whether its user has touched it already, to choose it.
  var wasTouched = false

  /// How far a key has what a ceremony needs, as far as a silent look tells.
  enum Standing: Int, Comparable, Sendable {
    /// It has none of the credentials.
    case lacks
    /// It shows none; but it may hide one until its user is verified, or it did not let itself be asked.
    case mayHide
    /// It can serve.
    case suits

    static func < (one: Standing, other: Standing) -> Bool { one.rawValue < other.rawValue }
  }
}

/// Opens keys and judges them.
struct KeyProbe: Sendable {
  let ceremony: any Ceremony

  /// Opens a key, asks what it can do, and plans; a key that does not suit is closed again.
  ///
  /// - Parameters:
  ///   - handle: the key.
  ///   - time: how long it may take.
  ///   - comparing: whether there are other keys, so that it matters what this one has.
  func candidate(
    _ handle: KeyHandle, within time: Duration, comparing: Bool = false
  ) async -> Result<KeyCandidate, KeyObjection> {
    let limit = ceremony.limit
    let end = min(limit.deadline, limit.clock.now + time)
    let objection: KeyObjection
    do throws(CTAP2Error) {
      let abilities = try await handle.open(by: end)
      let policy = ceremony.client.policy
      var authenticator = AuthenticatorInfo(
        key: handle.key, abilities: abilities, modelName: policy.metadata[abilities.aaguid]?.name,
        backupSupport: policy.backupSupport(of: abilities.aaguid))
      ceremony.user.notify(.keyFound(authenticator))
      do throws(KeyObjection) {
        let plan = try ceremony.plan(for: authenticator)
        if plan.usesU2F { authenticator = authenticator.overU2F }
        try check(authenticator, plan)
        var candidate = KeyCandidate(handle: handle, authenticator: authenticator, plan: plan)
        if comparing { candidate.standing = await ceremony.standing(of: candidate, by: end) }
        return .success(candidate)
      } catch {
        objection = error
      }
    } catch {
      objection = CTAP2Words(error).objection
    }
    await handle.close()
    return .failure(objection)
  }

  private func check(_ authenticator: AuthenticatorInfo, _ plan: KeyPlan) throws(KeyObjection) {
    if let objection = ceremony.objection(to: authenticator, plan) { throw objection }
    for participant in ceremony.participants {
      if let reason = participant.objection(to: authenticator) { throw KeyObjection(reason: reason) }
    }
  }

  /// Why a key cannot even be opened, or nil.
  static func obstacle(_ key: KeyDescription) -> KeyObjection? {
    switch key.obstacle {
    case nil: nil
    case .permission:
      KeyObjection(
        reason: CTAP2Words.noPermission,
        kind: .noPermission)
    case .unsuitable(let why): KeyObjection(reason: why, kind: .communication)
    }
  }
}

extension KeyDescription {
  /// What to call the key in a sentence: its product's name, or its place.
  var spoken: String {
    let name = (product ?? "").trimmed
    return name.isEmpty ? "the key at \(id)" : "the key \(PlainText.quoted(name))"
  }
}
