import BridgeTestSupport
import CBOR
import CTAPMessages
import JSONText
import Testing
import VirtualKey
import WebAuthnClient

/// Extensions that nothing is known of, between a request and a key that gives back what it is given.
@Suite("extensions that are passed on")
struct PassedExtensionTests {
  private static let name = "example.org/x"

  private func desk(_ place: EchoExtension.Place) throws -> (Desk, RulesWire) {
    var configuration = VirtualKeyConfiguration()
    configuration.echoExtensions = [EchoExtension(Self.name, place)]
    configuration.profile.info.extensions?.append(Self.name)
    var (desk, _, wire) = try Desk.watched(configuration)
    desk.extensions.append(try PassedExtension(Self.name))
    return (desk, wire)
  }

  private static let values: [(json: String, cbor: CBORValue, back: String)] = [
    ("true", true, "true"), ("false", false, "false"), ("null", .null, "null"), ("0", 0, "0"), ("-1", -1, "-1"),
    ("18446744073709551615", .unsigned(.max), "18446744073709551615"),
    ("-18446744073709551616", .negative(.max), "-18446744073709551616"), ("-0", 0, "0"), ("1.5", .float(1.5), "1.5"),
    ("1.0", .float(1), "1.0"), ("1e3", .float(1000), "1000.0"), (#""é\u0000""#, "é\0", #""é\u0000""#),
    (#"{"$base64url":"AQID"}"#, .bytes([1, 2, 3]), #""AQID""#), ("[]", [], "[]"), ("{}", [:], "{}"),
    (#"[1,[2,"a"]]"#, [1, [2, "a"]], #"[1,[2,"a"]]"#),
    (#"{"b":1,"aa":{"c":false}}"#, ["b": 1, "aa": ["c": false]], #"{"b":1,"aa":{"c":false}}"#),
    (#"{"$map":[[1,"a"],[-2,{"$base64url":"_w"}]]}"#, [1: "a", -2: .bytes([255])], #"{"1":"a","-2":"_w"}"#),
    (#"{"$map":[[1,"a"],["1","b"]]}"#, [1: "a", "1": "b"], #"{"$map":[[1,"a"],["1","b"]]}"#),
    (#"{"$map":[]}"#, [:], "{}"), (#"{"$map":[["$base64url","x"]]}"#, ["$base64url": "x"], #"{"$base64url":"x"}"#),
  ]

  @Test(
    "go to the key and come back, in both ceremonies, signed or not", arguments: values, EchoExtension.Place.allCases)
  func passes(_ value: (json: String, cbor: CBORValue, back: String), _ place: EchoExtension.Place) async throws {
    let (desk, wire) = try desk(place)
    let json = #"{"\#(Self.name)":\#(value.json)}"#
    let results = #"{"\#(Self.name)":\#(value.back)}"#
    let made = try await desk.register(request(extensions: json))
    #expect(try wire.extensions("makeCredential") == [.text(Self.name): value.cbor])
    #expect(try made.results == results)
    #expect(made.attestation.authData.extensions == (place == .signed ? [.text(Self.name): value.cbor] : nil))
    let response = try await desk.authenticate(signIn([made.credentialID], extensions: json))
    #expect(try wire.extensions("getAssertion") == [.text(Self.name): value.cbor])
    #expect(try response.results == results)
    #expect(try response.verifies(with: made))
  }

  @Test("are not sent where the client was not made for them, or the request does not ask")
  func notAsked() async throws {
    var (desk, wire) = try desk(.signed)
    let made = try await desk.register(request(extensions: #"{"example.org/y":1}"#))
    #expect(try wire.extensions("makeCredential") == nil)
    desk.extensions = StandardExtensions.all
    let response = try await desk.authenticate(signIn([made.credentialID], extensions: #"{"\#(Self.name)":1}"#))
    #expect(try wire.extensions("getAssertion") == nil)
    #expect(try [made.results, response.results] == ["{}", "{}"])
  }

  @Test("are not sent to a key that does not announce them, which is said")
  func notAnnounced() async throws {
    var (desk, _, wire) = try Desk.watched()
    desk.extensions.append(try PassedExtension(Self.name))
    let made = try await desk.register(request(extensions: #"{"\#(Self.name)":1}"#))
    #expect(try wire.extensions("makeCredential") == nil)
    #expect(try made.results == "{}")
    #expect(
      desk.person.heard.contains("warning: The key does not announce the extension \(Self.name), so it is not sent."))
  }

  @Test(
    "identifiers are what WebAuthn lets them be",
    arguments: [
      ("", false), ("a", true), (String(repeating: "x", count: 32), true), (String(repeating: "x", count: 33), false),
      ("a b", false), (#"a"b"#, false), (#"a\b"#, false), ("é", false), ("a\n", false), ("appid~!", true),
    ])
  func identifiers(_ name: String, _ isFit: Bool) {
    #expect(((try? PassedExtension(name)) != nil) == isFit)
  }
}
