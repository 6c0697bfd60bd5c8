import CBOR
import CTAPMessages
import JSONText
import Octets

/// The members of a getInfo record in JSON, as metadata statements write them, and what they are in CBOR.
enum GetInfoRecord {
  private enum Form: Sendable {
    case flag
    case number
    case text
    case bytes
    case aaguid
    indirect case list(Form)
    indirect case dictionary(Form)
    case algorithm

    var words: String {
      switch self {
      case .flag: "true or false"
      case .number: "a whole number from 0"
      case .text: "text"
      case .bytes: "hexadecimal digits"
      case .aaguid: "an AAGUID"
      case .list(let form): "a list, each \(form.words)"
      case .dictionary(let form): "an object, each member \(form.words)"
      case .algorithm: "an object with type and alg"
      }
    }
  }

  private static let members: [(name: String, number: Int, form: Form)] = [
    ("versions", 0x01, .list(.text)), ("extensions", 0x02, .list(.text)), ("aaguid", 0x03, .aaguid),
    ("options", 0x04, .dictionary(.flag)), ("maxMsgSize", 0x05, .number),
    ("pinUvAuthProtocols", 0x06, .list(.number)), ("maxCredentialCountInList", 0x07, .number),
    ("maxCredentialIdLength", 0x08, .number), ("transports", 0x09, .list(.text)),
    ("algorithms", 0x0a, .list(.algorithm)), ("maxSerializedLargeBlobArray", 0x0b, .number),
    ("forcePINChange", 0x0c, .flag), ("minPINLength", 0x0d, .number), ("firmwareVersion", 0x0e, .number),
    ("maxCredBlobLength", 0x0f, .number), ("maxRPIDsForSetMinPINLength", 0x10, .number),
    ("preferredPlatformUvAttempts", 0x11, .number), ("uvModality", 0x12, .number),
    ("certifications", 0x13, .dictionary(.number)), ("remainingDiscoverableCredentials", 0x14, .number),
    ("vendorPrototypeConfigCommands", 0x15, .list(.number)), ("attestationFormats", 0x16, .list(.text)),
    ("uvCountSinceLastPinEntry", 0x17, .number), ("longTouchForReset", 0x18, .flag), ("encIdentifier", 0x19, .bytes),
    ("transportsForReset", 0x1a, .list(.text)), ("pinComplexityPolicy", 0x1b, .flag),
    ("pinComplexityPolicyURL", 0x1c, .bytes), ("maxPINLength", 0x1d, .number), ("encCredStoreState", 0x1e, .bytes),
    ("authenticatorConfigCommands", 0x1f, .list(.number)),
  ]

  static func cbor(_ record: JSONValue) throws(VirtualKeyProfileError) -> CBORMap {
    var map = CBORMap()
    for member in members {
      guard let value = record[member.name] else { continue }
      map[member.number] = try convert(value, member.form)
    }
    return map
  }

  private static func convert(_ value: JSONValue, _ form: Form) throws(VirtualKeyProfileError) -> CBORValue {
    let converted: CBORValue?
    switch form {
    case .flag: converted = value.boolValue.map(CBORValue.bool)
    // The text is looked at because numbers of 64 bits do not fit an Int; a count may be written 4 or 4.0.
    case .number:
      let number = value.numberText.flatMap { UInt64($0) } ?? value.integerValue.flatMap { UInt64(exactly: $0) }
      converted = number.map(CBORValue.unsigned)
    case .text: converted = value.stringValue.map(CBORValue.text)
    case .bytes: converted = value.stringValue.flatMap { Hex.decode($0) }.map(CBORValue.bytes)
    case .aaguid: converted = value.stringValue.flatMap { AAGUID($0) }.map { .bytes($0.bytes) }
    case .list(let element): converted = try list(value, element)
    case .dictionary(let element): converted = try dictionary(value, element)
    case .algorithm:
      guard let type = value["type"]?.stringValue, let algorithm = value["alg"]?.integerValue else {
        throw .member(path: value.path, expected: form.words)
      }
      converted = CredentialParameters(type: type, algorithm: algorithm).cbor()
    }
    guard let converted else { throw .member(path: value.path, expected: form.words) }
    return converted
  }

  private static func list(_ value: JSONValue, _ form: Form) throws(VirtualKeyProfileError) -> CBORValue? {
    guard let elements = value.elements else { return nil }
    return .array(try elements.map { (element) throws(VirtualKeyProfileError) in try convert(element, form) })
  }

  private static func dictionary(_ value: JSONValue, _ form: Form) throws(VirtualKeyProfileError) -> CBORValue? {
    guard let members = value.members else { return nil }
    var map = CBORMap()
    for (name, member) in members { map[name] = try convert(member, form) }
    return .map(map)
  }
}
