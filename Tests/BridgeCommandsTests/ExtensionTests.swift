import Foundation
import JSONText
import Testing

@Suite("The Thales extensions, by the command")
struct ExtensionTests {
  /// The model of the virtual key.
  private static let model = "c7a9b21d-6e0f-4c58-8d1e-2f57b9a40316"

  private func register(_ extensions: String, _ options: [String] = []) async throws -> Child.Ending {
    try await bridge(
      Child.Setup(
        arguments: ["register", "--origin", Requests.origin, "--key", "virtual"] + options,
        input: Array(Requests.extensions(extensions).utf8)))
  }

  private func clientType(_ ending: Child.Ending) throws -> Int? {
    try ending.response()["clientExtensionResults"]?["thalesgroup_client_ext_v1"]?["clientType"]?.integerValue
  }

  @Test(
    "the token comes back byte for byte",
    arguments: [
      #"{"a":1.0,"a":2,"b":1e400,"c":"\ud800","n":10000000000000000000000}"#, "null", "false", "[ 1 ,\t2\n]",
      #""\u00e9é\/""#, #"{ "é" : {} }"#, "-0",
    ])
  func token(token: String) async throws {
    let ending = try await register(#"{"thalesgroup_chl_tkn_ext_v1":  \#(token)  }"#)
    #expect(
      ending.text.contains(#""clientExtensionResults":{"thalesgroup_chl_tkn_ext_v1":\#(token)}"#), "\(ending.text)")
  }

  @Test("client type 1 ends to end: a syncable model, declared, makes a syncable passkey")
  func syncable() async throws {
    let ending = try await register(
      #"{"thalesgroup_client_ext_v1":{"clientType":1}}"#, ["--backup", "eligible", "--syncable", Self.model])
    #expect(ending.status == 0, "\(ending.error)")
    #expect(try clientType(ending) == 1)
    let info = try JSONDocument(parsing: try await bridge("info", "--key", "virtual", "--json").output).root
    #expect(info["aaguid"]?.stringValue == Self.model)
  }

  @Test("client type 1 without a declared model is NotAllowedError at once")
  func notDeclared() async throws {
    let ending = try await register(
      #"{"thalesgroup_client_ext_v1":{"clientType":1}}"#, ["--backup", "eligible", "--presence", "never"])
    #expect(
      ending.lastLine
        == "ctap-bridge: NotAllowedError: The request wants a syncable passkey (client type 1), and no model of key is "
        + "declared to make them.")
    #expect(ending.status == 69)
  }

  @Test("client type 1 where another model is declared: the named key does not suit, and is not touched")
  func otherModel() async throws {
    let ending = try await register(
      #"{"thalesgroup_client_ext_v1":{"clientType":1}}"#,
      ["--backup", "eligible", "--presence", "never", "--syncable", "00000000-0000-0000-0000-000000000001"])
    #expect(ending.status == 69)
    #expect(
      ending.lastLine
        == "ctap-bridge: NotAllowedError: The key virtual cannot be used: it makes device-bound passkeys, and the request wants "
        + "a syncable one.")
  }

  @Test(
    "a key that is declared syncable and makes a device-bound credential: the error names the credential, status 13")
  func mismatch() async throws {
    let ending = try await register(
      #"{"thalesgroup_client_ext_v1":{"clientType":1}}"#, ["--syncable", Self.model])
    #expect(ending.status == 13 && ending.output.isEmpty)
    #expect(ending.lastLine.hasPrefix("ctap-bridge: NotAllowedError: A credential with the ID "), "\(ending.lastLine)")
  }

  @Test(
    "the credential's flag decides the type, whatever was asked for",
    arguments: [(-1, "none", 2), (2, "none", 2), (-1, "eligible", 1), (-1, "backed-up", 1)])
  func decided(asked: Int, backup: String, type: Int) async throws {
    let ending = try await register(#"{"thalesgroup_client_ext_v1":{"clientType":\#(asked)}}"#, ["--backup", backup])
    #expect(try clientType(ending) == type)
  }

  @Test(
    "metadata declares models, as a statement and as a BLOB's payload",
    arguments: [
      #"{"aaguid":"AAGUID","description":"Cloud Key","multiDeviceCredentialSupport":"explicit"}"#,
      #"{"no":3,"nextUpdate":"2026-01-01","entries":[{"aaguid":"AAGUID","metadataStatement":{"description":"Cloud Key","#
        + #""multiDeviceCredentialSupport":"implicit"}}]}"#,
    ])
  func metadata(text: String) async throws {
    let folder = try Scratch()
    let file = try folder.write("metadata", text.replacing("AAGUID", with: Self.model))
    let ending = try await register(
      #"{"thalesgroup_client_ext_v1":{"clientType":1}}"#, ["--backup", "eligible", "--metadata", file])
    #expect(ending.status == 0, "\(ending.error)")
    #expect(try clientType(ending) == 1)
  }

  @Test(
    "metadata that cannot be used is an error before any key is touched",
    arguments: [
      ("{", "EncodingError: The metadata is not JSON: line 1, column 2: "),
      ("{}", "EncodingError: The metadata has neither "),
    ])
  func badMetadata(text: String, message: String) async throws {
    let folder = try Scratch()
    let file = try folder.write("metadata", text)
    let ending = try await register("{}", ["--metadata", file])
    #expect(ending.error.hasPrefix("ctap-bridge: \(message)"), "\(ending.error)")
    #expect(ending.error.hasSuffix(" It was read from \(file).\n") && ending.status == 65)
    let missing = try await register("{}", ["--metadata", folder["none"]])
    #expect(
      missing.error
        == "ctap-bridge: NotReadableError: The metadata cannot be read from \(folder["none"]): No such file or directory.\n"
    )
    #expect(missing.status == 66)
  }

  @Test(
    "a malformed input is ignored with a warning, and refused with --strict-extensions",
    arguments: [
      (#"{"thalesgroup_ext_v1":1}"#, "extensions.thalesgroup_ext_v1"),
      (#"{"thalesgroup_client_ext_v1":{"clientType":true}}"#, "extensions.thalesgroup_client_ext_v1.clientType"),
      (#"{"thalesgroup_client_ext_v1":{"clientType":3}}"#, "extensions.thalesgroup_client_ext_v1.clientType"),
      (#"{"thalesgroup_client_ext_v1":{}}"#, "extensions.thalesgroup_client_ext_v1.clientType"),
      (#"{"thalesgroup_client_ext_v1":1}"#, "extensions.thalesgroup_client_ext_v1"),
    ])
  func malformed(extensions: String, member: String) async throws {
    let tolerant = try await register(extensions)
    #expect(tolerant.status == 0)
    #expect(tolerant.error.contains("Warning: The extension thalesgroup_") && tolerant.error.contains(member))
    #expect(try tolerant.response()["clientExtensionResults"]?.members?.isEmpty == true)
    let strict = try await register(extensions, ["--strict-extensions"])
    #expect(strict.status == 65 && strict.output.isEmpty)
    #expect(strict.lastLine.hasPrefix("ctap-bridge: EncodingError: ") && strict.lastLine.contains(member))
  }

  @Test("the sample request has exactly the three results, in order")
  func sample() async throws {
    let request = Binary.package.appendingPathComponent("Examples/requests/thales-registration.json").path
    let ending = try await bridge(
      "register", request, "--origin", Requests.origin, "--key", "virtual", "--name", "Desk key")
    let results = #"""
      "clientExtensionResults":{"thalesgroup_ext_v1":{"authenticatorDescription":{"friendlyName":"Desk key"}},"#
      thalesgroup_client_ext_v1":{"clientType":2},"thalesgroup_chl_tkn_ext_v1":{ "token": "c2FtcGxl", "issued": 1.0, "scope": [ "enrol" ] }}
      """#
    #expect(ending.text.contains(results.replacing("\"#\n", with: "\"")), "\(ending.text)")
  }

  @Test(
    "the virtual key attests as it is told", arguments: [("packed", "packed"), ("self", "packed"), ("none", "none")])
  func attestation(kind: String, format: String) async throws {
    let request = try Requests.options(#"{"attestation":"direct"}"#)
    let ending = try await bridge(
      "register", "--origin", Requests.origin, "--key", "virtual", "--attestation", kind, input: request)
    let object = try #require(try ending.response()["response"]?["attestationObject"]?.stringValue)
    let base64 = object.replacing("-", with: "+").replacing("_", with: "/")
    let padded = base64 + String(repeating: "=", count: (4 - base64.utf8.count % 4) % 4)
    let bytes = try #require(Data(base64Encoded: padded))
    #expect(bytes.firstRange(of: Data(format.utf8)) != nil)
    #expect((bytes.firstRange(of: Data("x5c".utf8)) != nil) == (kind == "packed"))
  }
}
