import CTAPMessages
import JSONText
import Octets
import Testing

@testable import VirtualKey

@Suite("profiles")
struct ProfileTests {
  @Test("all 240 certified keys are there to be dressed as")
  func count() {
    #expect(certifiedKeys.count == 240)
  }

  @Test("a key dressed as a certified one answers getInfo with its record", arguments: certifiedKeys.indices)
  func dressed(_ index: Int) throws {
    let entry = certifiedKeys[index]
    let record = try #require(entry["authenticatorGetInfo"])
    let profile = try VirtualKeyProfile(json: entry.source)
    #expect(profile.name == entry["description"]?.stringValue)
    let info = try TestKey(VirtualKeyConfiguration(profile: profile)).info()
    let members = try #require(record.members)
    for (name, value) in members {
      // Some records announce U2F beside alwaysUv, which forbids it.
      if name == "versions", info.options?[.alwaysUv] == true {
        #expect(info.versions == value.elements?.compactMap(\.stringValue).filter { $0 != "U2F_V2" })
        continue
      }
      #expect(text(of: name, in: info) == consistent(text(of: value)), "\(name)")
    }
    #expect(members.count == Self.members.count { text(of: $0, in: info) != nil })
  }

  /// The options of a record as a key can have them: two say both that a finger is enrolled, by the preview, and that
  /// none is.
  private func consistent(_ options: String) -> String {
    guard options.contains("bioEnroll:false") else { return options }
    return options.replacing("userVerificationMgmtPreview:true", with: "userVerificationMgmtPreview:false")
  }

  @Test("registration on a certified key ends as its record says", arguments: certifiedKeys.indices)
  func registration(_ index: Int) throws {
    let profile = try VirtualKeyProfile(json: certifiedKeys[index].source)
    let key = try TestKey(VirtualKeyConfiguration(profile: profile))
    let info = profile.info
    let option = { (name: String) in info.options?[name] }
    let isProtected = option("clientPin") == true || option("uv") == true
    let needsUV = option("alwaysUv") == true || (isProtected && option("makeCredUvNotRqd") != true)
    let expected: CTAPStatus =
      if info.algorithms?.contains(where: { $0.algorithm == -7 }) == false {
        .unsupportedAlgorithm
      } else if needsUV, !(option("alwaysUv") == true && option("uv") == true) {
        // The sensor comes in by itself only under alwaysUv, and only there a PIN that is not set yet is a way out.
        (option("alwaysUv") == true ? option("clientPin") != nil : option("clientPin") == true)
          && option("noMcGaPermissionsWithClientPin") != true
          ? .puatRequired : .operationDenied
      } else {
        .ok
      }
    #expect(try key.makeStatus(.sample()) == expected)
    if expected == .ok {
      let id = try key.make(.sample(user: [2])).id
      #expect(id.count <= info.maxCredentialIdLength ?? 1023)
      #expect(try key.get(.sample(allow: [id])).credential?.id == id)
    }
  }

  @Test("a record may be bare, in a metadata statement, or in an entry of a metadata BLOB")
  func places() throws {
    let record = #"{"versions":["FIDO_2_0"],"aaguid":"00000000000000000000000000000001","maxMsgSize":1200.0}"#
    let texts = [
      record, #"{"description":"A key","authenticatorGetInfo":\#(record)}"#,
      #"{"aaguid":"x","metadataStatement":{"description":"A key","authenticatorGetInfo":\#(record)}}"#,
    ]
    let profiles = try texts.map { try VirtualKeyProfile(json: Array($0.utf8)) }
    #expect(profiles.allSatisfy { $0.info == profiles[0].info && $0.info.maxMsgSize == 1200 })
    #expect(profiles.map(\.name) == [nil, "A key", "A key"])
  }

  @Test("the statement of a U2F key, which has no record, is a U2F key")
  func u2fStatement() throws {
    let text = #"{"protocolFamily":"u2f","description":"An old key","attestationCertificateKeyIdentifiers":["00"]}"#
    let profile = try VirtualKeyProfile(json: Array(text.utf8))
    #expect(profile.info == VirtualKeyProfile.u2f.info)
    #expect(profile.name == "An old key")
  }

