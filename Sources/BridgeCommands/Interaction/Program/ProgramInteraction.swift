import Octets
import WebAuthnClient

/// The person behind the program that drives a command: told in events, asked in questions.
struct ProgramInteraction: UserInteraction {
  let program: ProgramDialogue

  func notify(_ event: CeremonyEvent) { program.tell(.ceremony(event)) }

  func requestPIN(_ request: PINRequest) async throws(UserCancelled) -> SecretBytes? {
    let pin = try await secret { .pinNeeded($0, request) }
    return request.isOptional && pin?.count == 0 ? nil : pin
  }

  func requestNewPIN(_ request: NewPINRequest) async throws(UserCancelled) -> SecretBytes? {
    try await secret { .newPINNeeded($0, request) }
  }

  private func secret(_ event: (Int) -> ProgramEvent) async throws(UserCancelled) -> SecretBytes? {
    try await program.ask(event) { (value) throws(AnswerRefusal) in
      switch value {
      case .text(let pin): return pin
      case .null: return nil
      default: throw AnswerRefusal("The value is the PIN as a string, or null where none is to be had.")
      }
    }
  }

  func retrieveAuthenticatorDescription(
    _ authenticator: AuthenticatorInfo
  ) async throws(UserCancelled) -> AuthenticatorDescriptor? {
    try await program.ask({ .nameNeeded($0, authenticator) }) { (value) throws(AnswerRefusal) in
      switch value {
      case .text(let bytes):
        let name = bytes.withBytes { String(decoding: $0, as: UTF8.self) }
        if let objection = AuthenticatorDescriptor.objection(to: name) { throw AnswerRefusal(objection) }
        return AuthenticatorDescriptor(friendlyName: name)
      case .null: return nil
      default: throw AnswerRefusal("The value is the name as a string, or null to give none.")
      }
    }
  }

  func chooseAccount(_ request: AccountRequest) async throws(UserCancelled) -> Account? {
    try await program.ask({ .accountNeeded($0, request) }) { (value) throws(AnswerRefusal) in
      switch value {
      case .integer(let index) where request.accounts.indices.contains(index): return request.accounts[index]
      case .null: return nil
      default:
        throw AnswerRefusal("The value is a number from 0 to \(request.accounts.count - 1), or null for none of them.")
      }
    }
  }

  func confirm(_ request: ConfirmationRequest) async throws(UserCancelled) -> Bool? {
    try await program.ask({ .confirmationNeeded($0, request) }) { (value) throws(AnswerRefusal) in
      switch (value, request.phrase) {
      case (.bool(false), _): return false
      case (.bool(true), nil): return true
      case (.text(let typed), let phrase?):
        guard typed.withBytes({ $0.elementsEqual(phrase.utf8) }) else {
          throw AnswerRefusal("The value is not the phrase.")
        }
        return true
      case (_, nil): throw AnswerRefusal("The value is true or false.")
      default: throw AnswerRefusal("The value is the phrase as a string, or false.")
      }
    }
  }
}
