// A converter from metadata records to the bytes that a key sends. It shares no code with the library: it has its
// own table of members and its own canonical encoder.

enum MetadataCBOR {
  /// The bytes of the getInfo response that a record describes.
  static func getInfo(_ record: [String: JSON]) -> [UInt8] {
    map(
      record.map { name, value in
        guard let number = numbers[name] else { fatalError("no number for \(name)") }
        return (integer(number), item(value, asBytes: byteStrings.contains(name)))
      })
  }

  static let numbers: [String: Int] = [
    "versions": 1, "extensions": 2, "aaguid": 3, "options": 4, "maxMsgSize": 5, "pinUvAuthProtocols": 6,
    "maxCredentialCountInList": 7, "maxCredentialIdLength": 8, "transports": 9, "algorithms": 10,
    "maxSerializedLargeBlobArray": 11, "forcePINChange": 12, "minPINLength": 13, "firmwareVersion": 14,
    "maxCredBlobLength": 15, "maxRPIDsForSetMinPINLength": 16, "preferredPlatformUvAttempts": 17, "uvModality": 18,
    "certifications": 19, "remainingDiscoverableCredentials": 20, "vendorPrototypeConfigCommands": 21,
    "attestationFormats": 22, "uvCountSinceLastPinEntry": 23, "longTouchForReset": 24, "encIdentifier": 25,
    "transportsForReset": 26, "pinComplexityPolicy": 27, "pinComplexityPolicyURL": 28, "maxPINLength": 29,
    "encCredStoreState": 30, "authenticatorConfigCommands": 31,
  ]

  private static let byteStrings: Set = ["aaguid", "encIdentifier", "encCredStoreState", "pinComplexityPolicyURL"]

  private static func item(_ value: JSON, asBytes: Bool = false) -> [UInt8] {
    switch value {
    case .bool(let bool): [bool ? 0xf5 : 0xf4]
    case .integer(let number): integer(number)
    case .string(let string) where asBytes:
      head(2, string.filter { $0 != "-" }.count / 2) + hex(string.filter { $0 != "-" })
    case .string(let string): text(string)
    case .array(let elements): head(4, elements.count) + elements.flatMap { item($0) }
    case .object(let members): map(members.map { (text($0), item($1)) })
    }
  }

  private static func text(_ string: String) -> [UInt8] { head(3, string.utf8.count) + Array(string.utf8) }

  private static func integer(_ number: Int) -> [UInt8] { number < 0 ? head(1, -1 - number) : head(0, number) }

  private static func map(_ entries: [([UInt8], [UInt8])]) -> [UInt8] {
    head(5, entries.count)
      + entries.sorted { $0.0.lexicographicallyPrecedes($1.0) }.flatMap { $0.0 + $0.1 }
  }

  private static func head(_ major: UInt8, _ argument: Int) -> [UInt8] {
    let type = major << 5
    return switch argument {
    case ..<24: [type | UInt8(argument)]
    case ..<0x100: [type | 24, UInt8(argument)]
    case ..<0x1_0000: [type | 25] + bigEndian(argument, 2)
    case ..<0x1_0000_0000: [type | 26] + bigEndian(argument, 4)
    default: [type | 27] + bigEndian(argument, 8)
    }
  }

  private static func bigEndian(_ number: Int, _ count: Int) -> [UInt8] {
    (0..<count).reversed().map { UInt8(truncatingIfNeeded: number >> ($0 * 8)) }
  }
}
