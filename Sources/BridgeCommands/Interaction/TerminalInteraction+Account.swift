import Octets
import WebAuthnClient

extension TerminalInteraction {
  /// The account that was named on the command line, else the one that the person picks, else the first.
  func chooseAccount(_ request: AccountRequest) async throws(UserCancelled) -> Account? {
    let accounts = request.accounts
    if let account {
      let named = Self.account(account, among: accounts)
      if named == nil { show("The key has no account with that name. It has:", accounts) }
      return named
    }
    guard let terminal = environment.terminal else { return accounts.first }
    show("The key has several accounts for \(PlainText.shown(request.relyingPartyID)):", accounts)
    while true {
      guard let answer = await terminal.line(prompt: "Account [1]: ", echo: true) else { throw UserCancelled() }
      let text = answer.withBytes { String(decoding: $0, as: UTF8.self) }.filter { !$0.isWhitespace }
      if text.isEmpty { return accounts.first }
      if let number = Int(text), accounts.indices.contains(number - 1) { return accounts[number - 1] }
      environment.say("Type a number from 1 to \(accounts.count).")
    }
  }

  /// The account with a name, else with a display name, else with a user handle in base64url.
  static func account(_ text: String, among accounts: [Account]) -> Account? {
    accounts.first { $0.name == text } ?? accounts.first { $0.displayName == text }
      ?? accounts.first { account in account.userHandle.map { Base64URL.encode($0) == text } ?? false }
  }

  private func show(_ title: String, _ accounts: [Account]) {
    environment.say(title)
    for (index, account) in accounts.enumerated() { environment.say("  \(index + 1)  \(Self.label(account))") }
  }

  /// An account's names, or its handle where the key tells none.
  static func label(_ account: Account) -> String {
    let names = [account.name, account.displayName].compactMap { $0 }.filter { !$0.isEmpty }
    guard let first = names.first else { return "user handle " + Base64URL.encode(account.userHandle ?? []) }
    return PlainText.shown(names.count > 1 ? "\(first) (\(names[1]))" : first)
  }
}
