import CTAP2
import CTAPHID
import CTAPMessages
import JSONText
import WebAuthnClient

/// `ctap-bridge info`: what a key says about itself.
enum InfoCommand: BridgeCommand {
  static let specification = CommandSpecification(
    "info",
    summary: "show what a key can do",
    discussion: """
      Asks a key for its authenticatorGetInfo and shows every member, labelled; members that are not known are shown
      too. Of a key that speaks U2F alone it shows the version and what the key can be used for. With one key plugged
      in, --key may be left out.
      """,
    options: [
      KeyOption.specification,
      OptionSpecification("--json", help: "Print a JSON object under the specification's own names."),
    ] + VirtualKeyOptions.specifications)

  static func run(_ arguments: ParsedArguments, _ environment: CommandEnvironment) async throws(CommandFailure) {
    let keys = try ChosenSource(arguments, command: specification.name, environment)
    let key = try keys.only(command: specification.name)
    let (info, isU2F) = try await OpenedKey.run(key, of: keys.source) { (session, wait) throws(CTAP2Error) in
      (try session.abilities(wait), session.speaksOnlyU2F)
    }
    let report: any KeyReport = isU2F ? U2FReport(versions: info.versions) : GetInfoReport(info)
    if arguments.has("--json") { return try environment.write(report.json.serialized(pretty: true)) }
    environment.say("\(key.label):")
    try environment.write(report.lines.joined(separator: "\n"))
  }
}
