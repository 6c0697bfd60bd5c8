import CTAP2
import CTAPMessages
import JSONText
import WebAuthnClient

/// `ctap-bridge pin min-length`: raises the minimum length of a key's PINs.
enum PINMinimumLengthCommand: BridgeCommand {
  static let specification = CommandSpecification(
    "pin min-length",
    summary: "raise the minimum length of a key's PINs",
    discussion: """
      Raises the minimum length of PINs to LENGTH characters; it can't be lowered again but by a reset, which erases the
      key. Where the present PIN is shorter, the key wants it changed. With --rp-id, the sites with these RP IDs may read
      the minimum when they ask for `minPinLength`; they replace those of an earlier time, and LENGTH may be left out.
      """,
    positionals: ["[LENGTH]"],
    options: [
      OptionSpecification(
        "--rp-id", "ID", repeatable: true, help: "A site that may read the minimum (repeatable).")
    ] + ManagementOptions.common)

  static func run(_ arguments: ParsedArguments, _ environment: CommandEnvironment) async throws(CommandFailure) {
    let length = try length(arguments)
    let sites = arguments.all("--rp-id")
    guard length != nil || !sites.isEmpty else {
      throw .usage(UsageError("LENGTH or --rp-id is missing.", command: specification.name))
    }
    let parameters = SetMinPINLengthParameters(
      newMinPINLength: length, minPinLengthRPIDs: sites.isEmpty ? nil : sites)
    let info = try await manage(arguments, environment) { (key) throws(WebAuthnError) in
      guard key.authenticator.abilities.isOn(.setMinPINLength) else {
        throw key.notOffered("rules for its PIN that can be set")
      }
      let token = try await key.tokenIfProtected(.authenticatorConfiguration)
      return try await key.run { (session, wait) throws(CTAP2Error) in
        try session.setMinimumPINLength(parameters, token, wait)
        // It is done, for good; what can't be asked any more must not make it sound as if it were not.
        return try? session.getInfo(wait)
      }
    }
    guard let info else {
      let set = length.map { "The key's PINs have at least \($0) characters." } ?? "The sites were set."
      return try reportDone(
        [
          "minimumLength": length.map(JSONOutput.int) ?? .null, "rpIds": .array(sites.map(JSONOutput.string)),
          "mustChange": .null,
        ],
        "\(set) Whether the PIN must be changed is not known: the key could not be asked any more.", arguments,
        environment)
    }
    let change = info.mustChangePIN ? " The PIN is shorter and must be changed before it is used." : ""
    let readers = sites.isEmpty ? "" : " It may be read by \(sites.joined(separator: ", "))."
    try reportDone(
      [
        "minimumLength": .int(info.effectiveMinPINLength), "rpIds": .array(sites.map(JSONOutput.string)),
        "mustChange": .bool(info.mustChangePIN),
      ],
      "The key's PINs have at least \(info.effectiveMinPINLength) characters.\(readers)\(change)", arguments,
      environment)
  }

  private static func length(_ arguments: ParsedArguments) throws(CommandFailure) -> Int? {
    guard let text = arguments.positionals.first else { return nil }
    guard let length = Int(text), (4...63).contains(length) else {
      throw .usage(
        UsageError("LENGTH is a number from 4 to 63, not \(PlainText.quoted(text)).", command: specification.name))
    }
    return length
  }
}
