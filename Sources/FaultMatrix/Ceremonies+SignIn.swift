internal import FaultJudge
internal import Octets
internal import VirtualKey

extension Ceremony {
  /// Signing in, with and without a list and a PIN.
  static let signIns: [Ceremony] = [
    signIn("authenticate", listing: [Accounts.shared.chosen]),
    signIn("authenticate, PIN protocol two", listing: [Accounts.shared.chosen], "required", key: Keys.pin([2])),
    signIn("authenticate, PIN protocol one", listing: [Accounts.shared.chosen], "required", key: Keys.pin([1])),
    signIn(
      "authenticate, list of 41 looked through",
      listing: Array(Lists.forty[..<20]) + [Accounts.shared.chosen] + Array(Lists.forty[20...]), key: Keys.small),
    signIn("authenticate, discoverable, two accounts", listing: nil),
    signIn("authenticate, no credential", listing: [Lists.forty[0]]),
  ]

  static func signIn(
    _ name: String, listing ids: [[UInt8]]?, _ verification: String = "discouraged",
    key: VirtualKeyConfiguration = VirtualKeyConfiguration(), isU2F: Bool = false
  ) -> Ceremony {
    let list = (ids ?? []).map { #"{"type":"public-key","id":"\#(Base64URL.encode($0))"}"# }.joined(separator: ",")
    let json = """
      {"challenge":"\(Base64URL.encode(Wishes.challenge))","rpId":"\(Wishes.rpID)","allowCredentials":[\(list)],
      "userVerification":"\(verification)"}
      """
    let known = Accounts.shared.bank.filter { ids?.contains($0.id) ?? true }
    let task = Assignment.SignIn(
      rpID: Wishes.rpID, origin: Wishes.origin, challenge: Wishes.challenge, credentials: known, isListed: ids != nil,
      wanted: Accounts.shared.chosen, demandsVerification: verification == "required", isU2F: isU2F)
    return Ceremony(
      name: name, key: key, task: .signIn(task), past: Accounts.shared.state, account: Accounts.chosenName
    ) {
      bench in
      await bench.authenticate(json, origin: Wishes.origin)
    }
  }
}
