/// `ctap-bridge verify`: the other side of the protocol, for tests and for looking at responses that a server refused.
enum VerifyGroup {
  static let group = CommandGroup(
    name: "verify",
    summary: "check a response as a server would, without a server",
    discussion: """
      Makes a relying party's checks on a response of any client, one by one, and says which were made and which not.
      """,
    commands: [VerifyRegistrationCommand.self, VerifyAuthenticationCommand.self])
}
