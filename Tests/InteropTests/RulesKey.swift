import CTAPMessages
import Octets
import VirtualKey

/// The answers to the questions of one combination, by name.
struct RulesAnswers: Sendable {
  let values: [String: RuleValue]

  func text(_ name: String) -> String {
    guard case .text(let text)? = values[name] else { preconditionFailure("\(name) is not text") }
    return text
  }

  func flag(_ name: String) -> Bool {
    guard case .flag(let flag)? = values[name] else { preconditionFailure("\(name) is not true or false") }
    return flag
  }
}

/// A virtual key as the questions describe it.
enum RulesKey {
  static let pin = "Schlüssel 7"
  static let model = AAGUID("6d44ba9b-f6ec-2e49-b930-0c8fe920cb73") ?? .zero

  static func configuration(_ answers: RulesAnswers) -> VirtualKeyConfiguration {
    var configuration = VirtualKeyConfiguration(profile: VirtualKeyProfile(info: info(answers)))
    configuration.verification = answers.text("key.sensor") == "blocked" ? .blocked : .succeeds
    switch answers.text("key.attests") {
    case "by itself": configuration.attestation = .selfSigned
    case "not": configuration.attestation = .none
    default: configuration.attestation = .packed
    }
    if answers.text("key.pin") == "set" { configuration.pin = SecretBytes(Array(pin.utf8)) }
    return configuration
  }

  static func info(_ answers: RulesAnswers) -> GetInfoResponse {
    let version = answers.text("key.version")
    let isNew = version == "2.1" || version == "2.2"
    var info = GetInfoResponse(versions: versions[version] ?? [], aaguid: model)
    if answers.text("key.model") == "zero" { info.aaguid = .zero }
    info.options = options(answers, isNew: isNew)
    info.maxCredentialCountInList = 2
    info.maxCredentialIdLength = 128
    switch answers.text("key.protocols") {
    case "unstated": info.pinUvAuthProtocols = nil
    case "as version": info.pinUvAuthProtocols = isNew ? [2, 1] : [1]
    case let listed: info.pinUvAuthProtocols = listed.split(separator: ", ").compactMap { Int($0) }
    }
    if version == "2.2" { info.attestationFormats = ["packed", "none"] }
    if answers.flag("key.mustChangePIN") { info.forcePINChange = true }
    if answers.text("key.room") == "none" { info.remainingDiscoverableCredentials = 0 }
    let algorithms = answers.text("key.algorithms")
    if algorithms != "unstated" { info.algorithms = numbers(algorithms).map { CredentialParameters(algorithm: $0) } }
    return info
  }

  private static let versions = [
    "2.0": ["FIDO_2_0"], "2.0 and 2.1 preview": ["U2F_V2", "FIDO_2_0", "FIDO_2_1_PRE"],
    "2.1": ["FIDO_2_0", "FIDO_2_1"], "2.2": ["U2F_V2", "FIDO_2_0", "FIDO_2_1", "FIDO_2_2"],
    // The virtual key has no getInfo then.
    "U2F": ["U2F_V2"],
  ]

  private static func options(_ answers: RulesAnswers, isNew: Bool) -> AuthenticatorOptions {
    var values = ["up": true, "plat": false]
    func set(_ option: String, _ question: String, no: String, yes: String) {
      let answer = answers.text(question)
      if answer == no { values[option] = false }
      if answer == yes { values[option] = true }
    }
    set("clientPin", "key.pin", no: "not set", yes: "set")
    set("uv", "key.builtIn", no: "not set up", yes: "set up")
    set("rk", "key.residentKeys", no: "no", yes: "yes")
    set("ep", "key.enterprise", no: "off", yes: "on")
    for option in ["makeCredUvNotRqd", "alwaysUv", "noMcGaPermissionsWithClientPin"] where answers.flag("key." + option)
    {
      values[option] = true
    }
    if isNew && answers.text("key.tokens") == "as version" { values["pinUvAuthToken"] = true }
    return AuthenticatorOptions(values)
  }

  /// COSE numbers for a list of names.
  static func numbers(_ names: String) -> [Int] {
    names.split(separator: ", ").map { $0 == "EdDSA" ? -8 : -7 }
  }
}