  @Test(
    "what is no profile is refused in words",
    arguments: [
      ("{", "The profile is not JSON: line 1, column 2"),
      (#"{"entries":[]}"#, "no authenticatorGetInfo"),
      (#"{"versions":["FIDO_2_0"]}"#, "aaguid (0x03): missing"),
      (#"{"versions":["FIDO_2_0"],"aaguid":"01"}"#, "aaguid in the profile should be an AAGUID"),
      (#"{"versions":"FIDO_2_0"}"#, "versions in the profile should be a list, each text"),
      (#"{"versions":["FIDO_2_0"],"options":{"rk":1}}"#, "options.rk in the profile should be true or false"),
      (#"{"versions":[],"options":[]}"#, "options in the profile should be an object, each member true or false"),
      (#"{"versions":[],"maxMsgSize":-1}"#, "maxMsgSize in the profile should be a whole number from 0"),
      (#"{"versions":[],"encIdentifier":"xx"}"#, "encIdentifier in the profile should be hexadecimal digits"),
      (#"{"versions":[],"algorithms":[{}]}"#, "algorithms[0] in the profile should be an object with type and alg"),
    ])
  func refused(_ text: String, _ words: String) {
    let error = #expect(throws: VirtualKeyProfileError.self) { try VirtualKeyProfile(json: Array(text.utf8)) }
    #expect(error?.description.contains(words) == true, "\(error?.description ?? "")")
  }

  @Test("a number of 64 bits survives")
  func largeNumber() throws {
    let text = #"{"versions":[],"aaguid":"00000000000000000000000000000001","firmwareVersion":18446744073709551615}"#
    #expect(try VirtualKeyProfile(json: Array(text.utf8)).info.firmwareVersion == .max)
  }

  private static let members = [
    "versions", "extensions", "aaguid", "options", "maxMsgSize", "pinUvAuthProtocols", "maxCredentialCountInList",
    "maxCredentialIdLength", "transports", "algorithms", "maxSerializedLargeBlobArray", "forcePINChange",
    "minPINLength", "firmwareVersion", "maxCredBlobLength", "maxRPIDsForSetMinPINLength",
    "preferredPlatformUvAttempts", "uvModality", "certifications", "remainingDiscoverableCredentials",
    "vendorPrototypeConfigCommands", "attestationFormats", "uvCountSinceLastPinEntry", "longTouchForReset",
    "encIdentifier", "transportsForReset", "pinComplexityPolicy", "pinComplexityPolicyURL", "maxPINLength",
    "encCredStoreState", "authenticatorConfigCommands",
  ]

  /// A JSON value as words that do not depend on the order of members.
  private func text(of value: JSONValue) -> String {
    switch value.kind {
    case .bool: "\(value.boolValue ?? false)"
    case .number: value.numberText ?? ""
    case .string: (value.stringValue ?? "").replacing("-", with: "")
    case .array: "[" + (value.elements ?? []).map(text).joined(separator: " ") + "]"
    case .object:
      "{" + (value.members ?? []).map { $0.name + ":" + text(of: $0.value) }.sorted().joined(separator: " ") + "}"
    case .null: "null"
    }
  }

  /// A member of what the key said, in the same words.
  private func text(of member: String, in info: GetInfoResponse) -> String? {
    func list(_ values: [some Any]?) -> String? {
      values.map { "[" + $0.map { "\($0)".replacing("-", with: "") }.joined(separator: " ") + "]" }
    }
    func entries(_ values: [String: some Any]?) -> String? {
      values.map { "{" + $0.map { "\($0.key):\($0.value)" }.sorted().joined(separator: " ") + "}" }
    }
    func word(_ value: (some Any)?) -> String? { value.map { "\($0)" } }
    return switch member {
    case "versions": list(info.versions)
    case "extensions": list(info.extensions)
    case "aaguid": Hex.encode(info.aaguid.bytes)
    case "options": entries(info.options?.values)
    case "maxMsgSize": word(info.maxMsgSize)
    case "pinUvAuthProtocols": list(info.pinUvAuthProtocols)
    case "maxCredentialCountInList": word(info.maxCredentialCountInList)
    case "maxCredentialIdLength": word(info.maxCredentialIdLength)
    case "transports": list(info.transports)
    case "algorithms":
      info.algorithms.map {
        "[" + $0.map { "{alg:\($0.algorithm) type:\($0.type.replacing("-", with: ""))}" }.joined(separator: " ") + "]"
      }
    case "maxSerializedLargeBlobArray": word(info.maxSerializedLargeBlobArray)
    case "forcePINChange": word(info.forcePINChange)
    case "minPINLength": word(info.minPINLength)
    case "firmwareVersion": word(info.firmwareVersion)
    case "maxCredBlobLength": word(info.maxCredBlobLength)
    case "maxRPIDsForSetMinPINLength": word(info.maxRPIDsForSetMinPINLength)
    case "preferredPlatformUvAttempts": word(info.preferredPlatformUvAttempts)
    case "uvModality": word(info.uvModality?.rawValue)
    case "certifications": entries(info.certifications)
    case "remainingDiscoverableCredentials": word(info.remainingDiscoverableCredentials)
    case "vendorPrototypeConfigCommands": list(info.vendorPrototypeConfigCommands)
    case "attestationFormats": list(info.attestationFormats)
    case "uvCountSinceLastPinEntry": word(info.uvCountSinceLastPinEntry)
    case "longTouchForReset": word(info.longTouchForReset)
    case "encIdentifier": info.encIdentifier.map { Hex.encode($0) }
    case "transportsForReset": list(info.transportsForReset)
    case "pinComplexityPolicy": word(info.pinComplexityPolicy)
    case "pinComplexityPolicyURL": info.pinComplexityPolicyURL.map { Hex.encode($0) }
    case "maxPINLength": word(info.maxPINLength)
    case "encCredStoreState": info.encCredStoreState.map { Hex.encode($0) }
    case "authenticatorConfigCommands": list(info.authenticatorConfigCommands)
    default: nil
    }
  }
}
