internal import CTAP2
internal import CTAPMessages
internal import FaultJudge
internal import VirtualKey
internal import WebAuthnClient

extension Ceremony {
  /// Looking after a key.
  static let management: [Ceremony] = [
    managing("list credentials", .listing) { (key) throws(WebAuthnError) in
      let token = try await key.token(.credentialManagement)
      let found = try await key.run { (session, wait) throws(CTAP2Error) in try session.credentials(token, wait) }
      return .listing(
        found.map { credential in
          HostReport.ListedCredential(
            rpID: credential.relyingParty.id, rpIDHash: credential.relyingParty.idHash, id: credential.id,
            user: credential.user)
        })
    },
    managing("delete a credential", .change(.deletion(Accounts.shared.chosen))) { (key) throws(WebAuthnError) in
      let token = try await key.token(.credentialManagement, rpID: Wishes.rpID)
      try await key.run { (session, wait) throws(CTAP2Error) in
        try session.deleteCredential(CredentialDescriptor(id: Accounts.shared.chosen), token, wait)
      }
      return .changed
    },
    managing("rename an account", .change(.renaming(Accounts.shared.chosen))) { (key) throws(WebAuthnError) in
      let token = try await key.token(.credentialManagement, rpID: Wishes.rpID)
      let user = UserEntity(
        id: Accounts.shared.bank.first?.userHandle ?? [], name: "caroline", displayName: "Caroline of the Bank")
      try await key.run { (session, wait) throws(CTAP2Error) in
        try session.updateUser(user, of: CredentialDescriptor(id: Accounts.shared.chosen), token, wait)
      }
      return .changed
    },
    managing("change the PIN", .change(.newPIN)) { (key) throws(WebAuthnError) in
      try await key.changePIN()
      return .changed
    },
  ]

  private static func managing(
    _ name: String, _ task: Assignment.Task,
    _ work: @escaping @Sendable (ManagedKey) async throws(WebAuthnError) -> HostReport.Outcome
  ) -> Ceremony {
    Ceremony(name: name, key: Keys.pin([2]), task: task, past: Accounts.shared.state) { await $0.manage(work) }
  }
}
