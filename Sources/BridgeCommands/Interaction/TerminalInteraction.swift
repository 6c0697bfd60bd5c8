import CTAPHID
import Octets
import WebAuthnClient

/// The person at the command: told on stderr, asked at the terminal where there is one.
struct TerminalInteraction: UserInteraction {
  /// What the command line says about the name.
  enum NameChoice: Sendable {
    case ask
    case given(String)
    case declined
  }

  let terminal: Terminal?
  let note: @Sendable (String) -> Void
  let name: NameChoice
  /// A PIN from a file or descriptor, which is offered once and never again.
  let suppliedPIN: SecretBytes?
  /// The account that the command line names, where a key has several.
  var account: String? = nil

  var isAttended: Bool { terminal != nil }

  func notify(_ event: CeremonyEvent) {
    switch event {
    case .keyFound, .working: break
    case .keySkipped(let key, let reason): note("Skipped \(key.label): \(SafeText.escaping(reason))")
    case .keyRemoved(let key): note("\(key.label) was unplugged.")
    case .waitingForKey(let time): note("Plug in a security key that suits; waiting for \(time.components.seconds) s.")
    case .touchToSelect(let keys): note(emphasised("Touch the key that you want to use (\(keys.count) are blinking)."))
    case .keySelected(let authenticator): note("Using \(authenticator.key.label).")
    case .touchNeeded(let authenticator): note(emphasised("Touch your key now: \(authenticator.key.label)."))
    case .verificationNeeded(let authenticator, let retries):
      let left = retries.map { ", \($0) tries left" } ?? ""
      note(emphasised("Verify yourself on your key now: \(authenticator.key.label)\(left)."))
    case .warning(let text): note("Warning: \(SafeText.escaping(text))")
    }
  }

  func requestPIN(_ request: PINRequest) async throws(UserCancelled) -> SecretBytes? {
    if let suppliedPIN { return request.attempt == 1 ? suppliedPIN : nil }
    guard let terminal else { return nil }
    switch request.occasion {
    case .needed: break
    case .insteadOfBuiltIn: note("The key's own verification cannot be used now; its PIN stands in.")
    case .wrong: note("That PIN is wrong.")
    case .unusable(let reason): note(SafeText.escaping(reason))
    }
    let left = request.retriesLeft.map { $0 == 1 ? " (the last try)" : " (\($0) tries left)" } ?? ""
    guard let pin = await terminal.line(prompt: "PIN of \(request.authenticator.key.label)\(left): ", echo: false)
    else {
      throw UserCancelled()
    }
    return pin
  }

  func retrieveAuthenticatorDescription(
    _ authenticator: AuthenticatorInfo
  ) async throws(UserCancelled) -> AuthenticatorDescriptor? {
    let suggestion = authenticator.suggestedName
    switch name {
    case .declined: return nil
    case .given(let name): return AuthenticatorDescriptor(friendlyName: name)
    case .ask: break
    }
    guard let terminal else { return AuthenticatorDescriptor(friendlyName: suggestion) }
    while true {
      let prompt = "Name for this key [\(SafeText.escaping(suggestion))]: "
      guard let answer = await terminal.line(prompt: prompt, echo: true) else { throw UserCancelled() }
      guard let text = answer.withBytes({ String(validating: $0, as: UTF8.self) }) else {
        note("That is not text in UTF-8; try again.")
        continue
      }
      if let objection = AuthenticatorDescriptor.objection(to: text) {
        note(objection)
        continue
      }
      return AuthenticatorDescriptor(friendlyName: text)
    }
  }

  private func emphasised(_ text: String) -> String { terminal?.emphasised(text) ?? text }
}

extension KeyDescription {
  /// The key's names and place, safe for a terminal.
  var label: String {
    let names = [vendor, product].compactMap { $0 }.filter { !$0.isEmpty }.joined(separator: " ")
    let place = isVirtual ? "virtual" : id
    return SafeText.escaping(names.isEmpty ? place : "\(names) (\(place))")
  }
}
