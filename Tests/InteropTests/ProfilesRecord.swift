import BridgeTestSupport
import JSONText
import Octets
import VirtualKey

/// The getInfo record of a certified key, and what the rules make of it.
struct ProfilesRecord: Sendable {
  let description: String
  private let entry: JSONValue
  private let record: JSONValue

  /// All of them, from the vectors of the message tests.
  static let all = Result { () throws -> [ProfilesRecord] in
    let folder = #filePath.split(separator: "/", omittingEmptySubsequences: false).dropLast(2).joined(separator: "/")
    let file = try VectorFile.json(at: folder + "/CTAPMessagesTests/Vectors/certified-keys-getinfo.json")
    return (file["entries"]?.elements ?? []).compactMap(ProfilesRecord.init)
  }

  private init?(_ entry: JSONValue) {
    guard let record = entry["authenticatorGetInfo"], let description = entry["description"]?.stringValue else {
      return nil
    }
    (self.entry, self.record, self.description) = (entry, record, description)
  }

  /// The PIN of the keys that have one; eight characters, which each of them allows.
  static let pin = "schlüs-7"

  /// A virtual key dressed as this one.
  func configuration() throws -> VirtualKeyConfiguration {
    var configuration = VirtualKeyConfiguration(profile: try VirtualKeyProfile(json: entry.source))
    if option("clientPin") == true { configuration.pin = SecretBytes(Array(Self.pin.utf8)) }
    return configuration
  }

  /// The longest request that the key takes (CTAP 2.1 §6.4, 0x05).
  var maxMsgSize: Int { record["maxMsgSize"]?.integerValue ?? 1024 }

  /// The COSE numbers that the key names, nil where it names none.
  var algorithms: [Int]? { record["algorithms"]?.elements?.compactMap { $0["alg"]?.integerValue } }

  private func option(_ name: String) -> Bool? { record["options"]?[name]?.boolValue }

  /// What the questions about the key are answered by, each from the members of the record that are about it.
  var answers: [String: RuleValue] {
    func answer(_ name: String, _ absent: String, _ no: String, _ yes: String) -> RuleValue {
      .text(option(name).map { $0 ? yes : no } ?? absent)
    }
    let protocols = record["pinUvAuthProtocols"]?.elements?.compactMap(\.integerValue) ?? []
    let hasTokens = option("pinUvAuthToken") == true
    var answers: [String: RuleValue] = [
      // The rules ask the version for what came with it: tokens, which have an option, and a list of formats.
      "key.version": .text(record["attestationFormats"] != nil ? "2.2" : hasTokens ? "2.1" : "2.0"),
      "key.tokens": .text(hasTokens ? "as version" : "none"),
      "key.pin": answer("clientPin", "absent", "not set", "set"),
      "key.builtIn": answer("uv", "absent", "not set up", "set up"),
      "key.residentKeys": answer("rk", "absent", "no", "yes"),
      "key.enterprise": answer("ep", "absent", "off", "on"),
      "key.room": .text(record["remainingDiscoverableCredentials"]?.integerValue == 0 ? "none" : "some"),
      "key.mustChangePIN": .flag(record["forcePINChange"]?.boolValue ?? false),
      "key.protocols": .text(protocols.contains(2) ? "2" : "1"),
    ]
    for name in ["makeCredUvNotRqd", "alwaysUv", "noMcGaPermissionsWithClientPin"] {
      answers["key." + name] = .flag(option(name) ?? false)
    }
    if let algorithms {
      answers["key.algorithms"] = .text(algorithms.contains(-8) ? "ES256, EdDSA" : "ES256")
    } else {
      answers["key.algorithms"] = .text("unstated")
    }
    return answers
  }
}
