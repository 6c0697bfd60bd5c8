import CTAP2
import CTAPMessages
import JSONText
import WebAuthnClient

/// `ctap-bridge pin status`: whether a PIN is set, and how many tries are left.
enum PINStatusCommand: BridgeCommand {
  static let specification = CommandSpecification(
    "pin status",
    summary: "show whether a PIN is set and how many tries are left",
    discussion: """
      Shows whether a PIN is set, how many wrong ones the key still takes before it blocks, whether it has to be unplugged
      before the next try or wants its PIN changed, and its rules for PINs. Costs no try and asks for nothing.
      """,
    options: ManagementOptions.common)

  /// What is shown.
  private struct Status: Sendable {
    let info: GetInfoResponse
    let pin: PINRetries?
    let builtIn: Int?
  }

  static func run(_ arguments: ParsedArguments, _ environment: CommandEnvironment) async throws(CommandFailure) {
    let status = try await manage(arguments, environment) { (key) throws(WebAuthnError) in
      try await key.run { (session, wait) throws(CTAP2Error) in
        let info = try session.getInfo(wait)
        return Status(
          info: info, pin: info.options?[.clientPin] == true ? try session.pinRetries(wait) : nil,
          builtIn: info.options?[.uv] == true && info.isOn(.pinUvAuthToken) ? try session.uvRetries(wait) : nil)
      }
    }
    try report(json(status), words(status), arguments, environment)
  }

  private static func json(_ status: Status) -> JSONOutput {
    let info = status.info
    let number: (Int?) -> JSONOutput = { $0.map(JSONOutput.int) ?? .null }
    return .object([
      ("supported", .bool(info.options?[.clientPin] != nil)), ("set", .bool(info.options?[.clientPin] == true)),
      ("retries", number(status.pin?.count)),
      ("needsReplug", status.pin?.needsPowerCycle.map(JSONOutput.bool) ?? .null),
      ("mustChange", .bool(info.mustChangePIN)),
      ("minimumLength", .int(info.effectiveMinPINLength)), ("maximumLength", .int(info.effectiveMaxPINLength)),
      ("complexityPolicy", info.pinComplexityPolicy.map(JSONOutput.bool) ?? .null),
      ("alwaysUv", info.options?[.alwaysUv].map(JSONOutput.bool) ?? .null),
      ("builtInVerification", info.options?[.uv].map(JSONOutput.bool) ?? .null),
      ("builtInRetries", number(status.builtIn)),
    ])
  }

  private static func words(_ status: Status) -> [String] {
    let info = status.info
    guard let isSet = info.options?[.clientPin] else { return ["This key takes no PIN."] }
    var lines = [isSet ? "A PIN is set." : "No PIN is set."]
    if let retries = status.pin {
      lines.append(
        retries.count == 0
          ? "It is blocked for good: only a reset, which erases the key, helps."
          : retries.count == 1 ? "One try is left." : "\(retries.count) tries are left.")
      if retries.needsPowerCycle == true { lines.append("The key must be unplugged before the next try.") }
    }
    if info.mustChangePIN { lines.append("It must be changed before it is used.") }
    lines.append(
      "New PINs have at least \(info.effectiveMinPINLength) characters and at most \(info.effectiveMaxPINLength).")
    if info.pinComplexityPolicy == true { lines.append("The key has rules of its own for PINs besides.") }
    if let always = info.options?[.alwaysUv] {
      lines.append(always ? "The key always verifies its user." : "The key verifies its user where a site wants it.")
    }
    if let builtIn = status.builtIn { lines.append("Of its own verification \(builtIn) tries are left.") }
    return lines
  }
}
