/// The commands about a key's PIN.
enum PINCommands {
  static let group = CommandGroup(
    name: "pin",
    summary: "set, change and look at a key's PIN",
    discussion: """
      A key's PIN protects what is on it: it is asked for where a site wants its user verified, and before credentials,
      fingerprints and settings are looked at or changed. It is checked by the key itself, which blocks after some wrong
      ones, mostly eight; then only a reset, which erases the key, makes it usable again.

      A PIN has at least 4 characters, or more where the key says so, and at most 63 bytes of UTF-8. It comes from the
      terminal, a file or a descriptor, and never from the command line, which others can read.
      """,
    commands: [
      PINStatusCommand.self, PINSetCommand.self, PINChangeCommand.self, PINForceChangeCommand.self,
      PINMinimumLengthCommand.self,
    ])
}
