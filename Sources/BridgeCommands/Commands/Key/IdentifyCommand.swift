import CTAP2
import CTAPHID
import JSONText
import WebAuthnClient

/// `ctap-bridge identify`: makes a key show itself.
enum IdentifyCommand: BridgeCommand {
  static let specification = CommandSpecification(
    "identify",
    summary: "make a key blink, to tell it from others",
    discussion: """
      Makes the key that --key names show itself, mostly by a blink. With one key plugged in, --key may be left out.
      """,
    options: [
      KeyOption.specification, OptionSpecification("--timeout", "SECONDS", help: "The time for it (default: 300)."),
      ManagementOptions.json,
    ] + VirtualKeyOptions.specifications)

  static func run(_ arguments: ParsedArguments, _ environment: CommandEnvironment) async throws(CommandFailure) {
    let keys = try ChosenSource(arguments, command: specification.name, environment)
    let key = try keys.only(command: specification.name)
    var options = try ceremonyOptions(arguments)
    options.key = .named(key.id)
    try await manage(keys.source, options, SuppliedAnswers(name: .declined), environment, needsFIDO2: false) {
      (key) throws(WebAuthnError) in
      try await key.run { (session, wait) throws(CTAP2Error) in try session.wink(wait) }
    }
    try reportDone(["identified": .string(key.id)], "\(key.label) shows itself now.", arguments, environment)
  }
}
