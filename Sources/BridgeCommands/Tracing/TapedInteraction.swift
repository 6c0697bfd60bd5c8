import CTAPHID
import Octets
import Recordings
import Timing
import WebAuthnClient

/// Asks whoever runs the command, and writes the answers down.
struct RecordedInteraction: UserInteraction {
  let person: any UserInteraction
  let recorder: Recorder
  /// Goes with the ceremony, so that no secret outlives it.
  private let typed = Recorder.TypedSecrets()

  init(person: any UserInteraction, recorder: Recorder) {
    self.person = person
    self.recorder = recorder
  }

  var isAttended: Bool { person.isAttended }

  func notify(_ event: CeremonyEvent) { person.notify(event) }

  func requestPIN(_ request: PINRequest) async throws(UserCancelled) -> SecretBytes? {
    try await noted("PIN", { .secret($0) }) { () async throws(UserCancelled) in try await person.requestPIN(request) }
  }

  func requestNewPIN(_ request: NewPINRequest) async throws(UserCancelled) -> SecretBytes? {
    try await noted("new PIN", { .secret($0) }) { () async throws(UserCancelled) in
      try await person.requestNewPIN(request)
    }
  }

  func retrieveAuthenticatorDescription(
    _ authenticator: AuthenticatorInfo
  ) async throws(UserCancelled) -> AuthenticatorDescriptor? {
    try await noted("name", { .text($0.friendlyName) }) { () async throws(UserCancelled) in
      try await person.retrieveAuthenticatorDescription(authenticator)
    }
  }

  func chooseAccount(_ request: AccountRequest) async throws(UserCancelled) -> Account? {
    let number: (Account) -> Recorder.Answer = { account in
      .text(request.accounts.firstIndex(of: account).map { String($0) } ?? "")
    }
    return try await noted("account", number) { () async throws(UserCancelled) in
      try await person.chooseAccount(request)
    }
  }

  func confirm(_ request: ConfirmationRequest) async throws(UserCancelled) -> Bool? {
    try await noted("confirmation", { .text($0 ? "yes" : "no") }) { () async throws(UserCancelled) in
      try await person.confirm(request)
    }
  }

  private func noted<Value>(
    _ question: String, _ form: (Value) -> Recorder.Answer, _ ask: () async throws(UserCancelled) -> Value?
  ) async throws(UserCancelled) -> Value? {
    do throws(UserCancelled) {
      let value = try await ask()
      recorder.noteAnswer(question, value.map(form) ?? .nothing, among: typed)
      return value
    } catch {
      recorder.noteAnswer(question, .cancelled, among: typed)
      throw error
    }
  }
}

/// Gives the answers of a recording; whoever runs the replay is told what happens and asked nothing.
struct ReplayedInteraction: UserInteraction {
  let listener: any UserInteraction
  let player: Player

  var isAttended: Bool { player.isAttended }

  func notify(_ event: CeremonyEvent) { listener.notify(event) }

  func requestPIN(_ request: PINRequest) async throws(UserCancelled) -> SecretBytes? { try await answer("PIN") }

  func requestNewPIN(_ request: NewPINRequest) async throws(UserCancelled) -> SecretBytes? {
    try await answer("new PIN")
  }

  func retrieveAuthenticatorDescription(
    _ authenticator: AuthenticatorInfo
  ) async throws(UserCancelled) -> AuthenticatorDescriptor? {
    try await text("name").map { AuthenticatorDescriptor(friendlyName: $0) }
  }

  func chooseAccount(_ request: AccountRequest) async throws(UserCancelled) -> Account? {
    guard let number = try await text("account").flatMap({ Int($0) }), request.accounts.indices.contains(number) else {
      return nil
    }
    return request.accounts[number]
  }

  func confirm(_ request: ConfirmationRequest) async throws(UserCancelled) -> Bool? {
    try await text("confirmation").map { $0 == "yes" }
  }

  private func text(_ question: String) async throws(UserCancelled) -> String? {
    try await answer(question)?.withBytes { String(decoding: $0, as: UTF8.self) }
  }

  private func answer(_ question: String) async throws(UserCancelled) -> SecretBytes? {
    switch player.answer(question) {
    case .given(let answer): return answer
    case .nothing: return nil
    case .cancelled: throw UserCancelled()
    case .never:
      // Nobody had answered when the recorded command ended; this one ends by its deadline too.
      while !Task.isCancelled { try? await Task.sleep(for: .milliseconds(20)) }
      throw UserCancelled()
    }
  }
}
