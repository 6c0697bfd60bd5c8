import Foundation
import JSONText
import Testing

@Suite("info")
struct InfoTests {
  /// One record with every member of CTAP 2.3 and some that nobody knows, as a virtual key can be dressed in.
  private static let profile = """
    {"versions":["FIDO_2_0","FIDO_2_1"],"extensions":["credProtect"],"aaguid":"00000000-0000-0000-0000-000000000abc",
    "options":{"rk":true,"up":true,"later":false},"maxMsgSize":1200,"pinUvAuthProtocols":[1],
    "maxCredentialCountInList":8,"maxCredentialIdLength":64,"transports":["usb","nfc"],
    "algorithms":[{"type":"public-key","alg":-7},{"type":"public-key","alg":-99}],"minPINLength":6,"firmwareVersion":5}
    """

  @Test(
    "an extension that the virtual key only echoes is announced", arguments: ["example.echo", "unsigned:example.echo"])
  func echo(value: String) async throws {
    let ending = try await bridge("info", "--key", "virtual", "--echo-extension", value)
    #expect(ending.status == 0)
    #expect(ending.text.contains("example.echo"))
  }

  @Test("enterprise attestation is on where the virtual key has somebody to give it to")
  func enterprise() async throws {
    let arguments = ["info", "--key", "virtual", "--json"]
    for (more, isOn) in [([], false), (["--enterprise-rp", "example.org"], true)] {
      let ending = try await bridge(Child.Setup(arguments: arguments + more))
      #expect(try JSONDocument(parsing: ending.output).root["options"]?["ep"]?.boolValue == isOn)
    }
  }

  @Test("a fingerprint sensor is announced without a finger, and says only what a sensor can")
  func fingerprints() async throws {
    let ending = try await bridge("info", "--key", "virtual", "--fingerprints", "too-fast,good", "--json")
    let options = try JSONDocument(parsing: ending.output).root["options"]
    #expect(options?["bioEnroll"]?.boolValue == false)
    #expect(options?["uv"]?.boolValue == false)
    for (value, word) in [("excellent", "excellent"), ("good,", "not \"\""), ("too-fast", "needs good")] {
      let refused = try await bridge("info", "--key", "virtual", "--fingerprints", value)
      #expect(refused.status == 64)
      #expect(refused.error.contains(word), "\(refused.error)")
    }
  }

  @Test("members are labelled and decoded for people")
  func text() async throws {
    let folder = try Scratch()
    let file = try folder.write("profile", Self.profile)
    let ending = try await bridge("info", "--key", "virtual", "--profile", file)
    #expect(ending.status == 0, "\(ending.error)")
    #expect(
      ending.error == "Using a virtual key, which protects nothing.\nCTAPBridge Virtual Key (virtual):\n")
    for line in [
      "0x01  Versions                    FIDO_2_0, FIDO_2_1",
      "0x03  AAGUID                      00000000-0000-0000-0000-000000000abc",
      "0x05  Largest message             1200", "0x0a  Algorithms                  ES256 (-7), -99",
      "0x0e  Firmware version            5",
    ] {
      #expect(ending.text.contains(line + "\n"), "\(ending.text)")
    }
  }

  @Test("a key that speaks U2F alone is shown with its version and what it can be used for")
  func u2f() async throws {
    let ending = try await bridge("info", "--key", "virtual", "--protocol", "u2f")
    #expect(ending.status == 0, "\(ending.error)")
    #expect(ending.text.contains("Version     U2F_V2"))
    #expect(ending.text.contains("Registers   credentials that are not discoverable"))
    let json = try await bridge("info", "--key", "virtual", "--protocol", "u2f", "--json")
    let root = try JSONDocument(parsing: json.output).root
    #expect(root["versions"]?.elements?.compactMap(\.stringValue) == ["U2F_V2"])
    #expect(root["usableFor"]?.elements?.compactMap(\.stringValue) == ["register", "authenticate"])
    #expect(root["discoverableCredentials"]?.boolValue == false)
  }

  @Test("--json uses the specification's names")
  func json() async throws {
    let folder = try Scratch()
    let file = try folder.write("profile", Self.profile)
    let ending = try await bridge("info", "--key", "virtual", "--profile", file, "--json")
    let root = try JSONDocument(parsing: ending.output).root
    #expect(root["maxMsgSize"]?.integerValue == 1200 && root["options"]?["later"]?.boolValue == false)
    #expect(root["algorithms"]?.elements?.last?["alg"]?.integerValue == -99)
    #expect(root["transports"]?.elements?.compactMap(\.stringValue) == ["usb", "nfc"])
  }

  @Test(
    "a profile that cannot be used is an error that names its file",
    arguments: [
      ("{", 65, "EncodingError: The profile is not JSON: "),
      ("{}", 65, "EncodingError: The profile has no authenticatorGetInfo"),
      (nil, 66, "NotReadableError: The profile cannot be read from "),
    ])
  func badProfile(text: String?, status: Int32, message: String) async throws {
    let folder = try Scratch()
    if let text { try folder.write("profile", text) }
    let ending = try await bridge("info", "--key", "virtual", "--profile", folder["profile"])
    #expect(
      ending.error.hasPrefix("ctap-bridge: \(message)") && ending.error.contains(folder["profile"]), "\(ending.error)")
    #expect(ending.status == status && ending.output.isEmpty)
  }
}
