internal import CBOR

/// Which part of a message may be seen. What no rule lets through is hidden: its strings, and all of it where it has
/// another form than its rule says.
enum Visibility {
  /// Numbers and booleans.
  case number
  /// A text.
  case text
  /// A byte string.
  case bytes
  /// A map and all that is in it.
  case map
  /// An array and all that is in it.
  case array
  /// A public key: everything of it.
  case publicKey
  /// The extension inputs of a request: numbers, and the names of the extensions.
  case extensions
  /// Authenticator data, without the outputs of extensions that are secret.
  case authenticatorData

  /// The members of a command's parameters that may be seen (CTAP 2.3 §6); nil for commands that are not known.
  ///
  /// Not among them, and so hidden: `pinUvAuthParam`, `newPinEnc`, `pinHashEnc`, the platform's side of a key agreement,
  /// the salts of hmac-secret, and what is written to the large-blob array.
  static func request(_ command: UInt8, _ parameters: CBORMap?) -> [Int: Visibility]? {
    switch command {
    case 0x01:
      [
        1: .bytes, 2: .map, 3: .map, 4: .array, 5: .array, 6: .extensions, 7: .map, 9: .number, 10: .number, 11: .array,
      ]
    case 0x02: [1: .text, 2: .bytes, 3: .array, 4: .extensions, 5: .map, 7: .number]
    case 0x04, 0x07, 0x08, 0x0b: [:]
    case 0x06: [1: .number, 2: .number, 9: .number, 10: .text]
    case 0x09, 0x40: [1: .number, 2: .number, 3: .map, 4: .number, 6: .number]
    case 0x0a, 0x41: [1: .number, 2: .map, 3: .number]
    case 0x0c: [1: .number, 3: .number, 4: .number, 6: .number]
    // The parameters of a vendor's own configuration could be anything.
    case 0x0d: parameters?[1]?.intValue == 0xff ? [1: .number, 3: .number] : [1: .number, 2: .map, 3: .number]
    default: nil
    }
  }

  /// The members of a command's answer that may be seen; nil for commands that are not known.
  ///
  /// The token (in 6), `largeBlobKey` (in 1, 2 and 10) and the outputs of unknown extensions are hidden.
  static func answer(_ command: UInt8, _ content: CBORMap) -> [Int: Visibility]? {
    switch command {
    case 0x01: [1: .text, 2: .authenticatorData, 3: .map, 4: .number]
    case 0x02, 0x08: [1: .map, 2: .authenticatorData, 3: .bytes, 4: .map, 5: .number, 6: .number]
    case 0x04: information(content)
    case 0x06: [1: .publicKey, 3: .number, 4: .number, 5: .number]
    case 0x09, 0x40: [1: .number, 2: .number, 3: .number, 4: .bytes, 5: .number, 6: .number, 7: .array, 8: .number]
    case 0x0a, 0x41:
      [
        1: .number, 2: .number, 3: .map, 4: .bytes, 5: .number, 6: .map, 7: .map, 8: .publicKey, 9: .number,
        10: .number, 12: .number,
      ]
    case 0x0c: [1: .bytes]
    case 0x07, 0x0b, 0x0d: [:]
    default: nil
    }
  }

  /// What a key says of itself is public, as long as it is that: an answer without versions is another's.
  private static func information(_ content: CBORMap) -> [Int: Visibility] {
    guard content[1]?.arrayValue != nil else { return [:] }
    var rules: [Int: Visibility] = [:]
    for (key, value) in content.entries {
      guard let number = key.intValue else { continue }
      rules[number] =
        switch value {
        case .array: .array
        case .map: .map
        case .bytes: .bytes
        case .text: .text
        default: .number
        }
    }
    return rules
  }
}
