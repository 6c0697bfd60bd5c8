import Octets
import WebAuthnClient

extension TerminalInteraction {
  /// The new PIN that is typed twice at the terminal.
  func requestNewPIN(_ request: NewPINRequest) async throws(UserCancelled) -> SecretBytes? {
    guard let terminal = environment.terminal else { return nil }
    if case .unusable(let reason) = request.occasion { environment.say(reason) }
    let label = request.authenticator.key.label
    let length = "at least \(request.minimumLength) characters"
    while true {
      guard let first = await terminal.line(prompt: "New PIN of \(label) (\(length)): ", echo: false),
        let second = await terminal.line(prompt: "The same again: ", echo: false)
      else { throw UserCancelled() }
      if ConstantTime.equal(first, second) { return first }
      environment.say("The two differ; type the new PIN again.")
    }
  }

  /// The yes that is typed at the terminal.
  func confirm(_ request: ConfirmationRequest) async throws(UserCancelled) -> Bool? {
    environment.say(request.consequences)
    guard let terminal = environment.terminal else { return nil }
    let question = request.phrase.map { "Type \(PlainText.quoted($0)) to go on, anything else to stop: " }
    guard let answer = await terminal.line(prompt: question ?? "Go on? Type yes: ", echo: true) else {
      throw UserCancelled()
    }
    let text = answer.withBytes { String(decoding: $0, as: UTF8.self) }
    return text.trimmingSpaces == (request.phrase ?? "yes").trimmingSpaces
  }
}
