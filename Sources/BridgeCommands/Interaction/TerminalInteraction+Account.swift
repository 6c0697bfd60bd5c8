import Octets
import WebAuthnClient

extension TerminalInteraction {
  /// The account that the person picks; the first where there is no terminal.
  func chooseAccount(_ request: AccountRequest) async throws(UserCancelled) -> Account? {
    let accounts = request.accounts
    guard let terminal = environment.terminal else { return accounts.first }
    environment.say("The key has several accounts for \(RelyingPartyID.shown(request.relyingPartyID)):")
    for line in accounts.lines { environment.say(line) }
    while true {
      guard let answer = await terminal.line(prompt: "Account [1]: ", echo: true) else { throw UserCancelled() }
      let text = answer.withBytes { String(decoding: $0, as: UTF8.self) }.filter { !$0.isWhitespace }
      if text.isEmpty { return accounts.first }
      if let number = Int(text), accounts.indices.contains(number - 1) { return accounts[number - 1] }
      environment.say("Type a number from 1 to \(accounts.count).")
    }
  }
}
