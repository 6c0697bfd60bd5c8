/// The text of `ctap-bridge --help`.
enum ToolHelp {
  /// The version that `--version` prints.
  static let version = "0.1.0"

  static var text: String {
    var text = """
      Usage: ctap-bridge COMMAND [OPTIONS]

      Registers FIDO2 security keys over USB and signs in with them, and returns WebAuthn JSON with the Thales client
      extension results.

      Commands:

      """
    for entry in CommandLineTool.entries { text += line(entry.name, entry.summary) }
    text += "\n`ctap-bridge COMMAND --help` says more about a command; `ctap-bridge --version` prints the version.\n"
    text += "\nExit status:\n"
    for status in ExitStatus.allCases { text += line("\(status.rawValue)", status.meaning) }
    return text
  }

  private static func line(_ head: String, _ text: String) -> String { "  " + head.padded(to: 14) + text + "\n" }
}
