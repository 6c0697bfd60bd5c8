import CTAP2
import CTAPHID
import CTAPMessages
import JSONText
import Octets
import WebAuthnClient

/// `ctap-bridge list`: the keys that are plugged in.
enum ListCommand: BridgeCommand {
  static let specification = CommandSpecification(
    "list",
    summary: "list the keys that are plugged in",
    discussion: """
      Lists each FIDO key that is plugged in: its path, vendor, product and serial number, the type of passkey that it
      makes, and whether it can be used. No key is opened, unless --syncable or --metadata makes its model matter.
      """,
    options: [
      OptionSpecification("--json", help: "Print a JSON array."),
      OptionSpecification(
        "--syncable", "AAGUID", repeatable: true, help: "A model whose credentials can be synced (repeatable)."),
      OptionSpecification(
        "--metadata", "FILE", help: "FIDO metadata: a statement, or the payload of a BLOB."),
    ])

  static func run(_ arguments: ParsedArguments, _ environment: CommandEnvironment) async throws(CommandFailure) {
    let policy = try ModelOptions.policy(arguments, command: specification.name)
    let keys: [KeyDescription]
    do throws(TransportError) { keys = try environment.usb.keys() } catch { throw CommandFailure(error) }
    var rows: [Row] = []
    for key in keys {
      rows.append(await row(key, policy, environment))
    }
    if arguments.has("--json") {
      return try environment.write(JSONOutput.array(rows.map(\.json)).serialized(pretty: true))
    }
    if rows.isEmpty { environment.say("No security key is plugged in.") }
    for row in rows { try environment.write(row.text) }
  }

  private static func row(
    _ key: KeyDescription, _ policy: AuthenticatorPolicy, _ environment: CommandEnvironment
  ) async -> Row {
    var row = Row(key: key)
    guard policy.knowsSyncableModel, key.obstacle == nil else { return row }
    do throws(CommandFailure) {
      let info = try await OpenedKey.run(key, of: environment.usb) { (session, wait) throws(CTAP2Error) in
        try session.abilities(wait)
      }
      if policy.backupSupport(of: info.aaguid) != .unsupported { row.clientType = "syncable" }
    } catch {
      row.obstacle = error.reason
    }
    return row
  }

  /// A key in the list.
  private struct Row {
    let key: KeyDescription
    /// A USB key is device-bound unless its model is known to be otherwise.
    var clientType = "device-bound"
    var obstacle: String?

    init(key: KeyDescription) {
      self.key = key
      switch key.obstacle {
      case nil: obstacle = nil
      case .permission: obstacle = TransportError.permissionDenied(key.id).sentence
      case .unsuitable(let reason): obstacle = reason
      }
    }

    var json: JSONOutput {
      let optional: (String?) -> JSONOutput = { $0.map(JSONOutput.string) ?? .null }
      return .object([
        ("path", .string(key.id)),
        ("vendorId", .string(Self.number(key.vendorID))), ("productId", .string(Self.number(key.productID))),
        ("vendor", optional(key.vendor)), ("product", optional(key.product)),
        ("serialNumber", optional(key.serialNumber)),
        ("clientType", .string(clientType)),
        ("usable", .bool(obstacle == nil)), ("obstacle", optional(obstacle)),
      ])
    }

    var text: String {
      let names = [key.vendor, key.product].compactMap { $0 }.filter { !$0.isEmpty }.joined(separator: " ")
      let serial = key.serialNumber.map { ", serial \($0)" } ?? ""
      let numbers = "\(Self.number(key.vendorID)):\(Self.number(key.productID))"
      let state = obstacle.map { "not usable: \($0)" } ?? "usable"
      return PlainText.shown("\(key.id): \(names) (\(numbers)\(serial)), \(clientType), \(state)")
    }

    private static func number(_ value: UInt16) -> String {
      Hex.encode([UInt8(value >> 8), UInt8(value & 0xff)])
    }
  }
}
