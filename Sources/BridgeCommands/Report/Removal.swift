import CTAP2
import CTAPMessages
import Octets
import WebAuthnClient

/// The commands that find a credential on a key and take it off again.
enum Removal {
  /// A sentence with the command to type; nil where nothing is to be removed, or the key is gone with the command.
  ///
  /// - Parameters:
  ///   - error: what a ceremony ended with.
  ///   - key: what `--key` was given.
  static func advice(_ error: WebAuthnError, key: String?) -> String? {
    guard error.kind == .credentialExists, key != "virtual" else { return nil }
    switch error.cause as? CTAP2Error {
    case .credentialMayExist(let creation, _)? where !creation.isDiscoverable: return nil
    // A credential of U2F is in its id, and no key keeps or deletes it.
    case .createdLate(let response, _)? where response.fmt == "fido-u2f": return nil
    case .credentialInvalid(let response, _)? where response.fmt == "fido-u2f": return nil
    default: break
    }
    let option = key.map { " --key \(shellWord($0))" } ?? ""
    guard let credentialID = error.credentialID else {
      return "`ctap-bridge credentials list\(option)` lists what the key keeps."
    }
    let identifier = Base64URL.encode(credentialID)
    // One that begins with a dash would be taken for an option.
    let word = identifier.hasPrefix("-") ? "-- " + identifier : identifier
    return "`ctap-bridge credentials delete\(option) \(word)` deletes it."
  }

  /// A word as a shell reads it back.
  private static func shellWord(_ text: String) -> String {
    let isPlain = text.unicodeScalars.allSatisfy { scalar in
      scalar.isASCII
        && (scalar.properties.isAlphabetic || scalar.properties.numericType != nil
          || "/._-:=@%+,".contains(Character(scalar)))
    }
    return isPlain && !text.isEmpty
      ? text : "'" + text.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''") + "'"
  }
}
