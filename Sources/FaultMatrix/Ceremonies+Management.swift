internal import CTAP2
internal import CTAPMessages
internal import FaultJudge
internal import Octets
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
    managing(
      "write a large blob", .change(.largeBlob(UsedKey.shared.largeBlob)), key: Keys.smallMessages,
      past: UsedKey.shared.state
    ) { (key) throws(WebAuthnError) in
      let token = try await key.token(.largeBlobWrite)
      let task = UsedKey.shared.largeBlob
      try await key.run { (session, wait) throws(CTAP2Error) in
        let cipher = try LargeBlobCipher(key: SecretBytes(task.key))
        try session.setLargeBlob(task.data, under: cipher, token, wait)
      }
      return .changed
    },
    managing("change the PIN", .change(.newPIN)) { (key) throws(WebAuthnError) in
      try await key.changePIN()
      return .changed
    },
  ]

  private static func managing(
    _ name: String, _ task: Assignment.Task, key: VirtualKeyConfiguration = Keys.pin([2]),
    past: VirtualKeyState? = Accounts.shared.state,
    _ work: @escaping @Sendable (ManagedKey) async throws(WebAuthnError) -> HostReport.Outcome
  ) -> Ceremony {
    Ceremony(name: name, key: key, task: task, past: past) { await $0.manage(work) }
  }
}
