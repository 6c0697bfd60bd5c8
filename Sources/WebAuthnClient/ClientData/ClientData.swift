internal import Octets

/// The client data of a ceremony, serialised byte for byte as WebAuthn L3 §5.8.1.1 has it.
struct ClientData: Hashable, Sendable {
  enum Ceremony: String, Sendable {
    case create = "webauthn.create"
    case get = "webauthn.get"
  }

  var ceremony: Ceremony
  var challenge: [UInt8]
  var origin: String
  /// False for this library, which is never embedded in a foreign page; the published vectors have both.
  var crossOrigin = false
  /// The origin of the page that embeds a cross-origin frame; nil for this library.
  var topOrigin: String?
  /// Members to add at the end: JSON text without its leading brace, such as `"a":1}`.
  var remainder: String?

  /// The UTF-8 text that is hashed and returned.
  var json: [UInt8] {
    var text = "{\"type\":" + Self.quoted(ceremony.rawValue)
    text += ",\"challenge\":" + Self.quoted(Base64URL.encode(challenge))
    text += ",\"origin\":" + Self.quoted(origin)
    text += ",\"crossOrigin\":" + (crossOrigin ? "true" : "false")
    if let topOrigin { text += ",\"topOrigin\":" + Self.quoted(topOrigin) }
    if let remainder { text += "," + remainder } else { text += "}" }
    return Array(text.utf8)
  }

  /// `CCDToString`: quotation mark, reverse solidus and controls are escaped and nothing else (WebAuthn L3 §5.8.1.1).
  static func quoted(_ text: String) -> String {
    var output = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"": output += "\\\""
      case "\\": output += "\\\\"
      case "\u{0}"..."\u{1F}": output += "\\u00" + Hex.encode([UInt8(truncatingIfNeeded: scalar.value)])
      default: output.unicodeScalars.append(scalar)
      }
    }
    return output + "\""
  }
}
