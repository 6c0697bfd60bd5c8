import CBOR
import CTAPMessages
import JSONText
import Octets
import WebAuthnClient

/// What is to be told about a key, for people and as JSON.
protocol KeyReport {
  /// An object.
  var json: JSONOutput { get }
  /// Lines for people.
  var lines: [String] { get }
}

/// What a key says about itself, member by member, for people and as JSON.
struct GetInfoReport: KeyReport {
  /// One member: its number, its name in the specification, a label for people, its value.
  struct Member {
    let number: UInt8
    let name: String
    let label: String
    let value: JSONOutput
    /// What people read in place of the value's own text.
    var words: String?
  }

  /// The members that the key sent, in the order of their numbers.
  let members: [Member]
  /// Members that are not known, by their CBOR keys.
  let additional: CBORMap

  init(_ info: GetInfoResponse) {
    var found: [Member] = []
    func add(_ number: UInt8, _ name: String, _ label: String, _ value: JSONOutput?, _ words: String? = nil) {
      if let value { found.append(Member(number: number, name: name, label: label, value: value, words: words)) }
    }
    add(0x01, "versions", "Versions", .strings(info.versions))
    add(0x02, "extensions", "Extensions", info.extensions.map(JSONOutput.strings))
    add(0x03, "aaguid", "AAGUID", .string(info.aaguid.description))
    add(0x04, "options", "Options", info.options.map(Self.options))
    add(0x05, "maxMsgSize", "Largest message", info.maxMsgSize.map(JSONOutput.int))
    add(0x06, "pinUvAuthProtocols", "PIN/UV protocols", info.pinUvAuthProtocols.map(JSONOutput.ints))
    add(0x07, "maxCredentialCountInList", "Credentials in a list", info.maxCredentialCountInList.map(JSONOutput.int))
    add(0x08, "maxCredentialIdLength", "Longest credential ID", info.maxCredentialIdLength.map(JSONOutput.int))
    add(0x09, "transports", "Transports", info.transports.map(JSONOutput.strings))
    add(
      0x0a, "algorithms", "Algorithms", info.algorithms.map(Self.algorithms),
      info.algorithms?.map(Self.words).joined(separator: ", "))
    add(
      0x0b, "maxSerializedLargeBlobArray", "Large-blob array",
      info.maxSerializedLargeBlobArray.map(JSONOutput.int))
    add(0x0c, "forcePINChange", "PIN must be changed", info.forcePINChange.map(JSONOutput.bool))
    add(0x0d, "minPINLength", "Shortest PIN", info.minPINLength.map(JSONOutput.int))
    add(0x0e, "firmwareVersion", "Firmware version", info.firmwareVersion.map(JSONOutput.unsigned))
    add(0x0f, "maxCredBlobLength", "Longest credBlob", info.maxCredBlobLength.map(JSONOutput.int))
    add(
      0x10, "maxRPIDsForSetMinPINLength", "RP IDs for the shortest PIN",
      info.maxRPIDsForSetMinPINLength.map(JSONOutput.int))
    add(
      0x11, "preferredPlatformUvAttempts", "Tries of built-in UV",
      info.preferredPlatformUvAttempts.map(JSONOutput.int))
    add(0x12, "uvModality", "Verifies by", info.uvModality.map { .strings($0.names) })
    add(0x13, "certifications", "Certifications", info.certifications.map(Self.certifications))
    add(
      0x14, "remainingDiscoverableCredentials", "Room for passkeys",
      info.remainingDiscoverableCredentials.map(JSONOutput.int))
    add(
      0x15, "vendorPrototypeConfigCommands", "Vendor configuration",
      info.vendorPrototypeConfigCommands.map { .array($0.map(JSONOutput.unsigned)) })
    add(0x16, "attestationFormats", "Attestation formats", info.attestationFormats.map(JSONOutput.strings))
    add(0x17, "uvCountSinceLastPinEntry", "UV since last PIN", info.uvCountSinceLastPinEntry.map(JSONOutput.int))
    add(0x18, "longTouchForReset", "Reset needs a long touch", info.longTouchForReset.map(JSONOutput.bool))
    add(0x19, "encIdentifier", "Encrypted identifier", info.encIdentifier.map(JSONOutput.hex))
    add(0x1a, "transportsForReset", "Reset over", info.transportsForReset.map(JSONOutput.strings))
    add(0x1b, "pinComplexityPolicy", "PIN policy enforced", info.pinComplexityPolicy.map(JSONOutput.bool))
    add(
      0x1c, "pinComplexityPolicyURL", "PIN policy",
      info.pinComplexityPolicyURL.map { .string(String(decoding: $0, as: UTF8.self)) })
    add(0x1d, "maxPINLength", "Longest PIN", info.maxPINLength.map(JSONOutput.int))
    add(0x1e, "encCredStoreState", "Encrypted store state", info.encCredStoreState.map(JSONOutput.hex))
    add(
      0x1f, "authenticatorConfigCommands", "Configuration commands",
      info.authenticatorConfigCommands.map(JSONOutput.ints))
    members = found
    additional = info.additional
  }

