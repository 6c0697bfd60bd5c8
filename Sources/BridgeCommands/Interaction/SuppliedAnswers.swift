import Octets
import WebAuthnClient

/// The answers that the command line gives beforehand, so that nobody is asked.
struct SuppliedAnswers: Sendable {
  /// What the command line says about the name.
  enum Name: Sendable {
    case ask
    case given(String)
    case declined
  }

  var name = Name.ask
  /// A PIN from a file or descriptor, which is offered once and never again.
  var pin: SecretBytes?
  /// A new PIN from a file or descriptor, which is offered once and never again.
  var newPIN: SecretBytes?
  /// The account that is meant where a key has several.
  var account: String?
  /// Whether the command line says yes to what can't be undone.
  var isConfirmed = false
}

extension CommandEnvironment {
  /// The way in which a command speaks to whoever runs it: what the command line answers beforehand is not asked.
  func interaction(_ answers: SuppliedAnswers = SuppliedAnswers()) -> any UserInteraction {
    let asked: any UserInteraction =
      program.map { ProgramInteraction(program: $0) } ?? TerminalInteraction(environment: self)
    let person = Tape.current.interaction(asked)
    return CommandInteraction(environment: self, answers: answers, person: person)
  }
}

/// Answers from the command line where it has them, else from whoever runs the command.
struct CommandInteraction: UserInteraction {
  let environment: CommandEnvironment
  let answers: SuppliedAnswers
  /// Who is told, and asked what the command line leaves open.
  let person: any UserInteraction

  var isAttended: Bool { person.isAttended }

  func notify(_ event: CeremonyEvent) { person.notify(event) }

  func requestPIN(_ request: PINRequest) async throws(UserCancelled) -> SecretBytes? {
    if let pin = answers.pin { return request.attempt == 1 ? pin : nil }
    return try await person.requestPIN(request)
  }

  func requestNewPIN(_ request: NewPINRequest) async throws(UserCancelled) -> SecretBytes? {
    if let pin = answers.newPIN { return request.attempt == 1 ? pin : nil }
    return try await person.requestNewPIN(request)
  }

  func retrieveAuthenticatorDescription(
    _ authenticator: AuthenticatorInfo
  ) async throws(UserCancelled) -> AuthenticatorDescriptor? {
    switch answers.name {
    case .declined: nil
    case .given(let name): AuthenticatorDescriptor(friendlyName: name)
    case .ask: try await person.retrieveAuthenticatorDescription(authenticator)
    }
  }

  func chooseAccount(_ request: AccountRequest) async throws(UserCancelled) -> Account? {
    guard let name = answers.account else { return try await person.chooseAccount(request) }
    let named = request.accounts.named(name)
    if named == nil {
      environment.say("The key has no account with that name. It has:")
      for line in request.accounts.lines { environment.say(line) }
    }
    return named
  }

  func confirm(_ request: ConfirmationRequest) async throws(UserCancelled) -> Bool? {
    guard answers.isConfirmed else { return try await person.confirm(request) }
    environment.say(request.consequences)
    return true
  }
}

extension [Account] {
  /// The account with a name, else with a display name, else with a user handle in base64url.
  func named(_ text: String) -> Account? {
    first { $0.name == text } ?? first { $0.displayName == text }
      ?? first { account in account.userHandle.map { Base64URL.encode($0) == text } ?? false }
  }

  /// A numbered line for each.
  var lines: [String] { enumerated().map { "  \($0.offset + 1)  \($0.element.label)" } }
}

extension Account {
  /// Its names, or its handle where the key tells none; safe for a terminal.
  var label: String {
    let names = [name, displayName].compactMap { $0 }.filter { !$0.isEmpty }
    guard let first = names.first else { return "user handle " + Base64URL.encode(userHandle ?? []) }
    return PlainText.shown(names.count > 1 ? "\(first) (\(names[1]))" : first)
  }
}
