internal import CTAP2
internal import CTAPHID
internal import CTAPMessages
internal import Timing

/// A key that is open and suits the request.
struct KeyCandidate: Sendable {
  let handle: KeyHandle
  let authenticator: AuthenticatorInfo
  let plan: RegistrationPlan
}

/// Opens keys and judges them.
struct KeyProbe: Sendable {
  let ceremony: RegistrationCeremony

  /// Opens a key, asks what it can do, and plans; a key that does not suit is closed again.
  func candidate(_ handle: KeyHandle, within time: Duration) async -> Result<KeyCandidate, KeyObjection> {
    let limit = ceremony.limit
    let objection: KeyObjection
    do throws(CTAP2Error) {
      let abilities = try await handle.open(by: min(limit.deadline, limit.clock.now + time))
      let policy = ceremony.request.policy
      let authenticator = AuthenticatorInfo(
        key: handle.key, abilities: abilities, modelName: policy.metadata[abilities.aaguid]?.name,
        backupSupport: policy.backupSupport(of: abilities.aaguid))
      ceremony.user.notify(.keyFound(authenticator))
      do throws(KeyObjection) {
        return .success(
          KeyCandidate(handle: handle, authenticator: authenticator, plan: try plan(authenticator)))
      } catch {
        objection = error
      }
    } catch {
      objection = CTAP2Words(error).objection
    }
    await handle.close()
    return .failure(objection)
  }

  private func plan(_ authenticator: AuthenticatorInfo) throws(KeyObjection) -> RegistrationPlan {
    let plan = try RegistrationPlanner().plan(KeyFacts(authenticator.abilities), ceremony.wishes)
    for work in ceremony.works {
      if let reason = work.objection(to: authenticator) { throw KeyObjection(reason: reason) }
    }
    return plan
  }

  /// Why a key cannot even be opened, or nil.
  static func obstacle(_ key: KeyDescription) -> KeyObjection? {
    switch key.obstacle {
    case nil: nil
    case .permission:
      KeyObjection(
        reason: "this user may not open it; install the udev rule 70-ctap-bridge.rules and plug the key in again",
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