  /// The members under the specification's names; unknown ones under `additional`, by key.
  var json: JSONOutput {
    var object = members.map { ($0.name, $0.value) }
    if !additional.isEmpty {
      object.append(("additional", .object(additional.entries.map { (CBORText.key($0.key), CBORText.json($0.value)) })))
    }
    return .object(object)
  }

  /// One line a member, for people.
  var lines: [String] {
    members.map { Self.line($0.number, $0.label, $0.words.map(PlainText.shown) ?? Self.text($0.value)) }
      + additional.entries.map { entry in
        let head = "unknown " + CBORText.key(entry.key)
        return "      " + head.padded(to: 28) + Self.text(CBORText.json(entry.value))
      }
  }

  private static func line(_ number: UInt8, _ label: String, _ value: String) -> String {
    let hexadecimal = "0x" + Hex.encode([number])
    return hexadecimal + "  " + label.padded(to: 28) + value
  }

  private static func text(_ value: JSONOutput) -> String {
    switch value {
    case .array(let elements): elements.map(text).joined(separator: ", ")
    case .object(let members): members.map { PlainText.shown($0.0) + " " + text($0.1) }.joined(separator: ", ")
    case .string(let string): PlainText.shown(string)
    case .bool(let flag): flag ? "yes" : "no"
    default: String(decoding: value.serialized(pretty: false), as: UTF8.self)
    }
  }

  private static func options(_ options: AuthenticatorOptions) -> JSONOutput {
    // The specification's options first, in its order; others after them by name.
    let known = AuthenticatorOption.allCases.map(\.rawValue)
    let names = known.filter { options[$0] != nil } + options.values.keys.filter { !known.contains($0) }.sorted()
    let members = names.compactMap { name in options[name].map { (name, JSONOutput.bool($0)) } }
    return .object(members + options.additional.entries.map { (CBORText.key($0.key), CBORText.json($0.value)) })
  }

  private static func algorithms(_ list: [CredentialParameters]) -> JSONOutput {
    .array(list.map { .object([("type", .string($0.type)), ("alg", .int($0.algorithm))]) })
  }

  /// The algorithm's name in JOSE where it is a known one, and its number in COSE.
  private static func words(_ parameters: CredentialParameters) -> String {
    let name: String? =
      switch parameters.algorithm {
      case -7: "ES256"
      case -8: "EdDSA"
      case -35: "ES384"
      case -36: "ES512"
      case -37: "PS256"
      case -47: "ES256K"
      case -53: "Ed448"
      case -257: "RS256"
      case -65_535: "RS1"
      default: nil
      }
    let type = parameters.type == CredentialParameters.publicKey ? "" : parameters.type + " "
    return type + (name.map { "\($0) (\(parameters.algorithm))" } ?? "\(parameters.algorithm)")
  }

  private static func certifications(_ levels: [String: Int]) -> JSONOutput {
    .object(levels.sorted { $0.key < $1.key }.map { ($0.key, .int($0.value)) })
  }
}

extension JSONOutput {
  static func strings(_ values: [String]) -> JSONOutput { .array(values.map(JSONOutput.string)) }
  static func ints(_ values: [Int]) -> JSONOutput { .array(values.map(JSONOutput.int)) }
  static func hex(_ bytes: [UInt8]) -> JSONOutput { .string(Hex.encode(bytes)) }
  static func unsigned(_ value: UInt64) -> JSONOutput { .raw(Array(String(value).utf8)) }
}

extension String {
  /// The text with spaces after it up to a width in characters, and at least one.
  func padded(to width: Int) -> String { self + String(repeating: " ", count: max(1, width - count)) }
}
