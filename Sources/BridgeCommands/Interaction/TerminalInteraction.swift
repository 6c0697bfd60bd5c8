import CTAPHID
import CTAPMessages
import Octets
import WebAuthnClient

/// The person at the command: told on stderr, asked at the terminal where there is one.
struct TerminalInteraction: UserInteraction {
  let environment: CommandEnvironment

  var isAttended: Bool { terminal != nil }
  private var terminal: Terminal? { environment.terminal }

  func notify(_ event: CeremonyEvent) {
    switch event {
    case .keyFound, .working: break
    case .keySkipped(let key, let reason): say("Skipped \(key.label): \(reason)")
    case .keyRemoved(let key): say("\(key.label) was unplugged.")
    case .waitingForKey(let time): say("Plug in a security key that suits; waiting for \(time.wholeSeconds) s.")
    case .touchToSelect(let keys): emphasise("Touch the key that you want to use (\(keys.count) are blinking).")
    case .keySelected(let authenticator): say("Using \(authenticator.key.label).")
    case .touchNeeded(let authenticator): emphasise("Touch your key now: \(authenticator.key.label).")
    case .verificationNeeded(let authenticator, let retries):
      let left = retries.map { ", \($0) tries left" } ?? ""
      emphasise("Verify yourself on your key now: \(authenticator.key.label)\(left).")
    case .fingerNeeded(let authenticator, let left):
      let count = left.map { $0 == 1 ? ", once more" : ", \($0) times more" } ?? ""
      emphasise("Touch the sensor of your key now\(count): \(authenticator.key.label).")
    case .fingerSampled(_, let status, let left): say(Self.feedback(status, left))
    case .replugNeeded(let authenticator, let time):
      emphasise("Pull the key out now and plug it in again: \(authenticator.key.label).")
      say("Then touch it when it blinks, within \(time.wholeSeconds) s of plugging it in.")
    case .progress(_, let done, let total): say("\(done) of \(total) done.")
    case .warning(let text): say("Warning: \(text)")
    }
  }

  private static func feedback(_ status: EnrollSampleStatus, _ left: Int) -> String {
    "\(status.explanation) " + (left == 0 ? "That was the last one." : "\(left) more to go.")
  }

  func requestPIN(_ request: PINRequest) async throws(UserCancelled) -> SecretBytes? {
    guard let terminal else { return nil }
    switch request.occasion {
    case .needed: break
    case .insteadOfBuiltIn: say("The key's own verification cannot be used now; its PIN stands in.")
    case .wrong: say("That PIN is wrong.")
    case .unusable(let reason): say(reason)
    }
    let left = request.retriesLeft.map { $0 == 1 ? " (the last try)" : " (\($0) tries left)" } ?? ""
    let way = request.isOptional ? ", or Enter to go on without it" : ""
    guard
      let pin = await terminal.line(prompt: "PIN of \(request.authenticator.key.label)\(left)\(way): ", echo: false)
    else {
      throw UserCancelled()
    }
    return request.isOptional && pin.count == 0 ? nil : pin
  }

  func retrieveAuthenticatorDescription(
    _ authenticator: AuthenticatorInfo
  ) async throws(UserCancelled) -> AuthenticatorDescriptor? {
    let suggestion = authenticator.suggestedName
    guard let terminal else { return AuthenticatorDescriptor(friendlyName: suggestion) }
    while true {
      let prompt = "Name for this key [\(suggestion)]: "
      guard let answer = await terminal.line(prompt: prompt, echo: true) else { throw UserCancelled() }
      guard let text = answer.withBytes({ String(validating: $0, as: UTF8.self) }) else {
        say("That is not text in UTF-8; try again.")
        continue
      }
      if let objection = AuthenticatorDescriptor.objection(to: text) {
        say(objection)
        continue
      }
      return AuthenticatorDescriptor(friendlyName: text)
    }
  }

  private func say(_ text: String) { environment.say(text) }
  private func emphasise(_ text: String) { environment.emphasise(text) }
}

extension KeyDescription {
  /// The key's names and place, safe for a terminal.
  var label: String {
    let names = [vendor, product].compactMap { $0 }.filter { !$0.isEmpty }.joined(separator: " ")
    let place = isVirtual ? "virtual" : id
    return PlainText.shown(names.isEmpty ? place : "\(names) (\(place))")
  }
}
