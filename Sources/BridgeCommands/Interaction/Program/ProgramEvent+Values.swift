import CTAPHID
import CTAPMessages
import JSONText
import Octets
import WebAuthnClient

extension JSONOutput {
  /// The text, or null.
  static func optional(_ text: String?) -> JSONOutput { text.map(JSONOutput.string) ?? .null }
  /// The number, or null.
  static func optional(_ number: Int?) -> JSONOutput { number.map(JSONOutput.int) ?? .null }
}

extension Duration {
  /// The time in whole seconds, rounded up: nobody is to be told to wait for 0 s.
  var wholeSeconds: Int { Int(clamping: components.seconds) + (components.attoseconds > 0 ? 1 : 0) }
}

extension KeyDescription {
  /// The key as a program is told of it.
  var json: JSONOutput { .object(members) }

  fileprivate var members: [(String, JSONOutput)] {
    [
      ("path", .string(id)), ("vendor", .optional(vendor)), ("product", .optional(product)),
      ("serialNumber", .optional(serialNumber)), ("virtual", .bool(isVirtual)),
    ]
  }
}

extension AuthenticatorInfo {
  /// The key as a program is told of it once it has been asked.
  var json: JSONOutput { .object(key.members + [("aaguid", .string("\(aaguid)"))]) }
}

extension Account {
  /// The account as a program is told of it.
  var json: JSONOutput {
    .object([
      ("name", .optional(name)), ("displayName", .optional(displayName)),
      ("userHandle", .optional(userHandle.map { Base64URL.encode($0) })),
      ("credentialId", .string(Base64URL.encode(credentialID))),
    ])
  }
}

extension PINRequest {
  var members: [(String, JSONOutput)] {
    let reason: (name: String, text: String?) =
      switch occasion {
      case .needed: ("needed", nil)
      case .insteadOfBuiltIn: ("insteadOfBuiltIn", nil)
      case .wrong: ("wrong", nil)
      case .unusable(let text): ("unusable", text)
      }
    return [
      ("key", authenticator.json), ("reason", .string(reason.name)), ("text", .optional(reason.text)),
      ("retriesLeft", .optional(retriesLeft)), ("minimumLength", .int(minimumLength)), ("optional", .bool(isOptional)),
    ]
  }
}

extension NewPINRequest {
  var members: [(String, JSONOutput)] {
    let reason: (name: String, text: String?) =
      switch occasion {
      case .first: ("first", nil)
      case .replacement: ("replacement", nil)
      case .unusable(let text): ("unusable", text)
      }
    return [
      ("key", authenticator.json), ("reason", .string(reason.name)), ("text", .optional(reason.text)),
      ("minimumLength", .int(minimumLength)), ("maximumLength", .int(maximumLength)),
    ]
  }
}
