/// The commands about the credentials on a key.
enum CredentialCommands {
  static let group = CommandGroup(
    name: "credentials",
    summary: "list, show, rename and delete the credentials on a key",
    discussion: """
      Discoverable credentials, which many sites call passkeys, are stored on the key with the name of the site and of the
      account; they can be listed, renamed and deleted here, with the key's PIN. Credentials that are not discoverable
      take no room on the key and are listed by no key.
      """,
    commands: [
      CredentialsListCommand.self, CredentialsShowCommand.self, CredentialsRenameCommand.self,
      CredentialsDeleteCommand.self,
    ])

  static let rpID = OptionSpecification(
    "--rp-id", "ID", help: "Only the credentials for this site, such as example.org.")

  /// What CREDENTIAL is, for the help texts.
  static let explanation =
    "CREDENTIAL is its ID as `credentials list` shows it, or the beginning of one, as long as no other begins so;\n"
    + "one that begins with a dash goes after `--`, at the end."
}
